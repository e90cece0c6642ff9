# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The product of matrices in microscaling formats: floats of few bits, of which 16 or 32 neighbours
along k share a scale.

Each factor is multiplied by its scales in fp32 and rounded to bf16, or to fp16 if one of the
formats is "fp16". The product is then computed by `dot`.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin
from eft.language.casts import bitcast_to, cast_to
from eft.language.dtypes import describe
from eft.language.math import where
from eft.language.matrix import dot
from eft.language.promotion import broadcast_to_shape
from eft.language.rearranging import join
from eft.language.reshaping import permute, reshape
from eft.language.shapes import expand_dims
from eft.language.tensor import tensor

#: The formats, with the types of their elements. A uint8 holds two elements of e2m1.
_FORMATS = {
    "e2m1": dtypes.uint8,
    "e4m3": dtypes.float8e4nv,
    "e5m2": dtypes.float8e5,
    "bf16": dtypes.bfloat16,
    "fp16": dtypes.float16,
}
#: Triton has names for these formats, too, but no products.
_UNUSED_FORMATS = ("e2m3", "e3m2")


@builtin
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format,
    rhs,
    rhs_scale,
    rhs_format,
    acc=None,
    fast_math=False,
    lhs_k_pack=True,
    rhs_k_pack=True,
    out_dtype=dtypes.float32,
):
    """The product of an M × K and a K × N block in microscaling formats, plus `acc`, in fp32.

    Args:
        lhs, rhs: the factors, of two dimensions. For "e2m1" they are uint8: a byte holds two
            elements, the first in its low bits. For the other formats they are float8e4nv,
            float8e5, bf16 or fp16, or unsigned integers of the same width that hold the bits.
        lhs_scale, rhs_scale: the scales, or None. uint8 scales have the shapes [M, K / 32] and [N,
            K / 32]: the number e is the scale 2^(e - 127), and 255 is NaN. float8e4nv scales have
            the shapes [M, K / 16] and [N, K / 16].
        lhs_format, rhs_format: "e2m1", "e4m3", "e5m2", "bf16" or "fp16".
        acc: an M × N block of fp32. None means zeros.
        fast_math: promises that no scale is NaN.
        lhs_k_pack, rhs_k_pack: for "e2m1", whether the two elements of a byte are neighbours along
            k. Otherwise they are neighbours along M or N.
        out_dtype: fp32.

    Returns:
        An M × N block of fp32.
    """
    if out_dtype != dtypes.float32:
        raise Mistake(
            "Only float32 is supported for out_dtype at the moment, got "
            f"out_dtype={describe(out_dtype)}"
        )
    sides = (
        _Side("lhs", lhs, lhs_scale, lhs_format, lhs_k_pack, k=1),
        _Side("rhs", rhs, rhs_scale, rhs_format, rhs_k_pack, k=0),
    )
    if sides[0].shape[1] != sides[1].shape[0]:
        raise Mistake(
            "Reduction dimension should pack the same number of elements; "
            f"(lhs: {list(lhs.shape)} vs rhs: {list(rhs.shape)})"
        )
    target = dtypes.float16 if "fp16" in (lhs_format, rhs_format) else dtypes.bfloat16
    factors = [side.factor(target, bool(fast_math)) for side in sides]
    return dot(*factors, acc, out_dtype=out_dtype)


class _Side:
    """One factor. `k` is the dimension of its block that the product sums over."""

    def __init__(self, name: str, block, scale, format, k_pack, k: int):
        self.name, self.scale, self.format, self.k = name, scale, format, k
        if not isinstance(block, tensor) or not block.type.is_block():
            raise Mistake(f"dot_scaled needs two blocks, got {describe(block)} as its {name}")
        if len(block.shape) != 2:
            raise Mistake(
                f"dot_scaled needs blocks of two dimensions, got {list(block.shape)} as its {name}"
            )
        if format in _UNUSED_FORMATS:
            raise Mistake(f"NYI: {name}_format {format}")
        if format not in _FORMATS:
            choices = ", ".join(map(repr, _FORMATS))
            raise Mistake(
                f"Invalid float format: {describe(format)}. {name}_format must be one of {choices}"
            )
        if not k_pack and format != "e2m1":
            raise Mistake("only mxfp4 inputs can be packed along a dimension different than K")
        self.block = self._typed(block)
        self.packed = None if format != "e2m1" else k if k_pack else 1 - k
        self.shape = tuple(
            extent * (2 if axis == self.packed else 1) for axis, extent in enumerate(block.shape)
        )
        self._check_scale()

    def _typed(self, block: tensor) -> tensor:
        """The block, with its elements in the type of the format."""
        wanted = _FORMATS[self.format]
        if block.dtype == wanted:
            return block
        if self.format == "e2m1":
            raise Mistake(f"e2m1 format must be packed as uint8. Got {block.dtype}")
        if block.dtype != dtypes.from_name(f"uint{wanted.primitive_bitwidth}"):
            raise Mistake(f"Unexpected dtype for {self.format}. Got {block.dtype}")
        return bitcast_to(block, wanted)

    def _check_scale(self):
        if self.scale is None:
            return
        what = f"{self.name}_scale"
        if not isinstance(self.scale, tensor) or self.scale.dtype not in (
            dtypes.uint8,
            dtypes.float8e4nv,
        ):
            raise Mistake(
                f"{what} must be a block of uint8 or float8e4nv, got {describe(self.scale)}"
            )
        if self.shape[self.k] < self._run():
            raise Mistake(
                f"{self.name} needs at least {self._run()} elements along k, which have one scale, "
                f"got {self.shape[self.k]}"
            )
        expected = [self.shape[1 - self.k], self.shape[self.k] // self._run()]
        if list(self.scale.shape) != expected:
            raise Mistake(
                f"{what} must be a tensor of shape {expected}. Got {list(self.scale.shape)}"
            )

    def _run(self) -> int:
        """The number of neighbours along k that share one scale."""
        return 16 if self.scale.dtype == dtypes.float8e4nv else 32

    def factor(self, target, fast_math: bool) -> tensor:
        """The elements multiplied by their scales, converted to `target`."""
        if self.format != "e2m1" and self.scale is None:
            return cast_to(self.block, target)
        if self.format == "e2m1":
            values = _values_of_fours(_unpacked(self.block, self.packed, self.shape))
        else:
            values = cast_to(self.block, dtypes.float32)
        if self.scale is not None:
            values = values * self._scales(fast_math)
        return cast_to(values, target)

    def _scales(self, fast_math: bool) -> tensor:
        """The scale of each element, as a block of fp32 in the shape of the factor."""
        if self.scale.dtype == dtypes.float8e4nv:
            scales = cast_to(self.scale, dtypes.float32)
        else:
            scales = _powers_of_two(self.scale, fast_math)
        rows, runs = scales.shape
        each = broadcast_to_shape(expand_dims(scales, 2), (rows, runs, self._run()))
        each = reshape(each, (rows, runs * self._run()))
        return each if self.k == 1 else permute(each, (1, 0))


def _powers_of_two(exponents: tensor, fast_math: bool) -> tensor:
    """2^(e - 127) for each exponent e; NaN for 255, unless `fast_math`."""
    wide = cast_to(exponents, dtypes.uint32)
    bits = where(wide == 0, 1 << 22, wide << 23)
    if not fast_math:
        bits = where(wide == 255, 0x7FC00000, bits)
    return bitcast_to(bits, dtypes.float32)


def _unpacked(pairs: tensor, axis: int, shape) -> tensor:
    """The four-bit halves of each byte as neighbours along the axis, the low half first."""
    both = join(pairs & 15, pairs >> 4)
    return reshape(both if axis == 1 else permute(both, (0, 2, 1)), shape)


def _values_of_fours(codes: tensor) -> tensor:
    """The fp32 values of e2m1 codes: one sign bit, two exponent bits with bias 1, and one fraction
    bit."""
    wide = cast_to(codes, dtypes.uint32)
    size, sign = wide & 7, (wide & 8) << 28
    # The codes 0 and 1 are 0 and 1/2; the others are normal numbers.
    bits = where(size < 2, size * 0x3F000000, (size << 22) + (126 << 23))
    return bitcast_to(bits | sign, dtypes.float32)
