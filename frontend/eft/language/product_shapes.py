# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of shapes that the IR's product does not support: of three dimensions, and with
extents below 16.

A product of three dimensions becomes one product for each index of the first dimension. An extent
below 16 is doubled until it is 16:

- For M, the rows of the first factor and of the summand are repeated. For N, the columns of the
  second factor and of the summand are repeated. The first part of the product is the result.
- For K, both factors are extended by zeros: by -0 in the first factor, if its type is a float of
  more than 8 bits, and by +0 in the second. The product of -0 and +0 is -0, and adding -0 changes
  no number.
"""

from __future__ import annotations

from collections.abc import Callable

from eft.language.constants import constant
from eft.language.rearranging import cat, split
from eft.language.reshaping import permute, reshape
from eft.language.tensor import tensor

#: The smallest extent that the IR's product supports.
LEAST_EXTENT = 16

#: A function of two factors and a summand that returns the product of the factors plus the summand.
Product = Callable[[tensor, tensor, tensor], tensor]


def of_any_shape(multiply: Product, a: tensor, b: tensor, acc: tensor) -> tensor:
    """The product of `a` and `b` plus `acc`, computed by `multiply`, which takes blocks of two
    dimensions with extents of at least 16."""
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
    """A block of zeros of the type of `like`. They have the sign of `zero` if the type is a float
    of more than 8 bits."""
    has_sign = like.dtype.is_floating() and not like.dtype.is_fp8()
    return constant(zero if has_sign else 0, like.type)


def _halves(x: tensor, axis: int) -> tuple[tensor, tensor]:
    """The two halves of a block along a dimension. This reverses `cat`."""
    shape = x.shape
    parts = reshape(x, (*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :]))
    others = [each for each in range(len(shape) + 1) if each != axis]
    return split(permute(parts, (*others, axis)))
