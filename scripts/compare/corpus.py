# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that `scripts/compare-code` compiles, in parts. Each part runs in its own process. It
launches kernels on little data, or warms them up. record.py compiles each kernel that a part uses.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]


def parts() -> dict[str, Callable[[], object]]:
    """The function that runs each part, by the part's name: a path from the checkout's root."""
    tutorials = sorted(ROOT.glob("tutorials/[0-9]*.py"))
    tests = (
        "test/python/language/test_whole_kernels.py",
        "test/python/language/test_random_kernels.py::test_random_kernels",
        "test/python/language/test_atomics.py",
        "test/python/language/test_block_pointers.py",
    )
    return {
        **{_name(path): partial(run_script, path, "--largest", "6") for path in tutorials},
        "benchmarks/kernels": benchmarks,
        "benchmarks/compile.py": operations,
        "ops": operators,
        **{test.partition("::")[0]: partial(run_tests, test) for test in tests},
    }


def run_script(path: Path, *arguments: str) -> None:
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="__main__")


def run_tests(test: str) -> None:
    import pytest

    os.environ["EFT_RANDOM_KERNELS"] = "60"
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", ROOT, "-c", ROOT / "pyproject.toml")
    status = pytest.main([*map(str, options), str(ROOT / test)])
    if status != pytest.ExitCode.OK:
        sys.exit(f"the tests of {test} ended with status {status}")


def benchmarks() -> None:
    """Warms up the kernels of benchmarks/kernels, with types and options measured there."""
    for kernel, arguments, options in benchmark_calls(benchmark_kernels()):
        kernel.warmup(*arguments, **options, target="cpu")


def benchmark_kernels() -> SimpleNamespace:
    """The kernels of all files of benchmarks/kernels, by name."""
    load = _benchmark("common").load_kernels
    files = sorted((ROOT / "benchmarks" / "kernels").glob("*.py"))
    modules = [load(*_eft(), file.stem) for file in files]
    found = {name: x for module in modules for name, x in vars(module).items()}
    return SimpleNamespace(**{name: x for name, x in found.items() if hasattr(x, "warmup")})


def benchmark_calls(kernels) -> list[tuple]:
    """A tuple of a kernel, its arguments and its options for each call."""
    _, tl = _eft()
    wide, half, word, long = tl.float32, tl.float16, tl.int32, tl.int64
    plain = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP": 8, "num_stages": 3}
    deep = {**plain, "BLOCK_N": 256, "BLOCK_K": 64, "num_warps": 8}
    sizes = (4096, 4096, 4096)
    by_rows, by_columns = (4096, 1), (1, 4096)
    calls = []
    for of in (wide, half):
        calls += [
            (kernels.masked, (of, word, of, 1 << 20, 0.5), {"BLOCK": 1024}),
            (kernels.seeded, (of, of, 1 << 20, 0.5, 123), {"BLOCK": 1024}),
            (kernels.seeded_by_four, (of, of, 1 << 20, 0.5, 123), {"BLOCK": 256}),
            (kernels.seeded_rows, (of, word, of, 1000, 0.5), {"BLOCK": 1024}),
            (kernels.copy_strided, (of, of, 1 << 20), {"STRIDE": 2, "BLOCK": 1024}),
            (kernels.copy_transposed, (of, of, 1024, 1024), {"BLOCK": 64}),
            (kernels.gather_rows, (of, long, of, 1000), {"BLOCK": 1024}),
            (kernels.cumulative_sum, (of, of, 1000), {"BLOCK": 1024}),
            (kernels.index_of_maximum, (of, word, 1000), {"BLOCK": 1024}),
            (kernels.sort, (of, of, 1000), {"BLOCK": 1024}),
        ]
    calls.append((kernels.count, (word, word, 1 << 20), {"BINS": 256, "BLOCK": 4096}))
    for columns in (1000, 4096):
        block = {"BLOCK": 1 << (columns - 1).bit_length(), "num_warps": 8}
        calls += [
            (kernels.softmax, (wide, wide, columns), block),
            (kernels.layer_norm, (wide, wide, wide, wide, columns, 1e-5), block),
            (kernels.rms_norm, (half, half, half, columns, 1e-5), block),
        ]
        loss = (half, long, wide, half, 4096, columns)
        calls.append((kernels.cross_entropy, loss, {**block, "WITH_GRADIENT": True}))
        norm = (*(half,) * 6, wide, wide, columns, 0.5, 123, 1e-5)
        calls.append((kernels.dropout_add_norm, norm, {**block, "IS_LAYER": True}))
    for of in (half, tl.bfloat16, wide):
        calls.append((kernels.multiply, (of, of, of, *sizes), plain))
    calls.append((kernels.multiply, (half, half, half, *sizes), deep))
    for b_strides in (by_rows, by_columns):
        strides = (*by_rows, *b_strides, *by_rows)
        calls.append((kernels.multiply_strided, (half, half, half, *sizes, *strides), plain))
    blocks = {"S": 8, "POINTS": 16, "OUTPUTS": 256}
    calls.append((kernels.project, (wide, wide, 1000, 4096, 512, 1984), blocks))
    blocks = {"M": 128, "N": 64, "WIDTH": 64}
    calls.append((kernels.attention, (half, half, half, half, 0.1, 1024), blocks))
    blocks = {"D": 64, "BLOCK_M": 64, "BLOCK_N": 32, "CAUSAL": True}
    fused = (half, half, half, half, wide, 0.1, 1024)
    calls.append((kernels.fused_attention, fused, blocks))
    blocks = {"D": 64, "LONG": 64, "SHORT": 64, "CAUSAL": True}
    back = (*(half,) * 7, wide, wide, 0.1, 1024)
    calls.append((kernels.attention_backward, back, blocks))
    return calls


def operations() -> None:
    """Compiles two kernels for each kind of operation: with four operations, and with one."""
    module = _benchmark("compile")
    for operation in module.OPERATIONS:
        module.seconds_to_compile(operation, "cpu", 1024, 4, 4)
        module.seconds_to_compile(operation, "cpu", 8192, 8, 1)


def operators() -> None:
    """Warms up the kernels of eft.ops, with constants like those of ops/CMakeLists.txt."""
    sys.path.insert(0, str(ROOT / "ops"))
    import dropout
    import dropout_forward
    import dropout_permuted
    import dropout_strided

    _, tl = _eft()
    word, long, factor = tl.int32, 1 << 40, (1 << 63) + 1
    rule = (long, 1 << 31, True, 2.0)
    for of in (tl.float32, tl.float16, tl.bfloat16, tl.float64):
        for mask in (None, word):
            numbers = (of, of, mask, long, long, *rule, factor, factor, long)
            dropout_forward.forward.warmup(
                *(*numbers, 3, None, None, None),
                **{"ON_GPU": True, "SIZES": (4, 4, 256, 1), "num_warps": 2, "target": "cpu"},
            )
            dropout_forward.forward.warmup(
                *(*numbers, None, long, long, long),
                **{"ON_GPU": False, "SIZES": (16384, 4096, 64), "target": "cpu"},
            )
        for is_nested in (False, True):
            numbers = (of, of, word, *(long,) * 8, *rule, True, True, True)
            axes = (True, *(factor, factor, long, long, long) * 6) if is_nested else (None,) * 31
            sizes = {"UNIT": 1, "LENGTH": 16, "WIDTH": 64, "BAND": 1, "num_warps": 4}
            dropout_strided.strided.warmup(
                *numbers, *axes, IS_NESTED=is_nested, **sizes, target="cpu"
            )
        for is_nested in (False, True):
            numbers = (of, of, None if of.primitive_bitwidth == 16 else word, *(long,) * 8, *rule)
            axes = (None, *(factor, factor, long, long, long) * 2, *(None,) * 20)
            sizes = {"UNIT": 4, "LENGTH": 64, "WIDTH": 8, "BAND": 8, "num_warps": 4}
            dropout_strided.strided.warmup(
                *numbers,
                True,
                False,
                True,
                *(axes if is_nested else (None,) * 31),
                IS_NESTED=is_nested,
                **sizes,
                target="cpu",
            )
        jumps = (1 << 31, 1, 16, 16, 16, 1, 0) * 3
        places = (1 << 20, *rule, True, 1, 1, 1, 1, 0, *jumps)
        sizes = {"UNIT": 4, "BLOCK": 128, "num_warps": 4, "target": "cpu"}
        dropout_permuted.permuted.warmup(of, of, word, *places, **sizes)
        dropout.backward.warmup(of, word, of, long, 2.0, BLOCK=2048, num_warps=8, target="cpu")
    norms()


def norms() -> None:
    """Warms up the kernels of the operator `dropout_add_norm`: forward and backward, with and
    without IS_LONG."""
    import norm

    _, tl = _eft()
    long, wide = 1 << 40, tl.float32
    numbers = (long, long, long, 1 << 31, True, 2.0)
    for of in (wide, tl.float16, tl.bfloat16):
        for is_long in (False, True):
            size = {"GROUPS": 32, "IS_LONG": is_long, "num_warps": 4, "target": "cpu"}
            norm.forward.warmup(*(of,) * 6, wide, wide, *numbers, 1e-5, True, True, True, **size)
            norm.backward.warmup(*(of,) * 4, wide, wide, of, of, wide, *numbers, True, True, **size)
        norm.add_partials.warmup(wide, of, of, long, long, ROWS=16, COLUMNS=64, target="cpu")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _eft():
    import eft
    import eft.language

    return eft.jit, eft.language


def _benchmark(name: str):
    """Imports a module of benchmarks/, whose modules also import each other."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    return __import__(name)
