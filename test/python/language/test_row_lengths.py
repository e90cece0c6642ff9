# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices whose rows are not multiples of 16 elements."""

import re

import eft.language as tl
import numpy as np
import pytest
from products import matmul
from support import assert_same_bits


def code(dtype, out, m, n, k, b_strides=None):
    arguments = dtype, dtype, out, m, n, k, k, 1, *(b_strides or (n, 1))
    options = {"BM": 128, "BN": 128, "BK": 64, "num_warps": 4, "target": "sm_90"}
    return matmul.warmup(*arguments, **options).asm["ptx"]


def copies(ptx: str) -> set[int]:
    """The sizes in bytes of the asynchronous copies."""
    return {int(size) for size in re.findall(r"cp\.async\.c[ag].*\], (\d+)", ptx)}


@pytest.mark.parametrize("n, k", [(4096, 4104), (1000, 4096), (4104, 1000)])
@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16])
def test_rows_of_16_bytes_are_copied_like_those_of_16_elements(dtype, n, k):
    ptx = code(dtype, tl.float32, 4096, n, k)
    assert "wgmma.mma_async" in ptx and copies(ptx) == {16}
    assert ptx == code(dtype, tl.float32, 4096, 4096, 4096)


def test_the_size_of_an_element_tells_the_length():
    assert copies(code(tl.int8, tl.int32, 128, 1008, 1008)) == {16}
    assert copies(code(tl.int8, tl.int32, 128, 1004, 1004)) == {4}
    # The rows of both factors lie along k, since wgmma takes f32 only in this way.
    assert copies(code(tl.float32, tl.float32, 128, 1004, 1004, (1, 1004))) == {16}


@pytest.mark.parametrize("n, k, sizes", [(4096, 4100, {4, 16}), (4098, 4098, {4}), (99, 96, {16})])
def test_rows_of_4_bytes_are_copied(n, k, sizes):
    ptx = code(tl.float16, tl.float32, 4096, n, k)
    assert "wgmma.mma_async" in ptx and copies(ptx) == sizes


@pytest.mark.parametrize("n, k", [(200, 136), (72, 1000), (100, 68), (98, 102), (97, 33)])
def test_products_of_such_rows(device, n, k):
    random = np.random.default_rng(k)
    a = random.integers(-4, 5, (150, k)).astype(np.float16)
    b = random.integers(-4, 5, (k, n)).astype(np.float16)
    out = device.put(np.full((150, n), -1, np.float32))
    grid = 2, -(-n // 128)
    matmul[grid](
        device.put(a), device.put(b), out, 150, n, k, k, 1, n, 1, BM=128, BN=128, BK=64
    )  # fmt: skip
    assert_same_bits(device.get(out), a.astype(np.float32) @ b.astype(np.float32))
