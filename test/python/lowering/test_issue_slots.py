# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout takes no more issue slots than recorded here. With a seed, slots bound its speed."""

from __future__ import annotations

import eft
import eft.language as tl
import pytest
from eft.aot.ptxas import describe_ptxas, find_ptxas
from issue_slots import find_nvdisasm, read_ptx, sass_of

BLOCK, WARPS = 1024, 4
ELEMENTS = BLOCK // (32 * WARPS)
#: The assembler of the recorded counts. Other versions make other code.
PTXAS = "ptxas 13.0"


@eft.jit
def masked(x_ptr, keep_ptr, output_ptr, n, p, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.load(keep_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, tl.where(keep != 0, x / (1 - p), 0.0), mask=inside)


@eft.jit
def seeded(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=inside)


@eft.jit
def by_four(x_ptr, output_ptr, n, p, seed, BLOCK: tl.constexpr):
    first = tl.program_id(0) * (BLOCK // 4)
    a, b, c, d = tl.rand4x(seed, first + tl.arange(0, BLOCK // 4))
    random = tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), (BLOCK,))
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(output_ptr + offsets, tl.where(random > p, x / (1 - p), 0.0), mask=inside)


class Unaligned(eft.MockTensor):
    """An array that begins one element after an aligned address."""

    def data_ptr(self) -> int:
        return {tl.float32: 4, tl.float16: 2, tl.int32: 4}[self.dtype]


# For each kernel, type and array: a thread's slots in PTX and in SASS. A thread has 8 elements.
SLOTS = {
    (masked, tl.float32, eft.MockTensor): (71, 62),
    (masked, tl.float16, eft.MockTensor): (78, 74),
    (masked, tl.float32, Unaligned): (94, 79),
    (masked, tl.float16, Unaligned): (104, 97),
    (seeded, tl.float32, eft.MockTensor): (1009, 644),
    (seeded, tl.float16, eft.MockTensor): (1014, 648),
    (seeded, tl.float32, Unaligned): (1026, 661),
    (seeded, tl.float16, Unaligned): (1035, 678),
    (by_four, tl.float32, eft.MockTensor): (382, 251),
    (by_four, tl.float16, eft.MockTensor): (388, 263),
    (by_four, tl.float32, Unaligned): (451, 335),
    (by_four, tl.float16, Unaligned): (460, 353),
}
CASES = [
    pytest.param(*case, *slots, id=f"{case[0].__name__}-{case[1]}-{case[2].__name__}")
    for case, slots in SLOTS.items()
]


def ptx_of(kernel, dtype, array) -> tuple[str, int]:
    """The kernel's PTX, and the number of bytes of memory that a thread accesses."""
    size = {tl.float32: 4, tl.float16: 2}[dtype]
    x, y = array(dtype), array(dtype)
    if kernel is masked:
        made = kernel.warmup(x, array(tl.int32), y, 1 << 20, 0.5, BLOCK=BLOCK, target="sm_90")
        return made.asm["ptx"], ELEMENTS * (2 * size + 4)
    made = kernel.warmup(x, y, 1 << 20, 0.5, 7, BLOCK=BLOCK, target="sm_90")
    return made.asm["ptx"], ELEMENTS * 2 * size


@pytest.mark.parametrize("kernel, dtype, array, in_ptx, in_sass", CASES)
def test_ptx_takes_no_more_slots(kernel, dtype, array, in_ptx, in_sass):
    ptx, size = ptx_of(kernel, dtype, array)
    slots = read_ptx(ptx).usual_slots(size)
    assert slots <= in_ptx


@pytest.mark.parametrize("kernel, dtype, array, in_ptx, in_sass", CASES)
def test_machine_code_takes_no_more_slots(kernel, dtype, array, in_ptx, in_sass):
    if find_nvdisasm() is None:
        pytest.skip("nvdisasm is not installed")
    if not describe_ptxas(find_ptxas()).startswith(f"{PTXAS} "):
        pytest.skip(f"the slots are those of {PTXAS}")
    ptx, size = ptx_of(kernel, dtype, array)
    slots = sass_of(ptx, "sm_90").usual_slots(size)
    assert slots <= in_sass
