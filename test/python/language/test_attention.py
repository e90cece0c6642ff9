# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention's forward pass in the form of Triton's tutorial, against NumPy in fp64."""

import eft
import eft.language as tl
import numpy as np
import pytest


@eft.jit
def attention(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    m_ptr,
    scale,
    length,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """The scores, their exponentials, and the blocks with a number for each row keep the layout of
    the first product."""
    start_m = tl.program_id(0)
    head = tl.program_id(1) * length * D
    rows = start_m * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :])
    k_block = k_ptr + head + columns[:, None] * D + d[None, :]
    v_block = v_ptr + head + columns[:, None] * D + d[None, :]
    m = tl.zeros([ROWS], dtype=tl.float32) - float("inf")
    total = tl.zeros([ROWS], dtype=tl.float32) + 1.0
    acc = tl.zeros([ROWS, D], dtype=tl.float32)
    scale *= 1.44269504
    for start_n in range(0, (start_m + 1) * ROWS if CAUSAL else length, COLUMNS):
        k = tl.load(k_block)
        qk = tl.dot(q, tl.trans(k))
        if CAUSAL:
            visible = rows[:, None] >= start_n + columns[None, :]
            qk = qk * scale + tl.where(visible, 0, -1.0e6)
            m_next = tl.maximum(m, tl.max(qk, 1))
            qk -= m_next[:, None]
        else:
            m_next = tl.maximum(m, tl.max(qk, 1) * scale)
            qk = qk * scale - m_next[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m - m_next)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_block)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m = m_next
        k_block += COLUMNS * D
        v_block += COLUMNS * D
    tl.store(m_ptr + tl.program_id(1) * length + rows, m + tl.math.log2(total))
    acc = acc / total[:, None]
    tl.store(out_ptr + head + rows[:, None] * D + d[None, :], acc.to(out_ptr.dtype.element_ty))


def expected_of(q, k, v, scale, causal):
    """The result, and the base-2 logarithms of the rows' sums of exponentials."""
    q, k, v = (each.astype(np.float64) for each in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    p = np.exp(scores - most)
    total = p.sum(-1, keepdims=True)
    return p / total @ v, ((most + np.log(total)) / np.log(2))[..., 0]


CASES = [
    # length, D, rows, columns, warps
    (64, 16, 16, 16, 1),
    (64, 32, 32, 16, 2),
    (128, 64, 64, 32, 4),
    (128, 64, 128, 64, 4),
    (128, 64, 128, 64, 8),
    (128, 32, 64, 64, 8),
    (128, 16, 32, 128, 8),
    (64, 128, 16, 32, 2),
    (64, 64, 64, 64, 16),
]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length, depth, rows, columns, num_warps", CASES)
def test_forward(device, length, depth, rows, columns, num_warps, causal):
    numbers = np.random.default_rng(length + depth)
    shape = (2, length, depth)
    q, k, v = (numbers.standard_normal(shape).astype(np.float16) for _ in "qkv")
    out = device.put(np.full(shape, np.nan, np.float16))
    logs = device.put(np.full(shape[:2], np.nan, np.float32))
    arrays = [device.put(each) for each in (q, k, v)]
    if causal:
        rows = max(rows, columns)  # a block of columns must end where a block of rows ends
    attention[(length // rows, 2)](
        *arrays,
        out,
        logs,
        0.3,
        length,
        D=depth,
        ROWS=rows,
        COLUMNS=columns,
        CAUSAL=causal,
        num_warps=num_warps,
    )
    expected, expected_logs = expected_of(q, k, v, 0.3, causal)
    np.testing.assert_allclose(device.get(out), expected, atol=4e-3, rtol=4e-3)
    np.testing.assert_allclose(device.get(logs), expected_logs, atol=1e-4, rtol=1e-4)
