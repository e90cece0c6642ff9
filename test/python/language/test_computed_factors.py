# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose factors are computed from loaded values in the loop: 8-bit weights are converted,
4-bit weights are unpacked and scaled by groups, a first factor is scaled. On a GPU, the loaded
values are copied to shared memory one or more iterations ahead. All results are exact."""

import eft
import eft.language as tl
import numpy as np
import pytest


@eft.jit
def converted(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    b_k,
    b_n,
    SCALES_A: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m % M)[:, None] * K + k[None, :]
    b_ptrs = b_ptr + k[:, None] * b_k + (n % N)[None, :] * b_n
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BLOCK_K, other=0)
        if SCALES_A:
            a = a * (1 + k % 2)[None, :].to(a.dtype)
        acc = tl.dot(a, b.to(a.dtype), acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * b_k
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=inside)


@eft.jit
def unpacked(
    a_ptr,
    words_ptr,
    scales_ptr,
    c_ptr,
    M,
    N,
    K,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each 32-bit word holds eight consecutive 4-bit weights of a column."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m % M)[:, None] * K + k[None, :]
    word_ptrs = words_ptr + (k // 8)[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs)
        words = tl.load(word_ptrs)
        scales = tl.load(scales_ptr + i * BLOCK_K // GROUP * N + n)
        weights = ((words >> (k % 8 * 4)[:, None]) & 15) - 8
        acc = tl.dot(a, weights.to(a.dtype) * scales[None, :], acc)
        a_ptrs += BLOCK_K
        word_ptrs += BLOCK_K // 8 * N
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=inside)


BLOCKS = [(128, 128, 64, 8), (64, 128, 32, 4), (128, 64, 64, 4), (16, 64, 64, 4), (64, 64, 128, 8)]


@pytest.mark.parametrize("scales_a", [False, True])
@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("num_stages", [1, 2, 4])
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("shape", [(128, 128, 256), (130, 72, 200), (64, 144, 48)])
def test_converted_weights(device, shape, blocks, num_stages, by_columns, scales_a):
    M, N, K = shape
    numbers = np.random.default_rng(M)
    a = numbers.integers(-4, 5, (M, K)).astype(np.float16)
    b = numbers.integers(-128, 128, (K, N)).astype(np.int8)
    stored = np.ascontiguousarray(b.T).T if by_columns else b
    c = device.put(np.full((M, N), np.nan, np.float32))
    block_m, block_n, block_k, num_warps = blocks
    strides = (1, K) if by_columns else (N, 1)
    converted[(eft.cdiv(M, block_m), eft.cdiv(N, block_n))](
        device.put(a),
        device.put(stored.T if by_columns else stored),
        c,
        *shape,
        *strides,
        SCALES_A=scales_a,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    factor = 1 + np.arange(K) % block_k % 2 if scales_a else 1
    expected = (a * factor).astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(device.get(c), expected)


@pytest.mark.parametrize("num_stages", [1, 3])
@pytest.mark.parametrize("blocks", BLOCKS[:4])
@pytest.mark.parametrize("group", [64, 128])
def test_unpacked_weights(device, group, blocks, num_stages):
    M, N, K = 100, 128, 512
    block_m, block_n, block_k, num_warps = blocks
    numbers = np.random.default_rng(group)
    a = numbers.integers(-4, 5, (M, K)).astype(np.float16)
    weights = numbers.integers(0, 16, (K, N))
    shifts = np.arange(8)[None, :, None] * 4
    words = (weights.reshape(K // 8, 8, N) << shifts).sum(1).astype(np.uint32).view(np.int32)
    scales = 2.0 ** numbers.integers(-2, 3, (K // group, N))
    c = device.put(np.full((M, N), np.nan, np.float32))
    unpacked[(eft.cdiv(M, block_m), eft.cdiv(N, block_n))](
        device.put(a),
        device.put(words),
        device.put(scales.astype(np.float16)),
        c,
        M,
        N,
        K,
        GROUP=group,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    expected = a.astype(np.float64) @ ((weights - 8) * np.repeat(scales, group, 0))
    np.testing.assert_array_equal(device.get(c), expected)
