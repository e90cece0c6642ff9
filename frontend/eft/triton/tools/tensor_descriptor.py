# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.tools.tensor_descriptor`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TensorDescriptor"]


@dataclass
class TensorDescriptor:
    """A tensor that kernels load and store blocks of. It is no argument of a launch yet: a kernel
    makes its descriptors itself, by `tl.make_tensor_descriptor`.

    Attributes:
        base: the tensor, whose address is a multiple of 16.
        shape, strides: its extents and strides, in elements; the last stride is 1, the others are
            multiples of 16 bytes. There are one to five of them.
        block_shape: the extents of the blocks, powers of two.
        padding: what is loaded outside of the tensor, "zero" or "nan".

    Raises:
        AssertionError: something of this does not hold.
    """

    base: object
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    padding: str = "zero"

    def __post_init__(self):
        rank = len(self.shape)
        assert 1 <= rank <= 5, f"a descriptor has 1 to 5 dimensions, got {rank}"
        for name in ("strides", "block_shape"):
            found = len(getattr(self, name))
            assert found == rank, f"{name} must have {rank} elements like shape, got {found}"
        assert all(extent > 0 for extent in self.shape), f"extents are positive, got {self.shape}"
        for extent in self.block_shape:
            assert extent > 0 and extent & (extent - 1) == 0, (
                f"the extents of block_shape are powers of two, got {extent}"
            )
        assert self.strides[-1] == 1, f"the last stride must be 1, got {self.strides[-1]}"
        if type(self.base).__name__ not in ("FakeTensor", "FunctionalTensor"):
            self._check_alignment()
        assert self.padding in ("zero", "nan"), (
            f"padding must be 'zero' or 'nan', got {self.padding!r}"
        )

    def _check_alignment(self):
        address = self.base.data_ptr() if hasattr(self.base, "data_ptr") else self.base.ctypes.data
        assert address % 16 == 0, f"the tensor's address must be a multiple of 16, got {address}"
        for stride in self.strides[:-1]:
            length = stride * self.base.dtype.itemsize
            assert length % 16 == 0, f"strides must be multiples of 16 bytes, got one of {length}"

    @property
    def __array_interface__(self):
        """Where a launch looks for an array: there it says what to do instead."""
        raise TypeError(
            "a TensorDescriptor can't be an argument of a launch yet: pass its tensor, extents and "
            "strides, and call tl.make_tensor_descriptor in the kernel"
        )

    @staticmethod
    def from_tensor(tensor, block_shape: list[int], padding: str = "zero") -> TensorDescriptor:
        """The descriptor of a whole tensor of PyTorch or array of NumPy."""
        if hasattr(tensor, "data_ptr"):
            strides = tensor.stride()
        else:
            strides = [stride // tensor.dtype.itemsize for stride in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding)
