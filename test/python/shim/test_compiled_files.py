# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that `triton.compile` reads from files: block IR, and PTX."""

from __future__ import annotations

import pickle
import re

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.triton.backends.compiler import GPUTarget
from eft.triton.compiler import compiler
from support import assert_same_bits

CPU, GPU = GPUTarget("cpu", None, 1), GPUTarget("cuda", 80, 32)


@eft.jit
def scales(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, x * factor, mask=offsets < n)


@eft.jit
def reverses(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.flip(tl.load(x_ptr + offsets)))


def of(kernel, types: str, target=CPU, **constexprs) -> compiler.CompiledKernel:
    names = [name for name in kernel.arg_names if name not in constexprs]
    signature = dict(zip(names, types.split(), strict=True))
    signature |= dict.fromkeys(constexprs, "constexpr")
    return compiler.compile(compiler.ASTSource(kernel, signature, constexprs), target=target)


def written(folder, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


SCALES = scales, "*fp32 *fp32 i32 fp32"


@pytest.mark.parametrize("ending", ["ttir", "mlir"])
def test_block_ir_runs_as_the_kernel_that_it_was_made_of(tmp_path, ending):
    text = of(*SCALES, BLOCK=64).asm["ttir"]
    made = compiler.compile(written(tmp_path, f"k.{ending}", text), target=CPU)
    assert made.src.signature == {0: "*fp32", 1: "*fp32", 2: "i32", 3: "fp32"}
    assert (made.name, made.metadata.name, made.metadata.target) == ("scales", "scales", CPU)
    assert made.asm["ttir"] == text and "asm" in made.asm
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    made[(2,)](x, y, 100, 2.5)
    assert_same_bits(y, x * np.float32(2.5))


def test_block_ir_is_compiled_with_options_for_a_gpu(tmp_path):
    path = written(tmp_path, "k.ttir", of(*SCALES, BLOCK=512).asm["ttir"])
    made = compiler.compile(path, target=GPU, options={"num_warps": 2, "maxnreg": 32})
    assert (made.metadata.num_warps, made.metadata.maxnreg) == (2, 32)
    assert ".maxntid 64, 4, 1" in made.asm["ptx"] and ".maxnreg 32" in made.asm["ptx"]
    assert made.hash != compiler.compile(path, target=GPU).hash
    facts = pickle.loads(pickle.dumps(made.asm))
    assert facts["ptx"] == made.asm["ptx"]


def test_ptx_has_a_name_types_and_threads(tmp_path):
    text = of(*SCALES, target=GPU, BLOCK=512).asm["ptx"]
    made = compiler.compile(written(tmp_path, "k.ptx", text), target=GPU)
    assert made.src.signature == {0: "b64", 1: "b64", 2: "i32", 3: "fp32"}
    assert (made.name, made.metadata.num_warps, made.metadata.shared) == ("scales", 4, 0)
    assert made.asm["ptx"] == text


def test_ptx_with_shared_memory_needs_to_be_told_how_much(tmp_path):
    source = of(reverses, "*i32 *i32", target=GPU, BLOCK=256)
    path = written(tmp_path, "k.ptx", source.asm["ptx"])
    with pytest.raises(eft.CompilationError, match="does not say how many bytes of shared memory"):
        compiler.compile(path, target=GPU)
    made = compiler.compile(path, target=GPU, options={"shared": source.metadata.shared})
    assert made.metadata.shared == source.metadata.shared > 0


def test_options_that_a_kernel_in_a_file_contradicts(tmp_path):
    path = written(tmp_path, "k.ptx", of(*SCALES, target=GPU, BLOCK=512).asm["ptx"])
    assert compiler.compile(path, target=GPU, options={"num_warps": 4}).metadata.num_warps == 4
    message = "the PTX is for 4 warps, but the option 'num_warps' is 8"
    with pytest.raises(eft.CompilationError, match=message):
        compiler.compile(path, target=GPU, options={"num_warps": 8})
    message = "kernel 'scales': option 'shared' must be a number of bytes, got '64'"
    with pytest.raises(TypeError, match=message):
        compiler.compile(path, target=GPU, options={"shared": "64"})


@pytest.mark.parametrize(
    "threads, warps",
    [(".reqntid 64, 2, 1", 4), (".maxntid 64, 4, 1", 2), (".maxntid 128, 1, 1", 4)],
)
def test_threads_of_a_program_in_ptx(tmp_path, threads, warps):
    """Where `.maxntid` gives several rows of threads, a program has one of them."""
    path = written(tmp_path, "k.ptx", f".visible .entry k(.param .u64 a)\n{threads}\n{{ ret; }}")
    assert compiler.compile(path, target=GPU).metadata.num_warps == warps


@pytest.mark.parametrize(
    "ending, options, idle",
    [
        ("ptx", {"num_stages": 5, "maxnreg": 32, "debug": False}, "PTX .*: maxnreg, num_stages"),
        ("ttir", {"shared": 64, "debug": True, "num_ctas": 1}, "block IR .*: debug, shared"),
        ("ttir", {"num_warp": 8, "num_warps": 4}, "block IR .*: num_warp"),
    ],
)
def test_options_without_effect_on_a_file_are_named(tmp_path, ending, options, idle):
    path = written(tmp_path, f"k.{ending}", of(*SCALES, target=GPU, BLOCK=512).asm[ending])
    with pytest.warns(UserWarning, match=f"^options without effect on {idle}$") as seen:
        compiler.compile(path, target=GPU, options=options)
    assert seen[0].filename == __file__


def test_wrong_options_of_a_file(tmp_path):
    path = written(tmp_path, "k.ttir", of(*SCALES, BLOCK=64).asm["ttir"])
    message = "kernel 'scales': option 'num_warps' must be a power of two from 1 to 32, got 3"
    with pytest.raises(TypeError, match=message):
        compiler.compile(path, target=GPU, options={"num_warps": 3})


def test_ptx_runs_as_the_kernel_that_it_was_made_of(device, tmp_path):
    if device.name == "cpu":
        pytest.skip("the CPU does not run PTX")
    from eft.triton.runtime.driver import driver

    target = driver.active.get_current_target()
    source = of(reverses, "*i32 *i32", target=target, BLOCK=256)
    path = written(tmp_path, "k.ptx", source.asm["ptx"])
    made = compiler.compile(path, options={"shared": source.metadata.shared})
    x = np.arange(256, dtype=np.int32)
    y = device.put(np.zeros_like(x))
    made[(1,)](device.put(x), y)
    assert_same_bits(device.get(y), x[::-1])


def test_a_mistake_in_block_ir_is_shown_at_its_place(tmp_path):
    text = of(*SCALES, BLOCK=64).asm["ttir"].replace("eft.arange 0 to 64", "eft.arange 0 to 24")
    path = written(tmp_path, "k.ttir", text)
    with pytest.raises(eft.CompilationError) as raised:
        compiler.compile(path, target=CPU)
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "eft.arange" in line)
    assert (raised.value.file, raised.value.line) == (path, line)
    assert "eft.arange" in raised.value.source


TRITON = "module {\n  tt.func public @k(%arg0: !tt.ptr<f32>) {\n    tt.return\n  }\n}\n"


@pytest.mark.parametrize(
    "name, text, target, message",
    [
        ("k.ttir", TRITON, CPU, "this is Triton's IR; Eft reads the block IR that it writes"),
        ("k.ttir", "module {}", CPU, "expected one kernel, got 0"),
        ("k.ptx", "", GPU, "expected one kernel, a '.visible .entry', got 0"),
        ("k.ptx", ".visible .entry k() {}", GPU, "does not say how many threads a program has"),
        ("k.ptx", ".visible .entry k(.param .u64 a) {}", CPU, "PTX runs on a GPU, not on cpu"),
        (
            "k.ptx",
            ".visible .entry k(.param .u64 a)\n.reqntid 24, 2, 1",
            GPU,
            "a program has 48 threads, expected a multiple of 32",
        ),
        (
            "k.ptx",
            ".visible .entry k(.param .align 8 .b8 a[16])\n.reqntid 32",
            GPU,
            "the kernel takes an array of the type .b8",
        ),
    ],
)
def test_files_that_hold_no_kernel(tmp_path, name, text, target, message):
    path = written(tmp_path, name, text)
    with pytest.raises(eft.CompilationError, match=re.escape(message)) as raised:
        compiler.compile(path, target=target)
    assert raised.value.file == path


@pytest.mark.parametrize("name", ["k.ttgir", "k.llir", "k.cubin", "k"])
def test_files_of_other_kinds(tmp_path, name):
    path = written(tmp_path, name, "")
    message = (
        "compile takes an ASTSource, or a file of Eft's block IR (.ttir or .mlir) or of PTX "
        f"(.ptx), got {path!r}"
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        compiler.compile(path, target=CPU)


def test_the_arguments_of_a_launch_must_fit_a_file(tmp_path):
    text = of(*SCALES, BLOCK=64).asm["ttir"]
    made = compiler.compile(written(tmp_path, "k.ttir", text), target=CPU)
    x = np.zeros(100, np.float32)
    message = "kernel 'scales' was compiled for i32 as 'argument 2', got *fp32"
    with pytest.raises(TypeError, match=re.escape(message)):
        made[(2,)](x, x, x, 2.5)
