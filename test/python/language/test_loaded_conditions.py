# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions and loop bounds that are loaded while other programs write them. All threads of a
program must take the same branch, since they wait for each other inside of it."""

import eft
import eft.language as tl
import numpy as np
import pytest


@eft.jit
def branches(flags, x_ptr, out_ptr, N: tl.constexpr):
    program = tl.program_id(0)
    neighbour = (program + 1) % tl.num_programs(0)
    tl.store(flags + neighbour, 1)
    if tl.load(flags + program, volatile=True) != 0:
        total = tl.sum(tl.load(x_ptr + tl.arange(0, N)))
        tl.store(out_ptr + program, total)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_a_branch(device, num_warps):
    x, programs = np.arange(1, 1025, dtype=np.int32), 2000
    for _ in range(5):
        flags, out = (device.put(np.zeros(programs, np.int32)) for _ in range(2))
        branches[(programs,)](flags, device.put(x), out, N=1024, num_warps=num_warps)
        assert set(device.get(out).tolist()) <= {0, x.sum()}
        assert device.get(flags).all()


@eft.jit
def counts(count, x_ptr, out_ptr, N: tl.constexpr):
    program = tl.program_id(0)
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.atomic_add(count, 1, sem="relaxed")
    n = tl.load(count, volatile=True) % 8
    total = 0
    for i in range(n):
        total += tl.sum(x + i)
    tl.store(out_ptr + 2 * program, n)
    tl.store(out_ptr + 2 * program + 1, total)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_a_number_of_turns(device, num_warps):
    x, programs = np.arange(256, dtype=np.int32), 2000
    out = device.put(np.zeros((programs, 2), np.int32))
    count = device.put(np.zeros(1, np.int32))
    counts[(programs,)](count, device.put(x), out, N=256, num_warps=num_warps)
    turns, totals = device.get(out).T
    assert set(turns.tolist()) <= set(range(8))
    np.testing.assert_array_equal(totals, turns * x.sum() + 256 * turns * (turns - 1) // 2)


@eft.jit
def goes_on(count, x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total = 0
    while tl.load(count, volatile=True) < tl.num_programs(0):
        total = tl.sum(x)
        tl.atomic_add(count, 1, sem="relaxed")
    tl.store(out_ptr + tl.program_id(0), total)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_a_while(device, num_warps):
    x, programs = np.arange(256, dtype=np.int32), 500
    out, count = device.put(np.zeros(programs, np.int32)), device.put(np.zeros(1, np.int32))
    goes_on[(programs,)](count, device.put(x), out, N=256, num_warps=num_warps)
    assert set(device.get(out).tolist()) <= {0, x.sum()}
    assert device.get(count)[0] >= programs
