# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the code that builds of Eft make for kernels, for every target.

    python scripts/compare/record.py FOLDER [PART...] --build NAME PYTHONPATH ...

runs parts of the corpus, or scripts by their paths, with all builds at the same time, and writes

    FOLDER/NAME/PART/KERNEL.sm_80.ptx, KERNEL.sm_90.ptx, KERNEL.host.o    the code
    FOLDER/NAME/PART/KERNEL.TARGET.error                                  or why there is none
    FOLDER/NAME/PART.jsonl                                                two lines on each of these
    FOLDER/NAME/PART.log                                                  what the part has printed

Each build compiles every kernel twice. So report.py can tell whether a build makes the same code
both times, and has two times to compare. A kernel's name contains a hash of its source and
arguments, so that all builds give it the same name. The method `warmup`, which every version of
Eft has, compiles the kernel.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import corpus

#: For each target: its name in a `warmup`, and the suffix of the file with its code.
TARGETS = {
    "sm_80": ("cuda:80", "sm_80.ptx"),
    "sm_90": ("cuda:90", "sm_90.ptx"),
    "host": ("cpu", "host.o"),
}


class Recorder:
    """Compiles every kernel that is launched or warmed up, once for each kind of arguments."""

    def __init__(self, folder: Path):
        from eft import JITFunction

        self.folder = folder
        self.folder.mkdir(parents=True)
        self.lines = self.folder.with_suffix(".jsonl").open("w")
        self.seen, self.calls = {}, []
        self.warmup = JITFunction.warmup
        self.launcher = JITFunction.__getitem__

        def warmup(kernel, *args, **kwargs):
            self.record(kernel, args, kwargs)
            return self.warmup(kernel, *args, **kwargs)

        def launcher(kernel, grid):
            def launch(*args, **kwargs):
                self.record(kernel, args, kwargs)
                return self.launcher(kernel, grid)(*args, **kwargs)

            return launch

        JITFunction.warmup, JITFunction.__getitem__ = warmup, launcher

    def record(self, kernel, args: tuple, kwargs: dict) -> None:
        kwargs = {key: value for key, value in kwargs.items() if key not in ("grid", "target")}
        described = describe_call(kernel, args, kwargs)
        if (kernel, described) not in self.seen:
            name = self.seen[kernel, described] = self.name(kernel, described)
            self.calls.append((kernel, args, kwargs, {"name": name, "call": described}))
            self.compile(*self.calls[-1])

    def record_again(self) -> None:
        """Compiles everything again, at a time when the machine may be less busy."""
        for call in self.calls:
            self.compile(*call)

    def name(self, kernel, described: str) -> str:
        text = inspect.getsource(kernel.fn) + described
        name = f"{kernel.__name__}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        count = sum(each.partition("+")[0] == name for each in self.seen.values())
        return f"{name}+{count}" if count else name

    def compile(self, kernel, args: tuple, kwargs: dict, line: dict) -> None:
        """Writes the code for each target, and a line about it. Measures processor time, because
        other processes run at the same time."""
        for target, (asked, suffix) in TARGETS.items():
            start = time.process_time()
            try:
                made = self.warmup(kernel, *args, **kwargs, target=asked)
            except Exception as error:
                suffix, seconds, shared = f"{target}.error", None, 0
                code = f"{type(error).__name__}: {error}\n".encode()
            else:
                seconds = round(time.process_time() - start, 6)
                code, shared = made.binary, made.metadata.shared
            file = self.folder / f"{line['name']}.{suffix}"
            file.write_bytes(code)
            digest = hashlib.sha256(code).hexdigest()
            found = {"file": file.name, "shared": shared, "digest": digest, "seconds": seconds}
            self.write({**line, "target": target, **found})

    def write(self, line: dict) -> None:
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()  # a part may crash


def describe_call(kernel, args: tuple, kwargs: dict) -> str:
    """The properties of a call on which code may depend: values of constexprs and options, types of
    numbers and whether 16 divides them, element types and alignments of arrays."""
    parameters = inspect.signature(kernel.fn).parameters
    names = [*parameters][: len(args)]
    texts = []
    for name, value in (*zip(names, args, strict=True), *kwargs.items()):
        annotation = parameters[name].annotation if name in parameters else "constexpr"
        exact = "constexpr" in str(annotation)
        texts.append(f"{name}={stable_text(value) if exact else describe(value)}")
    return f"{kernel.__name__}({', '.join(texts)})"


def stable_text(value) -> str:
    """The text of a value without addresses, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


def describe(value) -> str:
    if hasattr(value, "item") and getattr(value, "shape", None) == () and not _address(value):
        value = value.item()  # a number of NumPy
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        if value == 1:
            return "1"
        bits = next(bits for bits in (32, 64, 65) if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1))
        name = "uint64" if bits == 65 else f"int{bits}"
        return f"{name}:16" if value % 16 == 0 else name
    if isinstance(value, float):
        return "float"
    if isinstance(value, tuple):
        return f"({', '.join(map(describe, value))})"
    if not hasattr(value, "dtype"):
        return stable_text(value)
    element = str(value.dtype).rpartition(".")[2]
    return f"*{element}{':16' if _address(value) % 16 == 0 else ''}"


def _address(value) -> int:
    """The address of an array; 0 for other values."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    interface = getattr(value, "__array_interface__", None)
    return interface["data"][0] if interface and getattr(value, "shape", ()) else 0


def record_part(folder: Path, part: str) -> None:
    """Runs a part in this process, with the build of Eft that PYTHONPATH names."""
    recorder = Recorder(folder / output_name(part))
    run = corpus.parts().get(part) or partial(corpus.run_script, Path(part))
    with tempfile.TemporaryDirectory() as here:  # for files that a script leaves
        os.chdir(here)
        os.environ["EFT_CACHE_DIR"] = here
        run()
        recorder.record_again()
        recorder.write({"finished": True})
        os.chdir(os.path.sep)


def part_name(text: str) -> str:
    """The name of a part of the corpus, or the whole path of another script."""
    path = Path(text).resolve()
    inside = path.relative_to(corpus.ROOT).as_posix() if path.is_relative_to(corpus.ROOT) else ""
    return inside if inside in corpus.parts() else str(path)


def output_name(part: str) -> Path:
    return Path(part if part in corpus.parts() else Path(part).name).with_suffix("")


def start(folder: Path, part: str, path: str) -> subprocess.Popen:
    """Starts a process that records a part with the build at `path`."""
    log = (folder / output_name(part)).with_suffix(".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = dict(
        os.environ,
        PYTHONPATH=path,
        EFT_CACHE_SIZE="0",  # so that nothing comes from the cache
        EFT_NUM_THREADS="1",
        CUDA_VISIBLE_DEVICES="",  # so that every machine launches the same kernels
    )
    command = [sys.executable, __file__, str(folder), part]
    with log.open("w") as file:
        return subprocess.Popen(command, env=environment, stdout=file, stderr=file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=lambda text: Path(text).resolve(), metavar="FOLDER")
    parser.add_argument("parts", nargs="*", type=part_name, metavar="PART")
    parser.add_argument("--build", nargs=2, action="append", metavar=("NAME", "PYTHONPATH"))
    options = parser.parse_args()
    if not options.build:
        record_part(options.folder, *options.parts)
        return
    parts = options.parts or [*corpus.parts()]
    for number, part in enumerate(parts, 1):
        print(f"[{number}/{len(parts)}] {part}", flush=True)
        # All builds run at the same time, so that other work on the machine slows all of them.
        for process in [start(options.folder / name, part, path) for name, path in options.build]:
            process.wait()


if __name__ == "__main__":
    main()
