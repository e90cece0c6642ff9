# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that are shorter than their block, with long chains of operations on each element: placed
and lowered for a GPU, and run by the simulator of gpu_threads.py."""

from __future__ import annotations

import random
from string import Template

import numpy as np
import pytest
from gpu_threads import LANES, Threads
from optimizer import code_of_threads, needs_eft_opt, optimize

pytestmark = needs_eft_opt

BLOCK = 1024
STEPS = 10

CHAIN = Template("""
  %p$i = arith.muli %a$i, %fs : tensor<1024xi32>
  %a$next = arith.xori %p$i, %ts : tensor<1024xi32>
""")

# $other and $added are each one number for all elements, or different numbers. If both are one
# number, all elements outside of the mask are equal. $loaded is the mask of the load: %m, or
# %either, which is true for all elements if %flag is not 0.
SOURCE = Template("""
func.func @kernel(%x: !eft.ptr<i32> {eft.divisibility = $divides_x : i32},
                  %y: !eft.ptr<i32> {eft.divisibility = $divides_x : i32},
                  %n: i32 {eft.divisibility = $divides_n : i32}, %o: i32, %flag: i32) {
  %at = eft.arange 0 to 1024 : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %os = eft.splat %o : i32 -> tensor<1024xi32>
  %fs = arith.constant dense<5> : tensor<1024xi32>
  %m = arith.cmpi slt, %at, %ns : tensor<1024xi32>
  %zero = arith.constant 0 : i32
  %f = arith.cmpi ne, %flag, %zero : i32
  %all = eft.splat %f : i1 -> tensor<1024xi1>
  %either = arith.ori %m, %all : tensor<1024xi1>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %xp = eft.addptr %xs, %at : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  %yp = eft.addptr %ys, %at : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  %v = eft.load %xp, mask $loaded other $other : tensor<1024x!eft.ptr<i32>>
  %t = eft.reduce %v axis 0 : (tensor<1024xi32>) -> i32 {
  ^bb0(%l: i32, %r: i32):
    %sum = arith.addi %l, %r : i32
    eft.yield %sum : i32
  }
  %ts = eft.splat %t : i32 -> tensor<1024xi32>
  %a0 = arith.addi %v, $added : tensor<1024xi32>
  $chain
  %w = arith.select %m, %a10, $other : tensor<1024xi1>, tensor<1024xi32>
  %u = eft.reduce %w axis 0 : (tensor<1024xi32>) -> i32 {
  ^bb0(%l: i32, %r: i32):
    %sum = arith.addi %l, %r : i32
    eft.yield %sum : i32
  }
  %us = eft.splat %u : i32 -> tensor<1024xi32>
  %z = arith.xori %w, %us : tensor<1024xi32>
  eft.store %yp, %z, mask %m : tensor<1024x!eft.ptr<i32>>
  return
}
""")


@pytest.mark.parametrize("seed", range(24))
def test_rows(seed):
    rng = random.Random(seed)
    warps = rng.choice([1, 2, 4])
    divides_n = rng.choice([1, 16])
    n = rng.choice([0, 1, 8, 255, 300, 512, 513, 768, 1000, BLOCK, rng.randrange(BLOCK)])
    bound = n = n // divides_n * divides_n
    if seed < 3:
        bound, n = [0, -(2**31), -1][seed], 0
    words = {
        "divides_x": rng.choice([4, 16]),
        "divides_n": divides_n,
        "other": rng.choice(["%os", "%os", "%at"]),
        "added": rng.choice(["%ts", "%ts", "%at"]),
        "loaded": rng.choice(["%m", "%m", "%either"]),
        "chain": "".join(CHAIN.substitute(i=i, next=i + 1) for i in range(STEPS)),
    }
    text = code_of_threads(
        SOURCE.substitute(words), warps, f"-eft-order-reductions=num-warps={warps}"
    )
    if (words["other"], words["added"], words["loaded"]) == ("%os", "%ts", "%m"):
        assert text.count('"scf.if"') >= BLOCK // (LANES * warps * 4)

    x = np.random.default_rng(seed).integers(0, 1 << 20, BLOCK).astype(np.uint32)
    memory = np.concatenate([x, np.zeros_like(x)]).view(np.uint8)
    argument, flag = np.uint32(rng.randrange(1 << 20)), rng.randrange(2)
    numbers = [np.uint32(bound % 2**32), argument, np.uint32(flag)]
    Threads(LANES * warps, memory).run(text, [0, x.nbytes, *numbers])

    at = np.arange(BLOCK, dtype=np.uint32)
    other = np.broadcast_to(argument, BLOCK) if words["other"] == "%os" else at
    is_loaded = (at < n) | (words["loaded"] == "%either" and flag == 1)
    v = np.where(is_loaded, x, other)
    total = v.sum(dtype=np.uint32)
    a = v + (total if words["added"] == "%ts" else at)
    for _ in range(STEPS):
        a = a * np.uint32(5) ^ total
    w = np.where(at < n, a, other)
    expected = np.where(at < n, w ^ w.sum(dtype=np.uint32), 0)
    np.testing.assert_array_equal(memory[x.nbytes :].view(np.uint32), expected)


def test_conjunctions_of_conjunctions():
    """Each of 40 masks uses the previous one twice. An analysis that follows every use by itself
    would take 2**40 steps."""
    steps = "".join(
        f"%l{k + 1} = arith.andi %m{k}, %a : i1\n"
        f"%r{k + 1} = arith.andi %m{k}, %b : i1\n"
        f"%m{k + 1} = arith.andi %l{k + 1}, %r{k + 1} : i1\n"
        for k in range(40)
    )
    source = f"""
    func.func @kernel(%p: !llvm.ptr<1>, %n: i32, %a: i1, %b: i1) -> i32 {{
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %inside = arith.cmpi slt, %t, %n : i32
      %m0 = arith.ori %inside, %a : i1
      {steps}
      %x = eft.thread_load %p if %m40 : !llvm.ptr<1> -> i32
      return %x : i32
    }}"""
    text = optimize(source, "-eft-skip-masked", timeout=60)
    assert "eft.thread_load %arg0 if" in text
