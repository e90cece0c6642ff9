# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that exist when the kernel runs, and `op`, which makes such a value by an operation."""

from __future__ import annotations

from contextvars import ContextVar

from eft.errors import Mistake
from eft.language.dtypes import dtype


class tensor:
    """A number, a pointer, or a block of numbers or pointers, that exists when the kernel runs.

    Attributes:
        type: the type of the value; for a block, a `block_type`.
        dtype: the type of the elements; for a number or a pointer, the same as `type`.
        shape: the extents; `()` for a number or a pointer.
    """

    is_tensor = True
    __slots__ = ("handle", "type", "dtype", "shape")

    def __init__(self, handle, type: dtype):
        self.handle = handle
        self.type = type
        self.dtype = type.scalar
        self.shape = type.shape if type.is_block() else ()

    @property
    def numel(self) -> int:
        return self.type.numel if self.type.is_block() else 1

    def retyped(self, scalar: dtype) -> tensor:
        """The same IR value, with `scalar` as the type of its elements."""
        return tensor(self.handle, self.type.with_scalar(scalar))

    def __repr__(self):
        return f"tensor<{self.type}>"


class structure:
    """A value that consists of other values, its parts. Loops, conditionals and functions pass on
    the parts.

    A structure exists in the compiler only. A subclass has three methods:

        parts: returns the parts, a tuple. Each part is a tensor, a number, a structure or a tuple
            of these.
        with_parts: returns a structure of the same kind with other parts.
        static: returns everything else about the structure, which is known at compile time, as a
            hashable value.
    """

    __slots__ = ()


def is_aggregate_class(value) -> bool:
    """Returns whether `value` is a class that `eft.aggregate` has made."""
    return isinstance(value, type) and getattr(value, "_eft_aggregate", False)


_current = ContextVar("emitter", default=None)


def emitter(function: str = ""):
    """Returns the `Emitter` of the kernel that this thread is compiling. Raises a RuntimeError if
    there is no such kernel; `function` is the builtin that its message names."""
    current = _current.get()
    if current is None:
        what = f"{function!r} of eft.language" if function else "a function of eft.language"
        raise RuntimeError(
            f"{what} can only be called in a kernel: is @eft.jit missing above the function that "
            "calls it?"
        )
    return current


def target_of_kernel() -> str | None:
    """The target of the kernel that this thread is compiling, such as "cuda:90" or "cpu". None if
    the thread compiles no kernel."""
    current = _current.get()
    return None if current is None else current.target


class emitting:
    """A context manager: inside of it, the builtins that this thread calls write with `emitter`."""

    def __init__(self, emitter):
        self.emitter = emitter

    def __enter__(self):
        self.token = _current.set(self.emitter)

    def __exit__(self, *raised):
        _current.reset(self.token)


def ops(name: str, operands, types, **attributes) -> list[tensor]:
    """Creates an operation and returns its results. An attribute is a text in IR syntax or an
    attribute object."""
    if name.startswith(("arith.", "math.")) and name != "arith.select":
        _refuse_float8(operands)
    handles = emitter().create(name, [x.handle for x in operands], types, attributes)
    return [tensor(handle, type) for handle, type in zip(handles, types, strict=True)]


def _refuse_float8(operands):
    """Raises a `Mistake` for 8-bit floats, which an operation of the IR would read as integers."""
    for x in operands:
        if x.dtype.is_fp8():
            raise Mistake(f"can't compute with {x.dtype}: convert it first, to tl.float16 or wider")


def op(name: str, operands, type: dtype, **attributes) -> tensor:
    """Creates an operation with one result, and returns the result."""
    return ops(name, operands, (type,), **attributes)[0]


def enum(enumeration: str, name: str):
    """The attribute for the case `name` of an enumeration of the IR, such as "ca" of
    "CacheModifier"."""
    return emitter().enum(enumeration, name)


def is_number(value) -> bool:
    """Returns whether `value` is a Python number, which arithmetic takes as a constant."""
    return isinstance(value, bool | int | float)
