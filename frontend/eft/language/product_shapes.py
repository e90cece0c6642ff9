# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices of shapes that the IR's product does not have: of three dimensions, and with
extents below 16.

A product of three dimensions is one product for each index of the first. A small extent is doubled
until it is large enough. Rows of the first factor and columns of the second are repeated, and so
are those of the sum; the result is its first part. Along k the factors get zeros, of which one is
-0: so each new term is -0, and adding it changes no number.
"""

from __future__ import annotations

from collections.abc import Callable

from eft.language.constants import constant
from eft.language.rearranging import cat, split
from eft.language.reshaping import permute, reshape
from eft.language.tensor import tensor

#: The least extent of the IR's product.
LEAST_EXTENT = 16

#: A product of two factors, and what it is added to.
Product = Callable[[tensor, tensor, tensor], tensor]


def of_any_shape(multiply: Product, a: tensor, b: tensor, acc: tensor) -> tensor:
    """The product by `multiply`, which takes two dimensions and extents from 16 on."""
    if len(a.shape) == 3:
        return _batched(multiply, a, b, acc)
    return _padded(multiply, a, b, acc)


def _batched(multiply: Product, a: tensor, b: tensor, acc: tensor) -> tensor:
    count, rows, columns = acc.shape
    if count == 1:
        a, b, acc = (reshape(each, each.shape[1:]) for each in (a, b, acc))
        return reshape(_padded(multiply, a, b, acc), (1, rows, columns))
    halves = zip(*(_halves(each, 0) for each in (a, b, acc)), strict=True)
    return cat(*(_batched(multiply, *half) for half in halves), dim=0)


def _padded(multiply: Product, a: tensor, b: tensor, acc: tensor) -> tensor:
    rows, columns = acc.shape
    while a.shape[0] < LEAST_EXTENT:
        a, acc = cat(a, a, dim=0), cat(acc, acc, dim=0)
    while b.shape[1] < LEAST_EXTENT:
        b, acc = cat(b, b, dim=1), cat(acc, acc, dim=1)
    while a.shape[1] < LEAST_EXTENT:
        a, b = cat(a, _zeros(a, -0.0), dim=1), cat(b, _zeros(b, 0.0), dim=0)
    product = multiply(a, b, acc)
    while product.shape[0] > rows:
        product = _halves(product, 0)[0]
    while product.shape[1] > columns:
        product = _halves(product, 1)[0]
    return product


def _zeros(like: tensor, zero: float) -> tensor:
    """Zeros of the type of a factor, with the sign of `zero` where that has one."""
    has_sign = like.dtype.is_floating() and not like.dtype.is_fp8()
    return constant(zero if has_sign else 0, like.type)


def _halves(x: tensor, axis: int) -> tuple[tensor, tensor]:
    """The two halves of a block along a dimension: what `cat` had."""
    shape = x.shape
    parts = reshape(x, (*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :]))
    others = [each for each in range(len(shape) + 1) if each != axis]
    return split(permute(parts, (*others, axis)))
