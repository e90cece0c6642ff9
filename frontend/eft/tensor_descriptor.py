# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors that a launch takes as arguments."""

from __future__ import annotations

from dataclasses import dataclass

from eft import _runtime

__all__ = ["TensorDescriptor"]


@dataclass
class TensorDescriptor:
    """An array and the shape of the blocks that a kernel loads from it and stores to it. Loads and
    stores never access memory outside of the array. In the kernel, the argument is a
    `tl.tensor_descriptor`.

    Each launch reads the attributes again, so a hook of a configuration may set `block_shape`.
    A kernel has different variants for different block shapes, paddings and element types.

    Attributes:
        base: the array. Its address is a multiple of 16.
        shape, strides: the array's extents and strides, in elements, for one to five dimensions.
            The last stride is 1. The others are multiples of 16 bytes.
        block_shape: the extents of the blocks, powers of two.
        padding: the value that a load returns outside of the array: "zero", or "nan", which needs
            elements that are floats.

    Raises:
        AssertionError: one of these conditions does not hold.
    """

    base: object
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    padding: str = "zero"

    _eft_descriptor = True

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
        if self.padding == "nan":
            found = str(self.dtype).split(".")[-1]
            assert "float" in found or found[:2] in ("fp", "bf"), (
                f"padding 'nan' needs floats, got {found}"
            )

    @property
    def dtype(self):
        """The type of the array's elements, as the array's library represents it."""
        return self.base.dtype

    @property
    def device(self):
        """The device of the array, as the array's library represents it."""
        return self.base.device

    def _check_alignment(self):
        from eft.warmup import address_of

        address = address_of(self.base)
        assert address % 16 == 0, f"the tensor's address must be a multiple of 16, got {address}"
        for stride in self.strides[:-1]:
            length = stride * self.base.dtype.itemsize
            assert length % 16 == 0, f"strides must be multiples of 16 bytes, got one of {length}"

    @staticmethod
    def from_tensor(tensor, block_shape: list[int], padding: str = "zero") -> TensorDescriptor:
        """Returns the descriptor of a whole array, which is a tensor of PyTorch or an array of
        NumPy or CuPy."""
        if callable(getattr(tensor, "stride", None)):
            strides = tensor.stride()
        else:
            strides = [stride // tensor.dtype.itemsize for stride in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding)


_runtime.register_descriptor(TensorDescriptor)
