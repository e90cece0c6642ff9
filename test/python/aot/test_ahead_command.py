# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft compile`: the files that it writes, its output, and its errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ahead_support import HERE, KERNELS, MIXED
from eft.aot import ptxas as ptxas_module

TYPES = (
    "i1, i8, i16, i32, i64, u8, u16, u32, u64, fp8e4nv, fp8e5, fp8e4b8, fp8e5b16, fp8e4b15, "
    "fp16, bf16, fp32, fp64"
)


def test_writes_a_file_for_each_target(ahead, ptxas):
    said = ahead.compile("sm_80", "sm_90", "compute_90", "host")
    files = {path.name: path.read_bytes() for path in ahead.out.iterdir()}
    assert sorted(files) == [
        "mixed.c",
        "mixed.compute_90.ptx",
        "mixed.h",
        "mixed.host.o",
        "mixed.sm_80.cubin",
        "mixed.sm_90.cubin",
    ]
    lines = said.splitlines()
    size = len(files["mixed.sm_90.cubin"])
    assert lines[0].startswith("mixed.sm_90.cubin: cubin, by ptxas ")
    assert lines[0].endswith(f", {size} bytes")
    assert lines[1].startswith("mixed.compute_90.ptx: PTX, the driver assembles it at load, ")
    assert lines[3].startswith("mixed.host.o: machine code for the CPU at hand, ")
    assert lines[4:] == ["mixed.h, mixed.c: what a program includes and compiles"]
    for name, content in files.items():
        start = {"cubin": b"\x7fELF", "o": b"\x7fELF", "ptx": b"//"}.get(name.rpartition(".")[2])
        assert start is None or content.startswith(start), name
    assert b"\0" not in files["mixed.compute_90.ptx"]


def test_writes_the_same_files_again(ahead, tmp_path):
    ahead.compile("compute_80", "host")
    first = {path.name: path.read_bytes() for path in ahead.out.iterdir()}
    ahead.out = tmp_path / "another"
    ahead.compile("compute_80", "host")
    assert {path.name: path.read_bytes() for path in ahead.out.iterdir()} == first


def test_names_the_lines_of_the_source_if_asked(ahead):
    source = str(KERNELS).encode()
    ahead.compile("compute_80", "host")
    for path in ahead.out.iterdir():
        assert source not in path.read_bytes(), path
    ahead.compile("compute_80", "host", more=["--lines"])
    assert b'\t.file\t1 "' + source + b'"' in (ahead.out / "mixed.compute_80.ptx").read_bytes()
    assert source in (ahead.out / "mixed.host.o").read_bytes()


def test_keeps_ptx_where_there_is_no_ptxas(ahead, monkeypatch, capsys):
    from eft.aot.command import main

    monkeypatch.setattr(ptxas_module, "_candidates", lambda: iter([None, "/nowhere/bin/ptxas"]))
    words = map(str, ahead.arguments("mixed", MIXED, ["sm_90"]))
    assert main(list(words)) == 0
    assert capsys.readouterr().out.startswith(
        "mixed.sm_90.ptx: PTX, no ptxas of CUDA 12.5 or later was found: the driver assembles it "
    )
    assert ".target sm_90" in (ahead.out / "mixed.sm_90.ptx").read_text()


def test_looks_for_ptxas_where_it_may_be(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "on_path"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "path"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found = []
    for folder in ("site/nvidia/cu13/bin", "path/bin", "home/bin", "on_path"):
        tool = tmp_path / folder / "ptxas"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        found.append(str(tool))
    made = set(tmp_path.rglob("ptxas"))
    candidates = [path for path in ptxas_module._candidates() if path]
    assert [path for path in candidates if Path(path) in made] == found[::-1]
    assert "/usr/local/cuda/bin/ptxas" in candidates
    assert ptxas_module.find_ptxas() == found[-1]


def test_passes_over_a_ptxas_that_is_too_old(monkeypatch, tmp_path):
    tools = []
    for release in ("11.8", "12.4", "12.5", "13.0"):
        tool = tmp_path / release
        tool.write_text(
            f'#!/bin/sh\necho "Cuda compilation tools, release {release}, V{release}.1"\n'
        )
        tool.chmod(0o755)
        tools.append(str(tool))
    monkeypatch.setattr(ptxas_module, "_candidates", lambda: iter(tools))
    assert ptxas_module.find_ptxas() == tools[2]
    del tools[2:]
    assert ptxas_module.find_ptxas() is None


def test_what_ptxas_says(ahead, monkeypatch, tmp_path):
    tool = tmp_path / "ptxas"
    tool.write_text('#!/bin/sh\necho "ptxas fatal : $* is too much" >&2\nexit 1\n')
    tool.chmod(0o755)
    error = ahead.fails("sm_90", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert error.startswith(
        f"{tool} can't assemble the PTX for sm_90: ptxas fatal : -arch=sm_90 -o "
    )
    assert error.endswith("\nThe target compute_90 leaves that to the driver of the GPU.")


def test_a_header_names_the_arguments(ahead):
    source = ahead.folder / "words.py"
    source.write_text(
        "import eft\n\n\n@eft.jit\ndef kernel(class_, new, stream, ä, half, e, N):\n    pass\n"
    )
    done = ahead.run(
        *(source, "--kernel", "kernel", f"--out={ahead.out}", "--target", "host"),
        *("--signature", "*i1, u16, *kbf16:16, i64:16, fp16, fp8e5, None"),
    )
    assert done.returncode == 0, done.stderr
    header = (ahead.out / "kernel.h").read_text()
    assert "words.py --kernel kernel --out=DIR --target host" in header
    assert (
        "int kernel_launch_host(uint32_t gridX, uint32_t gridY, uint32_t gridZ, bool *class_, "
        "uint16_t new_, const uint16_t *stream_, int64_t _ue4, uint16_t half, uint8_t e);\n"
    ) in header
    assert " *     stream_          *kbf16, divisible by 16\n" in header
    assert " *     half             fp16, the bits of the number\n" in header
    assert " *     e                fp8e5, the bits of the number */\n" in header


# -- the signature

ENTRY = "entry {} of the signature, for the parameter {!r}: "


@pytest.mark.parametrize(
    ("signature", "error"),
    [
        (
            "*kfp32, *fp32",
            "kernel 'mixed' has 8 parameters (x_ptr, y_ptr, n, factor, shift, negate, step, "
            "BLOCK), but the signature has 2 entries",
        ),
        (
            MIXED + ", 3",
            "kernel 'mixed' has 8 parameters (x_ptr, y_ptr, n, factor, shift, negate, step, "
            "BLOCK), but the signature has 9 entries",
        ),
        (
            MIXED.replace("*fp32:16", "*fp31"),
            ENTRY.format(2, "y_ptr") + "'*fp31' is neither a constant nor a type; types "
            f"are {TYPES}, and pointers to them such as *fp32, or *kfp32 for memory that is only "
            "read",
        ),
        (
            MIXED.replace("i64", "long"),
            ENTRY.format(5, "shift") + "'long' is neither a constant nor a type; types "
            f"are {TYPES}, and pointers to them such as *fp32, or *kfp32 for memory that is only "
            "read",
        ),
        (
            MIXED.replace("*fp32:16", "*fp32:8"),
            ENTRY.format(2, "y_ptr") + "after the type '*fp32' may stand ':16', got ':8'",
        ),
        (
            MIXED.replace("i32:16", "i32:"),
            ENTRY.format(3, "n")
            + "after the type 'i32' may stand ':16' or ':8' or ':4' or ':2' or ':1', got ':'",
        ),
        (
            MIXED.replace("fp32, i64", "fp32:16, i64"),
            ENTRY.format(4, "factor") + "after the type 'fp32' may stand nothing, got ':16'",
        ),
        (
            MIXED.replace("i1,", "i1:1,"),
            ENTRY.format(6, "negate") + "after the type 'i1' may stand nothing, got ':1'",
        ),
        (
            MIXED.replace("1024", "i32"),
            None,
        ),
        (
            MIXED.replace("1024", "*fp32"),
            ENTRY.format(8, "BLOCK") + "a tl.constexpr needs a constant such as 1024, got '*fp32'",
        ),
    ],
)
def test_a_wrong_signature(ahead, signature, error):
    found = ahead.fails("host", signature=signature, status=1 if error is None else 2)
    if error is None:  # a type is a constant, too, but cannot be the length of a block
        assert f"{KERNELS}:12:15: `*` takes values of the kernel and numbers" in found
    else:
        assert found == error


def test_constants_of_every_kind():
    from eft import jit
    from eft.aot.signature import read_signature
    from eft.language import float32

    @jit
    def kernel(a, b, c, d, e, f: tl.constexpr):  # noqa: F821
        pass

    read = read_signature("None, (1, 'x, (y'), -2.5 , True,  * fp32 : 16, fp32", kernel)
    assert read.types == (None, None, None, None, "*fp32", None)
    assert read.constexprs == {
        "a": None,
        "b": (1, "x, (y"),
        "c": -2.5,
        "d": True,
        "f": float32,
    }
    assert read.specialization == ("", "", "", "", "16", "")


def test_divisors_of_integers():
    from eft import jit
    from eft.aot.signature import read_signature

    @jit
    def kernel(a, b, c, d):
        pass

    read = read_signature("i32:16, i64:8, u32:4, i32:2", kernel)
    assert read.specialization == ("16", "8", "4", "2")


# -- the rest of the command


def test_only_a_gpu_prints(ahead):
    assert ahead.fails("sm_90", "host", kernel="prints", signature="i32") == (
        "'prints' prints, which code for host that is compiled ahead of time can't do: what prints "
        "is a part of Eft's runtime"
    )
    ahead.compile("compute_80", kernel="prints", signature="i32", EFT_DEBUG="1")
    ptx = (ahead.out / "prints.compute_80.ptx").read_text()
    assert "vprintf" in ptx
    assert "eft$failure" not in ptx  # no host code would read this flag


@pytest.mark.parametrize(
    ("targets", "error"),
    [
        (
            ["tpu"],
            "target must be 'sm_' or 'cuda:' with the compute capability times ten, such as "
            "'sm_90', 'gpu' for every GPU, 'host' or 'cpu' for the CPU at hand, or 'host:' with "
            "LLVM's name of a CPU, such as 'host:x86-64-v3', got 'tpu'",
        ),
        (["sm_90", "cuda:90"], "target 'cuda:90' is given twice"),
        (["cpu", "host"], "target 'host' is given twice"),
        (["gpu", "compute_80"], "target 'compute_80' is given twice"),
        (["host", "sm_75"], "target 'sm_75' is too old: sm_80 is the oldest"),
        (["sm_999"], "no GPU has compute capability 99.9, which target 'sm_999' names"),
        (["compute_200"], "no GPU has compute capability 20.0, which target 'compute_200' names"),
        (["host", "sm_80", "host"], "target 'host' is given twice"),
        (
            ["host:abacus"],
            "target 'host:abacus': LLVM knows no CPU 'abacus' for x86_64-",
        ),
        (
            ["host:x86-64,avx2"],
            "target 'host:x86-64,avx2': features must be '+' or '-' and a name that LLVM knows for "
            "x86_64-",
        ),
        (["host:"], "target must be 'sm_' or 'cuda:' with the compute capability times ten, "),
    ],
)
def test_a_wrong_target(ahead, targets, error):
    assert ahead.fails(*targets, status=2).startswith(error)


def test_the_names_of_one_target(ahead):
    for target, file in (("cuda:90", "sm_90"), ("gpu", "compute_80"), ("cpu", "host")):
        ahead.compile(target)
        assert [path.name for path in ahead.out.glob(f"mixed.{file}.*")], target


def test_an_unknown_kernel(ahead):
    known = (
        f"{KERNELS} has no kernel 'dropout'; its kernels are 'mixed', 'narrow', 'product', "
        "'long_product', 'mark', 'prints'"
    )
    assert ahead.fails("host", kernel="dropout", status=2) == known
    assert ahead.fails("host", kernel="helper", status=2) == (
        f"'helper' in {KERNELS} is no function under @eft.jit, but of type 'function'; its kernels "
        "are 'mixed', 'narrow', 'product', 'long_product', 'mark', 'prints'"
    )
    empty = ahead.folder / "empty.py"
    empty.write_text("")
    done = ahead.run(empty, "--kernel", "k", "--signature", "", "--target", "host", "--out", "x")
    assert done.stderr == f"python -m eft compile: {empty} has no kernel 'k'; it has no kernel\n"


@pytest.mark.parametrize("name", ["", "a-b", "2x", "_x", "int", "ä"])
def test_a_wrong_name(ahead, name):
    more = [f"--name={name}"] if name else ["--name=", "--name= "]
    error = ahead.fails("host", more=more, status=2)
    assert error == f"the name must be an identifier of C's, got {name or ' '!r}: see --name"


def test_a_wrong_option(ahead):
    assert ahead.fails("compute_80", more=["--num-warps", "3"], status=2) == (
        "kernel 'mixed': option 'num_warps' must be a power of two from 1 to 32, got 3"
    )


def test_a_mistake_in_the_kernel(ahead):
    error = ahead.fails("host", signature=MIXED.replace("1024", "1000"))
    assert error.startswith(f"{KERNELS}:12:33: ")
    assert "a block's extent must be a power of two, got arange(0, 1000) of 1000\n" in error
    assert "\n    offsets = program * BLOCK + tl.arange(0, BLOCK)\n" in error


def test_a_file_that_is_not_there(ahead):
    done = ahead.run("no.py", "--kernel", "k", "--signature", "", "--target", "host", "--out", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "python -m eft compile: can't open 'no.py': No such file or directory\n"


def test_a_file_that_raises(ahead):
    wrong = ahead.folder / "wrong.py"
    wrong.write_text("import math\nmath.sqrt(-1)\n")
    done = ahead.run(wrong, "--kernel", "k", "--signature", "", "--target", "host", "--out", "x")
    assert (done.returncode, done.stdout) == (1, "")
    by_itself = subprocess.run([sys.executable, wrong], capture_output=True, text=True)
    assert "math.sqrt(-1)" in by_itself.stderr
    assert done.stderr == by_itself.stderr


def test_words_that_are_missing(ahead):
    done = ahead.run(KERNELS)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m eft compile ")
    assert "the following arguments are required: --kernel, --signature, --target" in done.stderr
    assert ahead.run("--help").stdout.startswith("usage: python -m eft compile ")


# -- the files


def test_a_folder_that_can_not_be_made(ahead):
    ahead.out = ahead.folder / "file" / "out"
    ahead.out.parent.write_text("")
    done = ahead.run(*ahead.arguments("mixed", MIXED, ["host"]))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"python -m eft compile: can't make the folder '{ahead.out}': Not a directory\n"
    )


def test_a_file_that_can_not_be_replaced(ahead):
    (ahead.out / "mixed.h").mkdir(parents=True)
    done = ahead.run(*ahead.arguments("mixed", MIXED, ["host"]))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"python -m eft compile: can't write '{ahead.out / 'mixed.h'}': Is a directory; no file "
        "was changed\n"
    )
    assert [path.name for path in ahead.out.iterdir()] == ["mixed.h"]


def test_a_full_disk_changes_nothing(ahead):
    ahead.compile("host", "compute_80")
    before = {path.name: path.read_bytes() for path in ahead.out.iterdir()}
    words = ahead.arguments("mixed", MIXED, ["host", "compute_80"])
    script = ahead.folder / "limited.py"
    # The limit on the size of files holds only while the command writes its files. Processes that
    # the command starts would inherit the limit. A sanitizer's symbolizer, which itself loads the
    # sanitizer, can't start under the limit.
    script.write_text(
        "import resource, sys\n"
        "from eft.aot import command\n"
        "\n"
        "def write_limited(*arguments, write=command.write_files):\n"
        "    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))\n"
        "    try:\n"
        "        write(*arguments)\n"
        "    finally:\n"
        "        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))\n"
        "\n"
        "command.write_files = write_limited\n"
        "sys.exit(command.main(sys.argv[1:]))\n"
    )
    paths = os.pathsep.join([str(HERE), *sys.path])
    done = subprocess.run(
        [sys.executable, script, *map(str, words), "--num-warps", "8"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"python -m eft compile: can't write '{ahead.out / 'mixed.c'}': File too large; no "
        "file was changed\n"
    )
    assert {path.name: path.read_bytes() for path in ahead.out.iterdir()} == before
