# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose programs change the same memory at the same time."""

import numpy as np
import triton
import triton.language as tl
from arrays import integers, zeros
from program import launched


@triton.jit
def meets_in_memory(x_ptr, out_ptr, OP: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * 64 + tl.arange(0, 64))
    getattr(tl, "atomic_" + OP)(out_ptr + tl.arange(0, 64), x)


def _over_programs(function):
    def expected(x, out):
        return function.reduce(np.concatenate([out[None], x.reshape(8, 64)]), 0, x.dtype)

    return expected


for _name, _function in {
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}.items():
    launched(
        integers(512), integers(64, seed=1), _name, grid=(8,), case=_name,
        expected=_over_programs(_function),
    )(meets_in_memory)  # fmt: skip
for _dtype in ("float32", "float16", "float64"):
    launched(
        integers(512, dtype=_dtype), integers(64, seed=1, dtype=_dtype), "add", grid=(8,),
        case=f"add_{_dtype}", expected=_over_programs(np.add),
    )(meets_in_memory)  # fmt: skip
for _name, _function in {"max": np.maximum, "min": np.minimum}.items():
    launched(
        integers(512, dtype="float32"), integers(64, seed=1, dtype="float32"), _name, grid=(8,),
        case=f"{_name}_float32", expected=_over_programs(_function),
    )(meets_in_memory)  # fmt: skip
launched(
    integers(512, high=2**61, dtype="int64"), integers(64, dtype="int64"), "add", grid=(8,),
    case="add_int64", expected=_over_programs(np.add),
)(meets_in_memory)  # fmt: skip


@launched(
    integers(64), integers(64, seed=1), zeros(64, dtype="int32"), zeros(64, dtype="int32"),
    expected=lambda x, memory, *_: (
        np.where(memory > 0, 5, np.where(np.arange(64) < 40, x, memory)),
        memory,
        np.where(np.arange(64) < 40, memory, 0),
    ),
)  # fmt: skip
@triton.jit
def exchanges_and_returns_what_was(x_ptr, memory_ptr, was_ptr, exchanged_ptr):
    offsets = tl.arange(0, 64)
    some = offsets < 40
    was = tl.load(memory_ptr + offsets)
    tl.store(was_ptr + offsets, was)
    old = tl.atomic_xchg(memory_ptr + offsets, tl.load(x_ptr + offsets), mask=some)
    tl.store(exchanged_ptr + offsets, old, mask=some)
    tl.debug_barrier()
    tl.store(memory_ptr + offsets, 5, mask=was > 0)


@launched(zeros(1, dtype="int32"), grid=(100,), expected=lambda out: np.array([100], "int32"))
@triton.jit
def counts_with_a_loop_around_a_comparison(count_ptr):
    old = tl.load(count_ptr)
    seen = tl.atomic_cas(count_ptr, old, old + 1)
    while seen != old:
        old = seen
        seen = tl.atomic_cas(count_ptr, old, old + 1)


@launched(
    zeros(2, dtype="int32"), zeros(64, dtype="int32"), grid=(64,),
    expected=lambda counts, out: (np.array([64, 128], "int32"), np.arange(64, dtype="int32")),
)  # fmt: skip
@triton.jit
def draws_a_ticket(counts_ptr, out_ptr):
    ticket = tl.atomic_add(counts_ptr, 1, sem="relaxed", scope="gpu")
    tl.atomic_add(counts_ptr + 1, 2, sem="release")
    tl.store(out_ptr + ticket, ticket)
