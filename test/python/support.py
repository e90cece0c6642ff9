# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that tests of kernels share: types, comparisons, and a kernel's IR."""

from __future__ import annotations

import pathlib

import eft
import ml_dtypes
import numpy as np
import pytest

DATA = pathlib.Path(__file__).parent.parent / "data"

#: The NumPy dtype for the name of each type of Eft.
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
        with np.errstate(invalid="ignore"):  # signalling NaNs would warn
            is_nan = np.isnan(array)
        result[is_nan] = np.iinfo(unsigned).max
    return result


def assert_same_bits(actual: np.ndarray, expected: np.ndarray):
    """Checks that two arrays are equal to the bit. Every NaN equals every NaN."""
    assert actual.dtype == expected.dtype
    found, wanted = bits(actual), bits(expected)
    if not np.array_equal(found, wanted):  # the assertion below takes much longer
        np.testing.assert_array_equal(found, wanted)


def lower(kernel, types, specialization=None, **constexprs) -> str:
    """The block IR of a kernel. `types` is a signature, like "*fp32 i32 _"; `_` is a constexpr."""
    from eft.compiler.functions import lower

    types = [None if word == "_" else word for word in types.split()]
    lowered = lower(kernel, types, constexprs)
    if specialization is not None:
        lowered.specialize(specialization)
    return str(lowered.module)


def key_of(function, variant, kind: str) -> bytes:
    """The key of the disk cache for an entry of this kind (such as "code") about a variant."""
    from eft import driver, version

    facts = driver.stable_facts(function, variant)
    return version.key_of(kind, facts, repr(variant.specialization))


def fails(kernel, types="*fp32 i32", **constexprs) -> eft.CompilationError:
    """The error that a kernel's mistake raises at compile time."""
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, types, **constexprs)
    return raised.value


def mistakes(*cases):
    """Parametrizes a test over cases `(kernel, marker, message)`.

    Each kernel is wrong at the text `marker`, and its error says `message`.
    """
    return pytest.mark.parametrize(
        "kernel, marker, message", cases, ids=[case[0].__name__ for case in cases]
    )


def assert_mistake(
    kernel, marker: str, message: str, types="*fp32 i32", **constexprs
) -> eft.CompilationError:
    """The error of a kernel. Checks that it says `message`, and points at the text `marker`."""
    error = fails(kernel, types, **constexprs)
    assert error.message == message
    assert_at(error, marker)
    return error


def assert_at(error: eft.CompilationError, marker: str):
    """Checks that an error points at the text `marker`, and quotes its line as the file has it."""
    assert error.source is not None
    with open(error.file) as file:
        assert file.read().splitlines()[error.line - 1] == error.source
    assert error.source[error.column - 1 :].startswith(marker), error
