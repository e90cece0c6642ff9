# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention that keeps its result normalized in each iteration, as kernels for sequences of several
lengths do, against NumPy in fp64.

Both products of an iteration begin with zeros, so their results may share registers. The queries
are loaded before the loop.
"""

import eft
import eft.language as tl
import numpy as np
import pytest
from test_attention import expected_of


@eft.jit
def attention(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    length,
    scale,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    start_m = tl.program_id(0)
    head = tl.program_id(1) * length * D
    n = tl.arange(0, COLUMNS)
    d = tl.arange(0, D)
    m = start_m * ROWS + tl.arange(0, ROWS)
    at = head + m[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=m[:, None] < length, other=0.0)
    k_ptrs = k_ptr + head + n[None, :] * D + d[:, None]
    v_ptrs = v_ptr + head + n[:, None] * D + d[None, :]
    most = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    acc = tl.zeros([ROWS, D], dtype=tl.float32)
    end = tl.minimum((start_m + 1) * ROWS, length) if CAUSAL else length
    for start in range(0, end, COLUMNS):
        start = tl.multiple_of(start, COLUMNS)
        k = tl.load(k_ptrs + start * D, mask=start + n[None, :] < length, other=0.0)
        scores = tl.dot(q, k) * scale
        seen = start + n[None, :] < length
        if CAUSAL:
            seen = seen & (m[:, None] >= start + n[None, :])
        scores += tl.where(seen, 0, float("-inf"))
        most_here = tl.max(scores, 1)
        p = tl.exp(scores - most_here[:, None])
        total_here = tl.sum(p, 1)
        most_next = tl.maximum(most, most_here)
        alpha = tl.exp(most - most_next)
        beta = tl.exp(most_here - most_next)
        total_next = alpha * total + beta * total_here
        p = p * (beta / total_next)[:, None]
        acc = acc * (total / total_next * alpha)[:, None]
        v = tl.load(v_ptrs + start * D, mask=start + n[:, None] < length, other=0.0)
        acc += tl.dot(p.to(v.dtype), v)
        total = total_next
        most = most_next
    tl.store(out_ptr + at, acc, mask=m[:, None] < length)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("num_stages", [1, 2, 3])
@pytest.mark.parametrize(
    "depth, rows, columns, num_warps",
    [(128, 128, 128, 8), (128, 64, 128, 4), (128, 64, 64, 4), (64, 64, 64, 4), (64, 64, 128, 4)],
)
def test_queries_survive_all_iterations(
    device, depth, rows, columns, num_warps, num_stages, causal
):
    length = 2 * columns + 40
    numbers = np.random.default_rng(columns)
    q, k, v = (numbers.standard_normal((2, length, depth)).astype(np.float16) for _ in "qkv")
    out = device.put(np.full(q.shape, np.nan, np.float16))
    arrays = [device.put(each) for each in (q, k, v)]
    attention[(eft.cdiv(length, rows), 2)](
        *arrays,
        out,
        length,
        0.1,
        D=depth,
        ROWS=rows,
        COLUMNS=columns,
        CAUSAL=causal,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    expected, _ = expected_of(q, k, v, 0.1, causal)
    np.testing.assert_allclose(device.get(out), expected, atol=4e-3, rtol=4e-3)
