# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that load, compute and store their block in parts, with arrays that are disjoint or share
memory: placed and lowered for a GPU, and run by the simulator of gpu_threads.py."""

from __future__ import annotations

import random
from string import Template

import numpy as np
import pytest
from gpu_threads import LANES, Threads
from optimizer import code_of_threads, needs_eft_opt

pytestmark = needs_eft_opt

PART, PARTS = 128, 4
ELEMENTS = PART * PARTS

SOURCE = Template("""
func.func @kernel(%x: !eft.ptr<i32> {eft.divisibility = $divides : i32},
                  %y: !eft.ptr<i32> {eft.divisibility = $divides : i32},
                  %n: i32, %first: i32 {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 128 : tensor<128xi32>
  %begin = eft.splat %first : i32 -> tensor<128xi32>
  %at = arith.addi %range, %begin : tensor<128xi32>
  %ns = eft.splat %n : i32 -> tensor<128xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>>
  %three = arith.constant dense<3> : tensor<128xi32>
  $parts
  return
}
""")

PART_SOURCE = Template("""
  %c$k = arith.constant dense<$offset> : tensor<128xi32>
  %at$k = arith.addi %at, %c$k : tensor<128xi32>
  %m$k = arith.cmpi slt, %at$k, %ns : tensor<128xi32>
  %xp$k = eft.addptr %xs, %at$k : tensor<128x!eft.ptr<i32>>, tensor<128xi32>
  %yp$k = eft.addptr %ys, %at$k : tensor<128x!eft.ptr<i32>>, tensor<128xi32>
  %v$k = eft.load %xp$k, mask %m$k : tensor<128x!eft.ptr<i32>>
  %w$k = arith.muli %v$k, %three : tensor<128xi32>
  %z$k = arith.addi %w$k, %at$k : tensor<128xi32>
  eft.store %yp$k, %z$k, mask %m$k : tensor<128x!eft.ptr<i32>>
""")

#: The distance in elements from X to Y. The arrays are disjoint or equal, or they overlap such that
#: a stored part contains elements that another part loads.
DISTANCES = (ELEMENTS, 0, PART, 2 * PART, 3 * PART, -PART, -3 * PART, -ELEMENTS)


@pytest.mark.parametrize("order", (1, -1))
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("n", (ELEMENTS, 0, 1, PART + 3, 2 * PART, ELEMENTS - 1))
def test_parts(n, distance, order):
    rng = random.Random(f"{n} {distance} {order}")
    warps, first = rng.choice([1, 2]), 16 * rng.choice([0, 1, 1 << 20])
    offsets = [k * PART for k in range(PARTS)][::order]
    parts = [PART_SOURCE.substitute(k=k, offset=offset) for k, offset in enumerate(offsets)]
    source = SOURCE.substitute(divides=rng.choice([4, 16]), parts="".join(parts))
    text = code_of_threads(source, warps)

    memory = np.random.default_rng(n).integers(0, 1 << 20, 4 * ELEMENTS).astype(np.uint32)
    expected = memory.copy()
    x = ELEMENTS
    y = x + distance
    for offset in offsets:  # a part may load what earlier parts have stored
        at = np.arange(offset, offset + PART)
        at = at[at < n]
        expected[y + at] = expected[x + at] * np.uint32(3) + (at + first).astype(np.uint32)
    given = memory.view(np.uint8)
    begin = (4 * x - 4 * first) % 2**64  # adding the indices leads back into the memory
    Threads(LANES * warps, given).run(
        text, [begin, (begin + 4 * distance) % 2**64, np.uint32(n + first), np.uint32(first)]
    )
    np.testing.assert_array_equal(memory, expected)
