# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that read and write memory: masks, strides, block pointers, loaded indices."""

import numpy as np
import triton
import triton.language as tl
from arrays import integers, normal, zeros
from program import launched


@launched(
    normal(300), zeros(512),
    expected=lambda x, out: np.concatenate([x, np.full(212, -7, "float32")]),
)  # fmt: skip
@triton.jit
def fills_what_a_mask_leaves_out(x_ptr, out_ptr):
    offsets = tl.arange(0, 512)
    x = tl.load(x_ptr + offsets, mask=offsets < 300, other=-7.0)
    tl.store(out_ptr + offsets, x)


@launched(
    normal(30, 50), zeros(30, 50), 50, 50, 30, 50, BLOCK=32, grid=(1, 2),
    expected=lambda x, out: x * 2,
)  # fmt: skip
@triton.jit
def walks_over_a_matrix(x_ptr, out_ptr, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    mask = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * x_stride + column, mask=mask, other=0.0)
    tl.store(out_ptr + row * out_stride + column, x * 2, mask=mask)


@launched(normal(64, 32), zeros(32, 64), expected=lambda x, out: x.T.copy())
@triton.jit
def writes_columns_as_rows(x_ptr, out_ptr):
    row = tl.arange(0, 64)[:, None]
    column = tl.arange(0, 32)[None, :]
    x = tl.load(x_ptr + row * 32 + column)
    tl.store(out_ptr + column * 64 + row, x)


@launched(normal(100, 100), zeros(64, 64), expected=lambda x, out: _corner(x))
@triton.jit
def reads_by_block_pointers(x_ptr, out_ptr):
    x = tl.make_block_ptr(x_ptr, (100, 100), (100, 1), (64, 32), (64, 32), (1, 0))
    out = tl.make_block_ptr(out_ptr, (64, 64), (64, 1), (0, 0), (64, 32), (1, 0))
    for _ in range(2):
        block = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        tl.store(out, block)
        x = tl.advance(x, (0, 32))
        out = tl.advance(out, (0, 32))


def _corner(x):
    found = np.zeros((64, 64), "float32")
    found[:36] = x[64:, 32:96]
    return found


@launched(
    normal(128), integers(64, low=0, high=128), zeros(64),
    expected=lambda x, places, out: x[places],
)  # fmt: skip
@triton.jit
def reads_at_places_that_memory_has(x_ptr, places_ptr, out_ptr):
    offsets = tl.arange(0, 64)
    tl.store(out_ptr + offsets, tl.load(x_ptr + tl.load(places_ptr + offsets)))


@launched(
    normal(64), np.random.default_rng(0).permutation(64).astype("int32"), zeros(64),
    expected=lambda x, places, out: x[np.argsort(places)],
)  # fmt: skip
@triton.jit
def writes_at_places_that_memory_has(x_ptr, places_ptr, out_ptr):
    offsets = tl.arange(0, 64)
    tl.store(out_ptr + tl.load(places_ptr + offsets), tl.load(x_ptr + offsets))


@launched(normal(8), zeros(8), grid=(8,), expected=lambda x, out: np.where(x > 0, x, 10 * x))
@triton.jit
def works_on_single_numbers(x_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    if x > 0:
        tl.store(out_ptr + i, x)
    else:
        tl.store(out_ptr + i, x * 10)


@launched(
    np.arange(128) % 3 == 0, normal(128), zeros(128), zeros(128, dtype="bool"),
    expected=lambda m, x, *_: (np.where(m, x, 0), ~m),
)  # fmt: skip
@triton.jit
def keeps_truth_in_memory(mask_ptr, x_ptr, out_ptr, not_ptr):
    offsets = tl.arange(0, 128)
    mask = tl.load(mask_ptr + offsets)
    tl.store(out_ptr + offsets, tl.where(mask, tl.load(x_ptr + offsets), 0.0))
    tl.store(not_ptr + offsets, mask == 0)


@launched(
    integers(64, low=0, high=2**32, dtype="uint32"), zeros(64, dtype="uint32"),
    expected=lambda x, out: x.view("uint8").reshape(64, 4)[:, ::-1].copy().view("uint32")[:, 0],
)  # fmt: skip
@triton.jit
def reads_bytes_of_words(x_ptr, out_ptr):
    bytes = x_ptr.to(tl.pointer_type(tl.uint8))
    places = tl.arange(0, 64) * 4
    word = tl.zeros((64,), tl.uint32)
    for i in tl.static_range(4):
        word = (word << 8) | tl.load(bytes + places + i).to(tl.uint32)
    tl.store(out_ptr + tl.arange(0, 64), word)


@launched(normal(256), zeros(256), expected=lambda x, out: x)
@triton.jit
def says_how_to_cache(x_ptr, out_ptr):
    offsets = tl.max_contiguous(tl.multiple_of(tl.arange(0, 256), 16), 16)
    x = tl.load(x_ptr + offsets, eviction_policy="evict_last")
    y = tl.load(x_ptr + offsets, cache_modifier=".cg")
    tl.store(out_ptr + offsets, x, eviction_policy="evict_first")
    tl.store(out_ptr + offsets, y, cache_modifier=".cs")


@launched(
    integers(64, low=0, high=2**31 - 1), integers(64, high=2**62, dtype="int64"),
    zeros(64, dtype="int64"), 2**40, -3, expected=lambda x, y, out: x + y + (2**40 - 3),
)  # fmt: skip
@triton.jit
def counts_with_64_bits(x_ptr, y_ptr, out_ptr, large, small):
    offsets = tl.arange(0, 64)
    x = tl.load(x_ptr + offsets).to(tl.int64)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets) + large + small)


@launched(zeros(64), 2.5, expected=lambda out, *_: np.full(64, 2.5, "float32"))
@triton.jit
def stores_one_number_everywhere(out_ptr, value):
    tl.store(out_ptr + tl.arange(0, 64), value)


@launched(
    zeros(2, 3, 4, dtype="int32"), grid=(2, 3, 4),
    expected=lambda out: np.arange(24, dtype="int32").reshape(2, 3, 4) + 234,
)  # fmt: skip
@triton.jit
def knows_its_place_in_the_grid(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    extents = tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2)
    place = (x * 3 + y) * 4 + z
    tl.store(out_ptr + place, place + extents)
