# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels against NumPy, and on a GPU against the CPU, to the bit.

EFT_RANDOM_KERNELS is the number of kernels, by default 300; EFT_RANDOM_SEED seeds the first.
A failure prints its seed: EFT_RANDOM_SEED=<seed> EFT_RANDOM_KERNELS=1 repeats it.
"""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest
from random_kernels import PROGRAMS, Kernel, generate
from support import bits

COUNT = int(os.environ.get("EFT_RANDOM_KERNELS", 300))
FIRST = int(os.environ.get("EFT_RANDOM_SEED", 0))
CHUNK = 20


def launch(case: Kernel, function, device) -> dict[str, np.ndarray]:
    """The outputs of the kernel on a device."""
    arrays = {name: device.put(x) for name, x in (case.inputs | case.outputs).items()}
    scalars = {name: value.item() for name, value in case.scalars.items()}
    function[(PROGRAMS,)](**arrays, **scalars, num_warps=case.num_warps)
    return {name: device.get(arrays[name]) for name in case.outputs}


def compile_source(case: Kernel, folder):
    path = folder / f"random_kernel_{case.seed}.py"
    path.write_text(case.source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def difference(found: np.ndarray, expected: np.ndarray) -> str | None:
    differs = np.flatnonzero(bits(found) != bits(expected))
    if len(differs) == 0:
        return None
    at = differs[0]
    return f"{len(differs)} of {found.size} differ; [{at}] is {found[at]}, not {expected[at]}"


def check(seed: int, device, host, folder):
    case = generate(seed)
    try:
        function = compile_source(case, folder)
        found = launch(case, function, device)
        expected = case.expected()
        # Outputs without an exact definition are only compared between devices.
        if case.rough:
            on_host = launch(case, function, host)
            expected |= {name: on_host[name] for name in case.rough}
    except Exception as error:
        raise AssertionError(f"seed {seed}:\n{case.source}") from error
    for name in case.outputs:
        text = difference(found[name], expected[name])
        assert text is None, f"seed {seed}, {name}: {text}\n{case.source}"


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, CHUNK))
def test_random_kernels(device, host, tmp_path, first):
    for seed in range(first, min(first + CHUNK, FIRST + COUNT)):
        check(seed, device, host, tmp_path)


def test_a_seed_makes_the_same_kernel_again():
    first, second = generate(1), generate(1)
    assert first.source == second.source
    assert first.scalars == second.scalars
    for name, x in first.inputs.items():
        assert np.array_equal(bits(x), bits(second.inputs[name]))


def test_kernels_have_what_often_goes_wrong():
    kernels = [generate(seed) for seed in range(200)]
    bodies = [kernel.source.partition("def kernel(")[2] for kernel in kernels]
    for text in ("//", " % ", "while", "static_range", "spread", "earlier", ": tl.bfloat16"):
        assert sum(text in body for body in bodies) >= 2, text
    assert {kernel.num_warps for kernel in kernels} == {1, 2, 4, 8, 16, 32}
    assert {kernel.largest for kernel in kernels} == {2**12, 2**14, 2**15, 2**16}
