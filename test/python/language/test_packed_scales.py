# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in microscaling formats whose scales have the order in which tensor cores of compute
capability 10.0 read them: 512 bytes hold the scales of 128 rows with 4 scales each. Kernels load
them by descriptors of five dimensions."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import TensorDescriptor
from test_dot_scaled import factor, table


@eft.jit
def block_scaled(
    a_desc, a_scale_desc, b_desc, b_scale_desc, c_desc, M: tl.constexpr, K: tl.constexpr,
    A_PER_BYTE: tl.constexpr, B_PER_BYTE: tl.constexpr, RUN: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    program, down = tl.program_id(0), tl.cdiv(M, BM)
    row, column = program % down, program // down
    a_format: tl.constexpr = "e2m1" if A_PER_BYTE == 2 else "e4m3"
    b_format: tl.constexpr = "e2m1" if B_PER_BYTE == 2 else "e4m3"
    a_k = b_k = scale_k = 0
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, tl.cdiv(K, BK), num_stages=STAGES):
        a = a_desc.load([row * BM, a_k])
        b = b_desc.load([column * BN, b_k])
        a_scale = a_scale_desc.load([0, row * (BM // 128), scale_k, 0, 0])
        b_scale = b_scale_desc.load([0, column * (BN // 128), scale_k, 0, 0])
        a_scale = unpacked(a_scale, BM, BK // RUN)
        b_scale = unpacked(b_scale, BN, BK // RUN)
        total = tl.dot_scaled(a, a_scale, a_format, b.T, b_scale, b_format, total)
        a_k += BK // A_PER_BYTE
        b_k += BK // B_PER_BYTE
        scale_k += BK // RUN // 4
    c_desc.store([row * BM, column * BN], total.to(c_desc.dtype))


@eft.jit
def unpacked(scales, ROWS: tl.constexpr, RUNS: tl.constexpr):
    """Brings packed scales into the order of rows."""
    each = scales.reshape(ROWS // 128, RUNS // 4, 32, 4, 4)
    return each.trans(0, 3, 2, 1, 4).reshape(ROWS, RUNS)


def packed_scales(scales: np.ndarray) -> np.ndarray:
    rows, runs = scales.shape
    each = scales.reshape(rows // 128, 4, 32, runs // 4, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(each).reshape(1, rows // 128, runs // 4, 2, 256)


FORMS = {
    "mxfp8": ("e4m3", "e4m3", 32),
    "mxfp4": ("e2m1", "e2m1", 32),
    "nvfp4": ("e2m1", "e2m1", 16),
    "mixed": ("e4m3", "e2m1", 32),
}


@pytest.mark.parametrize("form", FORMS)
def test_products_with_packed_scales(device, form):
    *formats, run = FORMS[form]
    m, n, k = 256, 128, 512
    bm, bn, bk = 128, 128, 256
    random = np.random.default_rng(run)
    descriptors, wide = [], []
    for format, rows, seed in zip(formats, (m, n), (1, 2), strict=True):
        codes, values = factor(format, (rows, k), seed, pack_axis=1)
        if run == 16:
            scales = random.integers(0x30, 0x40, (rows, k // run)).astype(np.uint8)
            numbers = table("fp8e4nv")[scales]
        else:
            scales = random.integers(125, 130, (rows, k // run)).astype(np.uint8)
            numbers = 2.0 ** (scales.astype(np.float64) - 127)
        wide.append(values * np.repeat(numbers, run, axis=1))
        packed = packed_scales(scales)
        if run == 16:
            packed = packed.view(np.dtype("float8_e4m3fn"))
        rep = (bm if rows == m else bn) // 128
        per_byte = 2 if format == "e2m1" else 1
        descriptors += [
            TensorDescriptor.from_tensor(device.put(codes), [128, bk // per_byte]),
            TensorDescriptor.from_tensor(device.put(packed), [1, rep, bk // run // 4, 2, 256]),
        ]
    out = device.put(np.full((m, n), np.nan, np.float32))
    block_scaled[(m // bm) * (n // bn),](
        *descriptors, TensorDescriptor.from_tensor(out, [bm, bn]), m, k,
        *(2 if format == "e2m1" else 1 for format in formats), run, bm, bn, bk, 4,
    )  # fmt: skip
    np.testing.assert_array_equal(device.get(out), wide[0] @ wide[1].T)
