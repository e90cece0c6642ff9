# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that tests of kernels share: types, comparisons, and a kernel's IR."""

from __future__ import annotations

import pathlib

import eft
import ml_dtypes
import numpy as np
import pytest

DATA = pathlib.Path(__file__).parent.parent / "data"

#: NumPy's dtypes by the names of Eft's.
DTYPES = {
    "int1": np.dtype(np.bool_),
    **{
        f"{sign}int{bits}": np.dtype(f"{sign}int{bits}")
        for bits in (8, 16, 32, 64)
        for sign in ("", "u")
    },
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp32": np.dtype(np.float32),
    "fp64": np.dtype(np.float64),
}


def bits(array: np.ndarray) -> np.ndarray:
    """The bits of an array's elements, with one pattern for all NaNs."""
    unsigned = np.dtype(f"u{array.dtype.itemsize}")
    result = array.view(unsigned).copy()
    if array.dtype.kind in "fV" or array.dtype == DTYPES["bf16"]:
        with np.errstate(invalid="ignore"):  # signalling NaNs
            is_nan = np.isnan(array)
        result[is_nan] = np.iinfo(unsigned).max
    return result


def assert_same_bits(actual: np.ndarray, expected: np.ndarray):
    """The arrays are equal to the bit; every NaN equals every NaN."""
    assert actual.dtype == expected.dtype
    found, wanted = bits(actual), bits(expected)
    if not np.array_equal(found, wanted):  # what shows the difference takes much longer
        np.testing.assert_array_equal(found, wanted)


def lower(kernel, types, specialization=None, **constexprs) -> str:
    """The block IR of a kernel. `types` is a signature: "*fp32 i32 _", with `_` for a constexpr."""
    from eft.compiler.functions import lower

    types = [None if word == "_" else word for word in types.split()]
    lowered = lower(kernel, types, constexprs)
    if specialization is not None:
        lowered.specialize(specialization)
    return str(lowered.module)


def key_of(function, variant, kind: str) -> bytes:
    """The key of the disk cache for what `kind` says of a variant."""
    from eft import driver, version

    facts = driver.stable_facts(function, variant)
    return version.key_of(kind, facts, repr(variant.specialization))


def fails(kernel, types="*fp32 i32", **constexprs) -> eft.CompilationError:
    """The mistake in a kernel."""
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, types, **constexprs)
    return raised.value


def mistakes(*cases):
    """Runs a test with wrong kernels, the place of what is wrong in each, and what the error says.

    Its parameters are `kernel, marker, message`.
    """
    return pytest.mark.parametrize(
        "kernel, marker, message", cases, ids=[case[0].__name__ for case in cases]
    )


def assert_mistake(
    kernel, marker: str, message: str, types="*fp32 i32", **constexprs
) -> eft.CompilationError:
    """The mistake in a kernel, which is at `marker` and is called `message`."""
    error = fails(kernel, types, **constexprs)
    assert error.message == message
    assert_at(error, marker)
    return error


def assert_at(error: eft.CompilationError, marker: str):
    """The error is where the source of its line has `marker`, and that line is in its file."""
    assert error.source is not None
    with open(error.file) as file:
        assert file.read().splitlines()[error.line - 1] == error.source
    assert error.source[error.column - 1 :].startswith(marker), error
