# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves, reductions, scans and products in random layouts. The GPU's code runs in the simulator of
gpu_threads.py, the CPU's code as a shared library."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from gpu_threads import LANES, Threads
from optimizer import needs_eft_opt, optimize
from placed_products import ExactProducts, Products
from placed_programs import LargePrograms, Program, Programs

LLVM = "/usr/lib/llvm-19/bin"

pytestmark = needs_eft_opt


def check(program: Program, results: list[np.ndarray]):
    for expected, result in zip(program.outputs, results, strict=True):
        expected = np.ascontiguousarray(expected).ravel()
        assert np.array_equal(result.view(np.uint8), expected.view(np.uint8)), program.source


@pytest.mark.parametrize("seed", range(50))
def test_threads_of_a_gpu(seed):
    warps = [1, 2, 4][seed % 3]
    run_threads(Programs(seed, warps).draw(), warps)


@pytest.mark.parametrize("seed", range(24))
def test_reductions_across_warps(seed):
    warps = [2, 8, 32, 32][seed % 4]
    run_threads(Programs(seed, warps).across_warps(), warps)


@pytest.mark.parametrize("seed", range(24))
def test_booleans_of_a_gpu(seed):
    warps = [1, 2, 4][seed % 3]
    run_threads(Programs(seed, warps).booleans(), warps)


@pytest.mark.parametrize("seed", range(40))
def test_integers_in_any_order(seed):
    warps = [1, 2, 4][seed % 3]
    run_threads(Programs(seed, warps).integers(), warps)


@pytest.mark.parametrize("seed", range(24))
def test_products_on_tensor_cores(seed):
    warps = [1, 2, 4, 8][seed % 4]
    run_threads(Products(seed, warps).draw(), warps)


@pytest.mark.parametrize("seed", range(20))
def test_blocks_that_move_in_rounds(seed):
    warps = [4, 8][seed % 2]
    run_threads(LargePrograms(seed, warps).draw(), warps)


@pytest.mark.parametrize("seed", range(12))
def test_products_without_tensor_cores(seed):
    warps = [1, 2, 4, 8][seed % 4]
    run_threads(ExactProducts(seed, warps).draw(), warps)


def run_threads(program: Program, warps: int):
    text = optimize(
        program.source, f"-eft-lower-to-gpu=num-warps={warps}", "-cse", "-mlir-print-op-generic"
    )
    arrays = [np.ascontiguousarray(array) for array in program.inputs + program.outputs]
    starts = np.cumsum([0] + [(array.nbytes + 255) // 256 * 256 for array in arrays])
    memory = np.full(starts[-1], 0xAB, np.uint8)
    for start, array in zip(starts, arrays[: len(program.inputs)], strict=False):
        memory[start : start + array.nbytes] = array.view(np.uint8).ravel()
    Threads(LANES * warps, memory).run(text, list(starts[:-1]))
    results = [
        memory[start : start + array.nbytes].view(array.dtype)
        for start, array in zip(starts, arrays, strict=False)
    ]
    check(program, results[len(program.inputs) :])


@pytest.mark.parametrize("seed", range(16))
def test_vectors_of_a_cpu(seed, tmp_path):
    translate, compiler = (
        shutil.which(name) or shutil.which(name, path=LLVM) for name in ("mlir-translate", "clang")
    )
    compiler = shutil.which("clang-19") or compiler
    if translate is None or compiler is None:
        pytest.skip("mlir-translate and clang are not installed")
    program = Programs(seed, warps=0).draw()
    text = optimize(program.source, "-eft-lower-to-cpu", "-cse", "-eft-lower-to-llvm")
    code = subprocess.run(
        [translate, "--mlir-to-llvmir"], input=text, capture_output=True, text=True, check=True
    ).stdout
    (tmp_path / "kernel.ll").write_text(code)
    library = tmp_path / "kernel.so"
    flags = ["-O1", "-march=native", "-shared", "-fPIC", "-Wno-override-module"]
    subprocess.run([compiler, *flags, tmp_path / "kernel.ll", "-o", library, "-lm"], check=True)
    results = [np.empty_like(np.ascontiguousarray(array)) for array in program.outputs]
    arrays = [np.ascontiguousarray(array) for array in program.inputs] + results
    slots = (ctypes.c_uint64 * len(arrays))(*[array.ctypes.data for array in arrays])
    grid = (ctypes.c_uint32 * 3)(1, 1, 1)
    kernel = ctypes.CDLL(str(library)).kernel
    kernel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
    kernel(slots, grid, 0, 1)
    check(program, [result.ravel() for result in results])
