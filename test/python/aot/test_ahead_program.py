# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in C and C++ that are built with the files that `python -m eft compile` writes."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess

import pytest
from ahead_support import HERE, MIXED, build
from eft import _runtime

PROGRAM, PAPER = HERE / "program.c", HERE / "paper_cuda.c"
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic", "-O1"]
LIBRARIES = ["-ldl", "-lpthread", "-lm"]


def link(compiler, ahead, *flags, name="mixed"):
    """Builds the program with the files of one kernel, and returns its path."""
    program = ahead.folder / "program"
    files = [PROGRAM, ahead.out / f"{name}.c"]
    objects = sorted(ahead.out.glob("*.o"))
    if "c++" in flags[0]:  # compiles the .c files as C++, but not the objects
        files = ["-x", "c++", *files, "-x", "none"]
    build(compiler, *flags, *STRICT, "-I", ahead.out, *files, *objects, "-o", program, *LIBRARIES)
    return program


def run(program, *words, **environment):
    done = subprocess.run(
        [program, *words],
        # Python can run under a preloaded sanitizer; the program must not load that sanitizer.
        env={**os.environ, "LD_PRELOAD": "", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("threads", ["1", "3", ""])
def test_runs_on_the_host(ahead, cc, threads):
    ahead.compile("host")
    program = link(cc, ahead, "-std=c99")
    assert run(program, "host", EFT_NUM_THREADS=threads) == "all is well\n"


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_runs_under_a_sanitizer(ahead, sanitizer):
    compiler = shutil.which("clang-19")
    if compiler is None:
        pytest.skip("clang, whose sanitizers can be linked with its own code, is not installed")
    ahead.compile("host", "compute_80")
    program = link(compiler, ahead, "-std=c99", "-g", f"-fsanitize={sanitizer}")
    assert run(program, "host", EFT_NUM_THREADS="4") == "all is well\n"


def test_compiles_as_cpp(ahead, cc):
    compiler = shutil.which("c++") or shutil.which("clang++-19")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    ahead.compile("host", "compute_80")
    assert run(link(compiler, ahead, "-std=c++11"), "host") == "all is well\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the targets are for x86-64")
def test_chooses_the_variant_that_the_cpu_can_run(ahead, cc):
    ahead.compile("host:x86-64", "host:x86-64-v3", "host:x86-64-v4")
    source = (ahead.out / "mixed.c").read_text()
    order = [source.index(f"    {{mixed_host_x86_64{level}, ") for level in ("_v4", "_v3", "")]
    assert order == sorted(order)
    assert run(link(cc, ahead, "-std=c99"), "host") == "all is well\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the targets are for x86-64")
def test_a_cpu_that_can_run_no_variant(ahead, cc):
    # No CPU has all of these features, so no CPU can run this variant.
    ahead.compile("host:x86-64-v4,+xop,+fma4,+avx512vp2intersect,+amx-tile,+avx512fp16,+tbm")
    program = link(cc, ahead, "-std=c99")
    assert run(program, "-3") == (
        "-3 -3 mixed was not compiled for this device: it has host:x86-64-v4,+xop,+fma4,"
        "+avx512vp2intersect,+amx-tile,+avx512fp16,+tbm\n"
    )


def test_a_wrong_number_of_threads(ahead, cc):
    ahead.compile("host")
    program = link(cc, ahead, "-std=c99")
    for text in ("0", "-1", "4097", "two", "2 ", " 2", "99999999999999999999"):
        assert run(program, "0", EFT_NUM_THREADS=text) == "-3 -5 success\n"
    assert run(program, "0", EFT_NUM_THREADS="4096") == "-3 0 success\n"


TEXTS = {
    0: "success",
    -1: "the CUDA driver's library, libcuda.so.1, can't be opened or is too old",
    -2: "no CUDA context is current in the calling thread",
    -3: "mixed was not compiled for this device: it has host",
    -4: "the grid has more programs than the device can run",
    -5: "EFT_NUM_THREADS must be an integer from 1 to 4096",
    -6: "there is no memory left",
    -7: "no code of mixed",
    -100: "the argument x_ptr must be divisible by 16, as the signature says",
    -101: "the argument y_ptr must be divisible by 16, as the signature says",
    -102: "the argument n must be divisible by 16, as the signature says",
    -103: "no code of mixed",
    -106: "the argument step must be 1, as the signature says",
    222: "an error of the CUDA driver, which mixed does not use",
}


def test_every_code_has_a_text(ahead, cc):
    ahead.compile("host")
    program = link(cc, ahead, "-std=c99")
    for code, text in TEXTS.items():
        assert run(program, str(code)) == f"-3 0 {text}\n"


# -- with a stand-in for the driver


@pytest.fixture
def paper(ahead, cc):
    """A stand-in for the driver, paper_cuda.c: runs programs with it, and reads its log."""

    class Paper:
        log = ahead.folder / "log"
        library = ahead.folder / "libpaper.so"

        def run(self, program, *words, capability="90", **environment):
            self.log.write_text("")
            environment |= {"EFT_LIBCUDA": str(self.library), "PAPER_LOG": str(self.log)}
            return run(program, *words, PAPER_CAPABILITY=capability, **environment)

        def loaded(self) -> set[str]:
            """The code that was loaded: `cubin` and its first bytes, or `ptx` and its target."""
            lines = self.log.read_text().splitlines()
            return {line.partition(" in ")[0] for line in lines if line[:4] in ("cubi", "ptx ")}

    build(cc, "-shared", "-fPIC", PAPER, "-o", Paper.library)
    return Paper()


@pytest.mark.parametrize("ids", [True, False])
def test_works_in_every_context(ahead, cc, paper, ids):
    if not ids:
        build(cc, "-shared", "-fPIC", "-DWITHOUT_IDS", PAPER, "-o", paper.library)
    ahead.compile("compute_80", more=["--num-warps", "8"])
    program = link(cc, ahead, "-std=c99")
    assert paper.run(program, "cuda") == "all is well\n"
    assert paper.log.read_text().splitlines() == [
        "ptx sm_80 in context 1",
        "launch of 256 threads",
        "ptx sm_80 in context 2",
        "launch of 256 threads",
        "unload in context 2",
        "ptx sm_80 in context 2",
        "launch of 256 threads",
        "launch of 256 threads",
        "unload in context 1",
    ]


@pytest.mark.parametrize(
    ("capability", "chosen"),
    [("80", "sm_80"), ("86", "sm_86"), ("89", "sm_86"), ("90", "sm_86"), ("120", "sm_86")],
)
def test_takes_the_newest_ptx_for_a_gpu(ahead, cc, paper, capability, chosen):
    ahead.compile("compute_80", "compute_86")
    program = link(cc, ahead, "-std=c99")
    assert paper.run(program, "cuda", capability=capability) == "all is well\n"
    assert paper.loaded() == {f"ptx {chosen}"}


@pytest.mark.parametrize(
    ("capability", "chosen"),
    [("80", "sm_80"), ("86", "sm_86"), ("87", "sm_86"), ("90", "sm_90"), ("100", "compute_80")],
)
def test_takes_a_cubin_of_the_same_generation(ahead, cc, paper, ptxas, capability, chosen):
    ahead.compile("compute_80", "sm_80", "sm_90", "sm_86")
    program = link(cc, ahead, "-std=c99")
    assert paper.run(program, "cuda", capability=capability) == "all is well\n"
    start = ahead.out / f"mixed.{chosen}.cubin"
    expected = f"cubin {start.read_bytes()[:64].hex()}" if chosen[0] == "s" else "ptx sm_80"
    assert paper.loaded() == {expected}


def test_a_gpu_that_can_run_no_variant(ahead, cc, paper, ptxas):
    ahead.compile("sm_90", "compute_86")
    program = link(cc, ahead, "-std=c99")
    assert "load: found -3 (mixed was not compiled for this device: it has sm_90, compute_86)" in (
        paper.run(program, "cuda", capability="80")
    )
    assert paper.loaded() == set()


def test_no_driver(ahead, cc):
    ahead.compile("compute_80")
    program = link(cc, ahead, "-std=c99")
    text = "an error that the CUDA driver has no words for"
    assert run(program, "1", EFT_LIBCUDA="none") == f"-1 -3 {text}\n"


def test_what_the_driver_says(ahead, cc, paper):
    ahead.compile("compute_80")
    program = link(cc, ahead, "-std=c99")
    found = paper.run(program, "cuda", PAPER_FAILS="1")
    assert "load: found 222 (the words of the driver), expected 0\n" in found
    assert paper.run(program, "222") == "-2 -3 the words of the driver\n"


def test_keeps_to_the_memory_of_the_gpus_that_take_the_code(ahead, ptxas):
    """Code for compute capability 8.0 also runs on 8.6, and PTX for 9.0 also on 12.0. Both 8.6 and
    12.0 have 99 KiB of shared memory. A cubin for 9.0 runs only on GPUs with 227 KiB."""
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, 128"
    targets = ("sm_80", "compute_80", "sm_90", "compute_90")
    ahead.compile(*targets, kernel="long_product", signature=signature, more=("--num-warps", "8"))
    text = (ahead.out / "long_product.c").read_text()
    found = {name: int(re.search(rf"code_{name}, .*, (\d+)\}}", text)[1]) for name in targets}
    assert max(found["sm_80"], found["compute_80"], found["compute_90"]) <= 99 * 1024
    assert 99 * 1024 < found["sm_90"] <= 227 * 1024


def test_asks_for_shared_memory(ahead, cc, paper):
    """A kernel must request more than 48 KiB of shared memory from the driver."""
    signature = "*kfp16:16, *kfp16:16, *fp32:16, 128"
    ahead.compile("compute_80", kernel="product", signature=signature)
    program = ahead.folder / "ask"
    source = ahead.folder / "ask.c"
    source.write_text(
        '#include "product.h"\n#include <dlfcn.h>\n#include <stdlib.h>\n'
        "int main(void) {\n"
        '  void *library = dlopen(getenv("EFT_LIBCUDA"), RTLD_NOW);\n'
        '  int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");\n'
        '  int (*use)(void *) = (int (*)(void *))dlsym(library, "cuCtxSetCurrent");\n'
        "  return init(0) || use((void *)1) || product_load();\n}\n"
    )
    library = ahead.out / "product.c"
    for needed, lines in ((49152, []), (49153, ["attribute 8 is 49153"])):
        text, count = re.subn(
            r"(\{code_compute_80, .*, )\d+\}", rf"\g<1>{needed}}}", library.read_text()
        )
        assert count == 1
        library.write_text(text)
        build(cc, "-I", ahead.out, source, library, "-o", program, *LIBRARIES)
        assert paper.run(program) == ""
        assert paper.log.read_text().splitlines()[1:] == lines


def test_runs_on_a_gpu(ahead, cc):
    if _runtime.device_count() == 0:
        pytest.skip("there is no GPU")
    ahead.compile("sm_80", "sm_90", "compute_80", "host")
    program = link(cc, ahead, "-std=c99")
    assert run(program, "cuda") == "all is well\n"


def test_floats_of_eight_bits(ahead, cc):
    """C passes codes: those of 1, 2, -2 and the largest number. The kernel multiplies by 2."""
    signature = "*kfp8e4nv, *fp8e4nv, fp8e5, i32, 4"
    ahead.compile("compute_80", "host", kernel="narrow", signature=signature)
    source = ahead.folder / "eight.c"
    source.write_text(
        '#include "narrow.h"\n#include <stdio.h>\n'
        "int main(void) {\n"
        "  const uint8_t x[4] = {0x38, 0x40, 0xC0, 0x7E};\n"
        "  uint8_t y[4] = {0};\n"
        "  int code = narrow_launch_host(1, 1, 1, x, y, 0x40, 4);\n"
        '  printf("%d: %x %x %x %x", code, y[0], y[1], y[2], y[3]);\n'
        "  return 0;\n}\n"
    )
    program = ahead.folder / "eight"
    files = [source, ahead.out / "narrow.c", *ahead.out.glob("*.o")]
    build(cc, *STRICT, "-std=c99", "-I", ahead.out, *files, "-o", program, *LIBRARIES)
    assert run(program) == "0: 40 48 c8 7e"


def test_several_kernels_in_one_program(ahead, cc):
    ahead.compile("host")
    ahead.compile("host", more=["--name", "wide"], signature=MIXED.replace("1024", "4096"))
    ahead.compile("host", kernel="mark", signature="")
    source = ahead.folder / "both.c"
    source.write_text(
        '#include "mark.h"\n#include "mixed.h"\n#include "wide.h"\n'
        "int main(void) {\n"
        "  return mark_launch_host(2, 2, 2) || mixed_launch_host(0, 0, 0, 0, 0, 0, 0, 0, 0, 1) ||\n"
        "         wide_launch_host(0, 0, 0, 0, 0, 0, 0, 0, 0, 1);\n}\n"
    )
    program = ahead.folder / "both"
    files = [source, *ahead.out.glob("*.c"), *ahead.out.glob("*.o")]
    build(cc, "-std=c99", *STRICT, "-I", ahead.out, *files, "-o", program, *LIBRARIES)
    assert run(program) == ""
