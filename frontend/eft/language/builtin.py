# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decorators for the Python functions that kernels may call.

A builtin gets tensors, and plain Python objects for everything that is known at compile time. It
checks and promotes its operands, creates operations, and raises a `Mistake` if an operand is
invalid.
"""

from __future__ import annotations

from functools import wraps

from eft.language.tensor import emitter, tensor

TYPE_CHECKING = False  # the import of typing takes milliseconds
if TYPE_CHECKING:
    # The decorator keeps the signature: type checkers and editors see the parameters of `function`.
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar, overload

    _P = ParamSpec("_P")
    _R = TypeVar("_R")

    @overload
    def builtin(function: Callable[_P, _R]) -> Callable[_P, _R]: ...
    @overload
    def builtin(*, method: bool) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...


def builtin(function=None, *, method: bool = False):
    """Lets kernels call `function`. With `method`, it is also a method of tensors, and the tensor
    is its first argument."""
    if function is None:
        return lambda function: builtin(function, method=method)

    @wraps(function)
    def checked(*args, **kwargs):
        emitter(function.__name__)
        return function(*args, **kwargs)

    checked._eft_builtin = True
    if method:
        setattr(tensor, function.__name__, checked)
    return checked


def is_builtin(value) -> bool:
    return getattr(value, "_eft_builtin", False) is True


def constexpr_function(function):
    """Lets kernels call a Python function with arguments that are known at compile time. The
    function runs while the kernel is compiled."""
    function._eft_constexpr_function = True
    return function


def is_constexpr_function(value) -> bool:
    return getattr(value, "_eft_constexpr_function", False) is True
