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
