# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors as arguments of launches."""

from __future__ import annotations

from dataclasses import dataclass

from eft import _runtime

__all__ = ["TensorDescriptor"]


@dataclass
class TensorDescriptor:
    """An array that a kernel loads and stores blocks of, never beyond its bounds: in the kernel it
    is a `tl.tensor_descriptor`.

    A launch reads the attributes anew, so a hook of a configuration may set `block_shape`. Block
    shape, padding and the type of the elements are part of what code is compiled for.

    Attributes:
        base: the array, whose address is a multiple of 16.
        shape, strides: its extents and strides, in elements; the last stride is 1, the others are
            multiples of 16 bytes. There are one to five of them.
        block_shape: the extents of the blocks, powers of two.
        padding: what is loaded outside of the array, "zero", or "nan" for floats.

    Raises:
        AssertionError: something of this does not hold.
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
        """The type of the array's elements, in the words of its library."""
        return self.base.dtype

    @property
    def device(self):
        """Where the array lies, in the words of its library."""
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
        """The descriptor of a whole tensor of PyTorch or array of NumPy or CuPy."""
        if callable(getattr(tensor, "stride", None)):
            strides = tensor.stride()
        else:
            strides = [stride // tensor.dtype.itemsize for stride in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding)


_runtime.register_descriptor(TensorDescriptor)
