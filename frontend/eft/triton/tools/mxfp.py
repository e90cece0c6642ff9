# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.tools.mxfp`: tensors of PyTorch that contain numbers of
microscaling formats, for tests of `tl.dot_scaled`. Version 1.0 of OCP's specification of MX formats
defines the formats."""

from __future__ import annotations

import math

__all__ = ["MXFP4Tensor", "MXScaleTensor"]

#: The magnitudes of e2m1, indexed by the lower three bits of the code.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_SIGN = 8
_BIAS, _NAN = 127, 255  # the bias of e8m0, and its NaN


class _Codes:
    """Numbers of a format, as their codes. Either `data` or `size` must be given.

    Args:
        data: a tensor of numbers, which are converted to the format.
        size: the shape of the tensor that `random` makes.
        device: the device on which `random` makes the tensor.

    Attributes:
        data: a tensor with the code of each number, as uint8.
    """

    def __init__(self, data=None, size=None, device=None):
        import torch

        self.device = device
        if data is not None:
            if not isinstance(data, torch.Tensor):
                raise TypeError(f"data must be a tensor of PyTorch, got {type(data).__name__}")
            self.device = data.device
            self.data = self._encode(data)
        elif size is not None:
            self.size = size if isinstance(size, tuple) else (size,)
        else:
            raise ValueError("data or size must be given")

    def _draw(self, low: int, high: int):
        """Sets `data` to random codes from `low` to `high`, both included. Returns `self`."""
        import torch

        options = {"dtype": torch.uint8, "device": self.device}
        self.data = torch.randint(low, high + 1, self.size, **options)
        return self

    def to(self, dtype):
        """Returns the numbers as a tensor of float32. `dtype` must be `torch.float32`."""
        import torch

        if dtype != torch.float32:
            raise TypeError(f"{type(self).__name__}.to takes torch.float32, got {dtype}")
        return self._decode()


class MXFP4Tensor(_Codes):
    """Numbers of e2m1, a format of four bits: one sign bit, two exponent bits and one fraction
    bit."""

    def random(self) -> MXFP4Tensor:
        return self._draw(0, 15)

    @staticmethod
    def _encode(values):
        """Returns the codes of the nearest numbers; ties round to even codes. A magnitude above 6,
        or NaN, becomes 6; the sign is kept."""
        import torch

        middles = [(a + b) / 2 for a, b in zip(_MAGNITUDES, _MAGNITUDES[1:], strict=False)]
        middles = torch.tensor(middles, device=values.device)
        magnitudes = values.abs().float()
        below = torch.bucketize(magnitudes, middles)
        above = torch.bucketize(magnitudes, middles, right=True)  # differs at ties only
        codes = torch.where(below % 2 == 0, below, above)
        return (codes + _SIGN * torch.signbit(values)).to(torch.uint8)

    def _decode(self):
        import torch

        signed = (*_MAGNITUDES, *(-each for each in _MAGNITUDES))
        return torch.tensor(signed, device=self.data.device)[self.data.int()]

    def to_packed_tensor(self, dim: int):
        """Returns a tensor of bytes with two codes in each byte. The two codes are neighbours along
        `dim`, and the first has the lower bits. If the extent along `dim` is odd, the upper bits of
        the last byte are zero."""
        if not 0 <= dim < self.data.ndim:
            raise ValueError(f"dim must be from 0 to {self.data.ndim - 1}, got {dim}")
        pairs = list(self.data.shape)
        pairs[dim] = (pairs[dim] + 1) // 2
        packed = self.data.new_zeros(pairs)
        for place in (0, 1):
            codes = self.data.movedim(dim, 0)[place::2]
            packed.movedim(dim, 0)[: len(codes)] |= codes << (4 * place)
        return packed

    def unpack_packed_tensor(self, packed_tensor, dim: int, original_shape):
        """Returns the codes in `packed_tensor`, which `to_packed_tensor` has made from codes of the
        shape `original_shape`."""
        codes = packed_tensor.new_empty(tuple(original_shape))
        for place in (0, 1):
            target = codes.movedim(dim, 0)[place::2]
            source = packed_tensor.movedim(dim, 0)[: len(target)]
            target.copy_((source >> (4 * place)) & 0xF)
        return codes


class MXScaleTensor(_Codes):
    """Scales in the format e8m0: powers of two from 2**-127 to 2**127, and NaN."""

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Sets `data` to the codes of random powers of two. They lie between `low`, rounded down to
        a power of two, and `high`. Both bounds must be greater than 0. Returns `self`."""
        first, last = (
            default if bound is None else min(max(math.floor(math.log2(bound)) + _BIAS, 0), 254)
            for bound, default in ((low, 0), (high, 254))
        )
        if first > last:
            raise ValueError(f"low must not be above high, got {low} and {high}")
        return self._draw(first, last)

    @staticmethod
    def _encode(values):
        """Returns for each number the code of the largest power of two that is not greater. The
        code is that of NaN if the number is not finite or not greater than 0."""
        import torch

        exponents = torch.frexp(values.float())[1] - 1
        codes = (exponents + _BIAS).clamp(0, 254).to(torch.uint8)
        return torch.where(values.isfinite() & (values > 0), codes, _NAN).to(torch.uint8)

    def _decode(self):
        import torch

        exponents = self.data.to(torch.float64) - _BIAS
        numbers = torch.exp2(exponents).float()
        return torch.where(self.data == _NAN, math.nan, numbers)
