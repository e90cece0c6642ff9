# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""EFT_SHOW_CODE: the source lines of kernels on the host in debuggers and profilers."""

import os
import re
import shutil
import struct
import subprocess
import sys

import eft
import pytest

SCRIPT = """\
import eft, eft.language as tl, numpy as np

@eft.jit
def helper(x):
    return x * 1.5 + 1

@eft.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, helper(tl.load(x_ptr + i)))

kernel[1](np.ones(64, np.float32), BLOCK=64)
"""

#: Prints for each object in gdb's JIT list: is it an ELF file, and does it name the script?
LISTED = """
import ctypes
from eft import _compiler

class Entry(ctypes.Structure):
    pass

Entry._fields_ = [
    ("next", ctypes.POINTER(Entry)), ("previous", ctypes.POINTER(Entry)),
    ("address", ctypes.c_void_p), ("size", ctypes.c_uint64),
]

class Descriptor(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32), ("action", ctypes.c_uint32),
        ("relevant", ctypes.POINTER(Entry)), ("first", ctypes.POINTER(Entry)),
    ]

library = ctypes.CDLL(_compiler.__file__)
entry = Descriptor.in_dll(library, "__jit_debug_descriptor").first
while entry:
    code = ctypes.string_at(entry.contents.address, entry.contents.size)
    print(code[:4] == b"\\x7fELF", b"script.py" in code)
    entry = entry.contents.next
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs the script with EFT_SHOW_CODE, alone or under the program given."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + LISTED)

    def run(show: str, *program: str) -> subprocess.CompletedProcess:
        environment = {
            **os.environ,
            "PYTHONPATH": os.path.dirname(os.path.dirname(eft.__file__)),
            "EFT_SHOW_CODE": show,
            "EFT_CACHE_SIZE": "0",
            "JITDUMPDIR": str(tmp_path),
        }
        return subprocess.run(
            [*program, sys.executable, str(script)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def lines_for_perf(data: bytes):
    """The source lines that a jitdump file names, as pairs of a file and a line number."""
    magic, _, size, _, _, _, _, flags = struct.unpack_from("<IIIIIIQQ", data)
    assert (magic, flags) == (0x4A695444, 0)
    while size < len(data):
        kind, length = struct.unpack_from("<II", data, size)
        if kind == 2:
            (entries,) = struct.unpack_from("<Q", data, size + 24)
            at = size + 32
            for _ in range(entries):
                _, line, _ = struct.unpack_from("<QII", data, at)
                end = data.index(0, at + 16)
                yield data[at + 16 : end].decode(), line
                at = end + 1
        size += length


def test_perf_gets_the_lines(run, tmp_path):
    done = run("perf")
    assert (done.returncode, done.stderr) == (0, "")
    (dump,) = tmp_path.rglob("jit-*.dump")
    named = set(lines_for_perf(dump.read_bytes()))
    script = str(tmp_path / "script.py")
    assert {(script, 5), (script, 10)} <= named


@pytest.mark.parametrize("show, listed", [("gdb", "True True"), ("", "")])
def test_gdb_is_told_of_the_code(run, show, listed):
    done = run(show)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.splitlines()) == ({listed} if listed else set())


@pytest.mark.skipif(not shutil.which("gdb"), reason="there is no gdb")
def test_gdb_stops_in_an_inlined_function(run):
    commands = ["set breakpoint pending on", "break script.py:5", "run", "backtrace 2"]
    if library := os.environ.get("LD_PRELOAD"):
        # A sanitizer's library is for Python alone: in gdb it would report gdb's own threads.
        commands.insert(0, f"set environment LD_PRELOAD {library}")
    program = ["gdb", "-q", "-batch", *(f"-ex={command}" for command in commands), "--args"]
    said = run("gdb", "env", "-u", "LD_PRELOAD", *program).stdout
    assert re.search(r"helper\w* \(.*script\.py:5", said), said
    assert re.search(r"#1 +kernel \(.*script\.py:10", said), said


def test_a_tool_that_eft_does_not_know(run):
    done = run("perf,tape")
    assert done.stderr.rstrip().splitlines()[-1] == (
        "ValueError: EFT_SHOW_CODE must be 'gdb', 'perf' or 'gdb,perf', got 'perf,tape'"
    )
