# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses at positive and negative offsets modulo a number, or at quotients and remainders by it,
under masks: placed and lowered for a GPU, and run by the simulator of gpu_threads.py."""

from __future__ import annotations

import random
from string import Template

import numpy as np
import pytest
from gpu_threads import LANES, Threads
from optimizer import code_of_threads, needs_eft_opt

pytestmark = needs_eft_opt

ROWS, COLUMNS = 4, 128
#: The number of elements before each array's address, and after it.
MARGIN = 1 << 15

#: By name, a mask that depends on the row %r, the column %c and the argument %k.
MASKS = {
    "none": "",
    "rows": "%m = arith.cmpi slt, %r, %ks : $i32",
    "columns": "%m = arith.cmpi slt, %c, %ks : $i32",
    "odd columns": "%m = arith.trunci %c : $i32 to tensor<${shape}xi1>",
}

SOURCE = """
func.func @kernel(%x: !eft.ptr<$type> {eft.divisibility = 16 : i32},
                  %y: !eft.ptr<$type> {eft.divisibility = 16 : i32},
                  %s: i32 {eft.divisibility = 16 : i32}, %n: i32 {eft.divisibility = 16 : i32},
                  %k: i32 {eft.divisibility = $divides_k : i32}) {
  %rows = eft.arange 0 to 4 : tensor<4xi32>
  %rows2 = eft.expand_dims %rows axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %r = eft.broadcast %rows2 : tensor<4x1xi32> -> $i32
  %columns = eft.arange 0 to 128 : tensor<128xi32>
  %columns2 = eft.expand_dims %columns axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %c = eft.broadcast %columns2 : tensor<1x128xi32> -> $i32
  %ss = eft.splat %s : i32 -> $i32
  %ns = eft.splat %n : i32 -> $i32
  %ks = eft.splat %k : i32 -> $i32
  %stride = arith.constant dense<512> : $i32
  %begins = arith.muli %r, %stride : $i32
  %moved = arith.addi %c, %ss : $i32
  %wrapped = arith.remsi %moved, %ns : $i32
  %quotient = arith.divsi %moved, %ns : $i32
  %steps = arith.constant dense<$step> : $i32
  %jump = arith.muli %quotient, %steps : $i32
  %row = arith.addi %begins, %jump : $i32
  %there = arith.addi %row, %wrapped : $i32
  %here = arith.addi %begins, %c : $i32
  %xs = eft.splat %x : !eft.ptr<$type> -> $pointers
  %ys = eft.splat %y : !eft.ptr<$type> -> $pointers
  %xp = eft.addptr %xs, $source : $pointers, $i32
  %yp = eft.addptr %ys, $target : $pointers, $i32
  $mask
  %other = arith.constant dense<$seven> : tensor<${shape}x$type>
  %v = eft.load %xp $mask_of_load : $pointers
  eft.store %yp, %v $mask_of_store : $pointers
  return
}
"""


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("step", [0, 2048])
@pytest.mark.parametrize("seed", range(12))
def test_rows_of_offsets_that_wrap_around(seed, step, mask):
    rng = random.Random(seed)
    kind, dtype = rng.choice([("f16", np.float16), ("f32", np.float32), ("i8", np.uint8)])
    warps = rng.choice([1, 2, 4])
    is_gather = seed % 2 == 0
    n = 16 * rng.randrange(COLUMNS // 16, 20) if seed else 0
    s = rng.choice([0, -n, -2 * n, 3 * n, -n - 64, 16 * rng.randrange(-60, 60)])
    divides_k = rng.choice([1, 16])
    k = rng.choice([0, 16, 48, COLUMNS]) if divides_k > 1 else rng.randrange(COLUMNS + 1)
    if mask == "rows":
        divides_k, k = 1, rng.randrange(ROWS + 1)
    words = {
        "shape": f"{ROWS}x{COLUMNS}",
        "i32": f"tensor<{ROWS}x{COLUMNS}xi32>",
        "pointers": f"tensor<{ROWS}x{COLUMNS}x!eft.ptr<{kind}>>",
        "type": kind,
        "step": step,
        "seven": "7" if kind == "i8" else "7.0",
        "divides_k": divides_k,
        "source": "%there" if is_gather else "%here",
        "target": "%here" if is_gather else "%there",
        "mask_of_load": "" if mask == "none" else ", mask %m other %other",
        "mask_of_store": "" if mask == "none" else ", mask %m",
    }
    mask_source = Template(MASKS[mask]).substitute(words)
    source = Template(SOURCE).substitute(words, mask=mask_source)
    before = "-eft-expand-integer-corners", "-eft-hoist-uniform", "-canonicalize", "-cse"
    text = code_of_threads(source, warps, *before)

    x = np.random.default_rng(seed).integers(0, 100, 2 * MARGIN).astype(dtype)
    y = np.zeros_like(x)
    memory = np.concatenate([x.view(np.uint8), y.view(np.uint8)])
    start = MARGIN * x.itemsize
    arguments = [start, x.nbytes + start, *(np.uint32(each % 2**32) for each in (s, n, k))]
    Threads(LANES * warps, memory).run(text, arguments)

    r, c = np.indices((ROWS, COLUMNS))
    here = 512 * r + c
    rest = np.fmod(c + s, n) if n else c + s
    quotient = (c + s - rest) // n if n else -1
    there = 512 * r + quotient * step + rest
    conditions = {"none": c >= 0, "rows": r < k, "columns": c < k, "odd columns": c % 2 == 1}
    m = conditions[mask]
    source_offsets, target_offsets = (there, here) if is_gather else (here, there)
    y[MARGIN + target_offsets[m]] = x[MARGIN + source_offsets[m]]
    assert np.array_equal(memory[x.nbytes :], y.view(np.uint8)), text
