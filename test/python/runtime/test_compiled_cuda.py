# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of compiled kernels without their kernel object, with the fake driver."""

import eft
import eft.language as tl
from eft.triton.backends.compiler import GPUTarget
from eft.triton.compiler import compiler
from runtime_fake_cuda import GPU0, GPU1, CudaArray, message, with_fake_cuda


@eft.jit
def fill(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 1.0, mask=offsets < n)


def compiled():
    source = compiler.ASTSource(fill, {"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 64})
    return compiler.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2})


def launches(fake) -> list[str]:
    """The device, the grid and the threads of each launch in the log."""
    found = []
    for line in fake.launches():
        words = line.split()
        at = {name: words.index(name) + 1 for name in ("grid", "block")}
        found.append(f"{words[3]}: {words[at['grid']]} x {words[at['block']]}")
    return found


@with_fake_cuda
def test_a_kernel_of_a_target_is_loaded_where_the_arrays_are(fake):
    made = compiled()
    assert "cubin" in made.asm
    made[(3,)](CudaArray(GPU0), 100, 64)
    made[(4, 1, 1)](CudaArray(GPU1), 100, 64)
    made.run(
        5, 1, 1, 0, made.function, made.packed_metadata, None, None, None, CudaArray(GPU0), 7, 64
    )
    assert launches(fake) == ["0: 3 x 64", "1: 4 x 64", "0: 5 x 64"]
    assert made.module.device == 0


@with_fake_cuda
def test_what_a_warmup_returns_is_launched_by_itself(fake):
    kernel = fill.warmup(CudaArray(GPU1), 100, BLOCK=64, grid=(1,))
    kernel._init_handles()
    assert (kernel.n_regs, kernel.n_spills) == (32, 0)
    kernel[(3,)](CudaArray(GPU1), 100, 64)
    assert launches(fake) == ["1: 3 x 128"]
    assert message(lambda: kernel[(3,)](CudaArray(GPU0), 100, 64), ValueError) == (
        "kernel 'fill' is loaded on cuda:1, and its arrays are on cuda:0"
    )


@with_fake_cuda
def test_registers_and_spilled_words_are_known_once_a_kernel_is_loaded(fake):
    fake.use_resources(40, 96)
    made = compiled()
    assert (made.n_regs, made.n_spills) == (None, None)
    made._init_handles()
    assert (made.n_regs, made.n_spills) == (40, 24)
    launched = fill[(1,)](CudaArray(GPU0), 100, BLOCK=64)
    assert (launched.n_regs, launched.n_spills) == (40, 24)
