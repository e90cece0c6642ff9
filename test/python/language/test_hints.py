# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints to the compiler and to the caches, and the barrier."""

import eft
import eft.language as tl
import numpy as np
import pytest
from support import assert_mistake, mistakes

LOAD = ["", ".ca", ".cg", ".cs", ".cv"]
STORE = ["", ".wb", ".cg", ".cs", ".wt"]
POLICIES = ["", "evict_first", "evict_last", "evict_normal"]


@eft.jit
def cached(
    x_ptr, y_ptr, n, LOAD: tl.constexpr, STORE: tl.constexpr, POLICY: tl.constexpr,
    VOLATILE: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, N)
    x = tl.load(
        x_ptr + i,
        mask=i < n,
        other=7,
        cache_modifier=LOAD,
        eviction_policy=POLICY,
        volatile=VOLATILE,
    )
    tl.store(y_ptr + i, x, mask=i < n + 8, cache_modifier=STORE, eviction_policy=POLICY)
    tl.store(y_ptr + N, tl.load(x_ptr, cache_modifier=LOAD, volatile=VOLATILE))


@pytest.mark.parametrize("load, store", list(zip(LOAD, STORE, strict=True)))
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("volatile", [False, True])
def test_hints_to_the_caches_change_no_result(device, load, store, policy, volatile):
    for dtype in (np.int8, np.float16, np.float32, np.int64):
        x, out = np.arange(1, 257).astype(dtype), device.put(np.zeros(257, dtype))
        cached[1](
            device.put(x), out, 101, LOAD=load, STORE=store, POLICY=policy, VOLATILE=volatile, N=256
        )
        expected = np.concatenate([x[:101], np.full(8, 7), np.zeros(147), x[:1]]).astype(dtype)
        np.testing.assert_array_equal(device.get(out), expected)


@eft.jit
def hinted(x_ptr, y_ptr, start, n, N: tl.constexpr):
    # CHECK-LABEL is in the name: hinted-LABEL: func.func
    # hinted: %[[START:.*]] = eft.hint %{{.*}} divisibility [64] : i32
    # hinted: eft.assume %{{.*}}
    # hinted: eft.hint %{{.*}} divisibility [48] : tensor<64xi32>
    # hinted: eft.hint %{{.*}} contiguity [64] : tensor<64xi32>
    # hinted: eft.hint %{{.*}} constancy [1] : tensor<64xi32>
    start = tl.multiple_of(start, 64)
    tl.assume(n > 0)
    i = start + tl.arange(0, N)
    i = tl.max_constancy(tl.max_contiguous(tl.multiple_of(i, 48), N), (1,))
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


def test_hints_in_the_ir(check_ir):
    check_ir(hinted, "*fp32 *fp32 i32 i32 _", N=64)


def test_hints_that_are_true_change_no_result(device):
    x, out = np.arange(192, dtype=np.float32), device.put(np.zeros(192, np.float32))
    hinted[1](device.put(x), out, 64, 100, N=64)
    np.testing.assert_array_equal(device.get(out)[64:100], x[64:100])
    assert not device.get(out)[100:].any()


@eft.jit
def turned_around(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, i)
    tl.debug_barrier()
    x = tl.load(x_ptr + N - 1 - i)
    tl.debug_barrier()
    tl.store(x_ptr + i, x)


@pytest.mark.parametrize("n", [64, 4096])
def test_behind_a_barrier_every_position_sees_what_others_stored(device, n):
    out = device.put(np.zeros(n, np.int32))
    turned_around[1](out, N=n)
    np.testing.assert_array_equal(device.get(out), np.arange(n)[::-1])


@eft.jit
def negative_hint(x_ptr, n):
    tl.multiple_of(n, -1)


@eft.jit
def hint_of_another_rank(x_ptr, n):
    tl.max_contiguous(tl.arange(0, 8), (8, 1))


@eft.jit
def hint_at_run_time(x_ptr, n):
    tl.max_constancy(tl.arange(0, 8), n)


@eft.jit
def assumption_of_a_block(x_ptr, n):
    tl.assume(tl.arange(0, 8) < n)


@eft.jit
def bad_policy(x_ptr, n):
    tl.load(x_ptr, eviction_policy="evict_some")


@eft.jit
def bad_modifier(x_ptr, n):
    tl.store(x_ptr, 1.0, cache_modifier=".ca")


@mistakes(
    (
        negative_hint,
        "tl.multiple_of(",
        "multiple_of needs positive ints that are known at compile time, got -1",
    ),
    (
        hint_of_another_rank,
        "tl.max_contiguous(",
        "max_contiguous needs a number for each of 1 dimensions, got 2",
    ),
    (
        hint_at_run_time,
        "tl.max_constancy(",
        "max_constancy needs positive ints that are known at compile time, got a value of type "
        "int32",
    ),
    (
        assumption_of_a_block,
        "tl.assume(",
        "assume needs a condition that is a number, got a block of type int1[8]",
    ),
    (
        bad_policy,
        "tl.load(",
        "eviction_policy must be one of '', 'evict_first', 'evict_last', 'evict_normal', got "
        "'evict_some'",
    ),
    (
        bad_modifier,
        "tl.store(",
        "cache_modifier must be one of '', '.wb', '.cg', '.cs', '.wt', got '.ca'",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)
