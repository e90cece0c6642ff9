# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft info`: the facts about the machine that belong in a bug report."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

from eft import __version__, _compiler, _runtime, host, left_out


def print_info() -> int:
    """Prints the versions, the cache and the devices that Eft finds. Returns the exit status."""
    for name, text in _facts():
        print(f"{name:<10} {text}")
    return 0


def _facts():
    yield "eft", f"{__version__} in {os.path.dirname(os.path.abspath(__file__))}"
    yield "llvm", _compiler.llvm_version
    yield "python", f"{platform.python_version()} in {sys.prefix}"
    yield "packages", _packages() or "none of those that Eft works with"
    yield "cache", _cache()
    for line in left_out.read():
        yield "not kept", line
    threads = _runtime.host_threads()
    yield "cpu", f"{_cpu()}, {threads} thread{'s' if threads > 1 else ''}{_meant_cpu()}"
    yield from _gpus()


def _packages() -> str:
    found = []
    for name in ("numpy", "torch", "triton", "cupy", "jax", "ml_dtypes"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def _cache() -> str:
    folder = _runtime.cache_folder()
    if not folder:
        return "off"
    try:
        with os.scandir(folder) as entries:
            sizes = [entry.stat().st_size for entry in entries if entry.name.endswith(".eft")]
    except FileNotFoundError:
        return f"{folder}, not made yet"
    except OSError as error:
        return f"{folder}, which can't be read: {error.strerror}"
    return f"{folder}, {len(sizes)} entries, {sum(sizes) / 1e6:.1f} MB"


def _meant_cpu() -> str:
    """Returns a text with the CPU that EFT_CPU names; "" if EFT_CPU is not set."""
    return f"; EFT_CPU={host.wanted()}" if host.wanted() else ""


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def _gpus():
    try:
        count = _runtime.device_count()
    except _runtime.CudaError as error:
        yield "gpu", f"can't be used: {error}"
        return
    if count == 0:
        yield "gpu", "none"
    for number in range(count):
        gpu = _runtime.device_properties(number)
        driver = ".".join(map(str, gpu["driver_version"]))
        facts = [
            gpu["name"],
            gpu["target"].replace("cuda:", "sm_"),
            f"{gpu['multiprocessor_count']} multiprocessors",
            f"{gpu['total_memory'] / 1e9:.0f} GB",
            f"driver of CUDA {driver}",
        ]
        yield f"cuda:{number}", ", ".join(facts)
