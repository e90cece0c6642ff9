# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that have a type but no memory."""

from __future__ import annotations


class MockTensor:
    """Takes the place of an array in `kernel.warmup`. Its address counts as divisible by 16.

    Args:
        dtype: a dtype of Eft, NumPy or PyTorch.
        shape: the array's extents, which don't affect the code.
    """

    def __init__(self, dtype, shape=(1,)):
        self.dtype = dtype
        self.shape = tuple(shape)

    def stride(self) -> tuple:
        """Returns the strides, in elements, of a row-major array of this shape without gaps."""
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.append(strides[-1] * extent)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr() -> int:
        return 0

    @staticmethod
    def wrap_dtype(arg):
        """Returns a `MockTensor` for a dtype of PyTorch. Returns any other value unchanged."""
        is_dtype = type(arg).__name__ == "dtype" and type(arg).__module__ == "torch"
        return MockTensor(arg) if is_dtype else arg
