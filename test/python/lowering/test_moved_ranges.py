# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses at a scalar plus a range, under a mask that ends inside of the range: placed and lowered
for a GPU, and run by the simulator of gpu_threads.py."""

from __future__ import annotations

import random
from string import Template

import numpy as np
import pytest
from gpu_threads import LANES, Threads
from optimizer import code_of_threads, needs_eft_opt

pytestmark = needs_eft_opt

BLOCK = 512
#: The number of elements before each array's address, and after it.
MARGIN = 4096

SOURCE = Template("""
func.func @kernel(%x: !eft.ptr<$type> {eft.divisibility = $divides_x : i32},
                  %y: !eft.ptr<$type> {eft.divisibility = 16 : i32},
                  %s: i32 {eft.divisibility = $divides_s : i32}, %n: i32) {
  %range = eft.arange 0 to 512 : tensor<512xi32>
  %ss = eft.splat %s : i32 -> tensor<512xi32>
  %at = arith.addi %ss, %range : tensor<512xi32>
  %ns = eft.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %at, %ns : tensor<512xi32>
  %xs = eft.splat %x : !eft.ptr<$type> -> tensor<512x!eft.ptr<$type>>
  %ys = eft.splat %y : !eft.ptr<$type> -> tensor<512x!eft.ptr<$type>>
  %xp = eft.addptr %xs, %at : tensor<512x!eft.ptr<$type>>, tensor<512xi32>
  %yp = eft.addptr %ys, %at : tensor<512x!eft.ptr<$type>>, tensor<512xi32>
  %v = eft.load %xp, mask %m : tensor<512x!eft.ptr<$type>>
  eft.store %yp, %v, mask %m : tensor<512x!eft.ptr<$type>>
  return
}
""")


@pytest.mark.parametrize("seed", range(16))
def test_masked_copies(seed):
    rng = random.Random(seed)
    kind, dtype = rng.choice([("f16", np.float16), ("f32", np.float32), ("i8", np.uint8)])
    warps = rng.choice([1, 2, 4])
    divides_s = rng.choice([1, 16, BLOCK, BLOCK])
    s = divides_s * rng.randrange(-2048 // divides_s, 2048 // divides_s)
    n = s + rng.choice([0, 1, 8, 255, 256, 300, BLOCK, BLOCK + 1, rng.randrange(BLOCK)])
    divides_x = rng.choice([dtype().itemsize, 16])
    source = SOURCE.substitute(type=kind, divides_x=divides_x, divides_s=divides_s)
    text = code_of_threads(source, warps)

    x = np.random.default_rng(seed).integers(0, 100, 2 * MARGIN).astype(dtype)
    y = np.zeros_like(x)
    memory = np.concatenate([x.view(np.uint8), y.view(np.uint8)])
    # x begins at an address that has no greater divisibility than is promised.
    first = MARGIN + (divides_x // x.itemsize) % 16
    start = MARGIN * x.itemsize
    arguments = [first * x.itemsize, x.nbytes + start, np.uint32(s % 2**32), np.uint32(n % 2**32)]
    Threads(LANES * warps, memory).run(text, arguments)

    at = np.arange(s, min(n, s + BLOCK))
    y[MARGIN + at] = x[first + at]
    assert np.array_equal(memory[x.nbytes :], y.view(np.uint8)), text
