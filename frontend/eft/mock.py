# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An argument that only has a type."""

from __future__ import annotations


class MockTensor:
    """Stands for an array in `kernel.warmup`. Its address counts as divisible by 16.

    Args:
        dtype: a dtype of Eft, NumPy or PyTorch.
        shape: the array's extents; they don't matter.
    """

    def __init__(self, dtype, shape=(1,)):
        self.dtype = dtype
        self.shape = tuple(shape)

    def stride(self) -> tuple:
        """The strides of an array whose elements lie without gaps."""
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.append(strides[-1] * extent)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr() -> int:
        return 0

    @staticmethod
    def wrap_dtype(arg):
        """A stand-in for a dtype of PyTorch; anything else as it is."""
        is_dtype = type(arg).__name__ == "dtype" and type(arg).__module__ == "torch"
        return MockTensor(arg) if is_dtype else arg
