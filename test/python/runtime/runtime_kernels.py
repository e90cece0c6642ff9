# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in C that replace compiled kernels, and kernel objects that record each compile."""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import eft._runtime as runtime
import pytest

HERE = Path(__file__).parent


def load_library(folder: Path) -> ctypes.CDLL:
    """Compiles kernels.c to a shared library in a folder, and opens the library."""
    path = folder / "kernels.so"
    if not path.exists():
        compiler = next(filter(shutil.which, ["clang-19", "cc", "gcc", "clang"]), None)
        if compiler is None:
            pytest.skip("no C compiler to make the kernels with")
        command = [compiler, "-O1", "-shared", "-fPIC", "-o", path, HERE / "kernels.c"]
        subprocess.run(command, check=True)
    return ctypes.CDLL(str(path))


def address_of(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


class RecordingKernel(runtime.KernelBase):
    """A kernel that records how the runtime calls its compiler.

    `code` names the C function that replaces the compiled kernel. `address` has the parameters that
    reach an address: each is a tuple of an index and divisors, such as (1, 8, 2), or an index alone
    for the divisor 16.
    """

    def __init__(self, library, parameters, code="record", address=(), name="kernel"):
        super().__init__(name, parameters)
        self.library, self.code, self.address, self.name = library, code, address, name
        self.asked, self.compiled = [], []

    def _address_parameters(self, target, types, constexprs, options):
        self.asked.append((target, types, constexprs, options))
        return [each if isinstance(each, tuple) else (each, 16) for each in self.address], None

    def _compile(self, target, device, types, constexprs, options, specialization, known):
        self.compiled.append((target, device, types, constexprs, options, specialization))
        ctypes.c_int.in_dll(self.library, "expected_slots").value = _slots(types)
        return runtime.LoadedKernel.load_host(
            address_of(self.library, self.code), self.library, self.name
        )

    @property
    def types(self):
        """The types of the last compile."""
        return self.compiled[-1][2]

    @property
    def specialization(self):
        return self.compiled[-1][5]

    def slots(self):
        """The parameters of the last launch of `record`, as unsigned 64-bit ints."""
        return list((ctypes.c_uint64 * 64).in_dll(self.library, "seen_slots"))[: _slots(self.types)]

    def grid(self):
        return tuple((ctypes.c_uint32 * 3).in_dll(self.library, "seen_grid"))


def _slots(types) -> int:
    """The number of slots for arguments of these types. The slots of a tensor descriptor of rank r
    are an address, r extents, and r - 1 strides."""
    descriptors = [each for each in types if each is not None and each.startswith("tensordesc")]
    extents = sum(2 * each.count(",") + 1 - 2 * each.count("], ") for each in descriptors)
    return sum(each is not None for each in types) + extents


def parameters(text: str) -> list:
    """Parameters from a short form, "x, n, seed!, BLOCK: constexpr, p=0.5". A ! means kind 1: the
    runtime does not specialize on the argument."""
    result = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, default = part.partition("=")
        name, _, constexpr = name.partition(":")
        kind = 2 if constexpr else 1 if name.endswith("!") else 0
        value = eval(default) if default else runtime.MISSING
        result.append((name.strip().rstrip("!"), kind, value))
    return result


def read(make_kernel, value):
    """The type and the slot that a kernel gets for one argument."""
    kernel = make_kernel("x")
    kernel[1](value)
    return kernel.types[0], kernel.slots()[0]


def failure(make_kernel, value, type_=TypeError):
    kernel = make_kernel("x", name="dropout")
    with pytest.raises(type_) as caught:
        kernel[1](value)
    return str(caught.value)


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def run_child(code: str, **environment) -> subprocess.CompletedProcess:
    """Runs a script in a new Python process with the module path of this process."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def holds_in_a_fork(check) -> bool:
    """Whether `check` returns a true value in a forked child of this process. The child always
    exits afterwards, so that only the parent runs the tests that follow."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if check() else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0
