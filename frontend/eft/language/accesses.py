# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of operands that all accesses to memory share.

A boolean is one byte in memory. A load reads 0 as false and any other byte as true. A store writes
false as 0 and true as 1.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.constants import to_tensor
from eft.language.dtypes import describe, dtype
from eft.language.promotion import broadcast_to_shape
from eft.language.tensor import tensor


def in_memory(element: dtype) -> dtype:
    """The type of an element in memory: int8 for int1, otherwise `element` itself."""
    return dtypes.int8 if element.is_bool() else element


def check_pointer(name: str, pointer):
    """Raises a `Mistake` unless `pointer` is a pointer or a block of pointers. `name` is the
    builtin that needs it."""
    if not isinstance(pointer, tensor) or not pointer.dtype.is_ptr():
        raise Mistake(f"{name} needs a pointer or a block of pointers, got {describe(pointer)}")


def check_mask(name: str, mask) -> tensor:
    """Returns the mask as a tensor of int1. Raises a `Mistake` if it is not a bool and not of type
    int1."""
    if isinstance(mask, bool):
        return to_tensor(mask)
    if not isinstance(mask, tensor) or not mask.dtype.is_bool():
        raise Mistake(f"{name} needs a mask of type int1, got {describe(mask)}")
    return mask


def check_choice(name: str, value, allowed):
    """Raises a `Mistake` unless `value`, the argument `name`, is one of the strings `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise Mistake(f"{name} must be one of {choices}, got {describe(value)}")


def to_shape(what: str, x: tensor, shape) -> tensor:
    """Returns `x` broadcast to `shape`, the shape of the pointer. Raises a `Mistake` if that is not
    possible; `what` is the name of `x` in its message."""
    ends = zip(reversed(x.shape), reversed(shape), strict=False)
    if len(x.shape) > len(shape) or any(have not in (1, needed) for have, needed in ends):
        raise Mistake(
            f"the {what} of shape {list(x.shape)} does not fit a pointer of shape {list(shape)}"
        )
    return broadcast_to_shape(x, shape)
