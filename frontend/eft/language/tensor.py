# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that exist when the kernel runs, and the one way to make them: `op`."""

from __future__ import annotations

from contextvars import ContextVar

from eft.errors import Mistake
from eft.language.dtypes import dtype


class tensor:
    """A number, a pointer, or a block of them, that exists when the kernel runs.

    Attributes:
        type: its type; of a block, a `block_type`.
        dtype: the type of its elements.
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
        """The same value in the IR, read as elements of another type."""
        return tensor(self.handle, self.type.with_scalar(scalar))

    def __repr__(self):
        return f"tensor<{self.type}>"


class structure:
    """A value that is made of others: loops, conditionals and functions pass on its parts.

    It exists in the compiler alone. A subclass has three methods:
        parts: a tuple of tensors, numbers and such tuples.
        with_parts: the same kind of thing made of other parts.
        static: what else it is, known at compile time and hashable.
    """

    __slots__ = ()


def is_aggregate_class(value) -> bool:
    """Whether `value` is a class that `eft.aggregate` has made."""
    return isinstance(value, type) and getattr(value, "_eft_aggregate", False)


_current = ContextVar("emitter", default=None)


def emitter(function: str = ""):
    """The writer of the IR of the kernel that this thread is compiling; the builtin `function` asks
    for it."""
    current = _current.get()
    if current is None:
        what = f"{function!r} of eft.language" if function else "a function of eft.language"
        raise RuntimeError(
            f"{what} can only be called in a kernel: is @eft.jit missing above the function that "
            "calls it?"
        )
    return current


def target_of_kernel() -> str | None:
    """The target of the kernel that this thread is compiling: "cuda:90", "cpu"; None if it
    compiles none."""
    current = _current.get()
    return None if current is None else current.target


class emitting:
    """While it is entered, this thread's builtins write with `emitter`."""

    def __init__(self, emitter):
        self.emitter = emitter

    def __enter__(self):
        self.token = _current.set(self.emitter)

    def __exit__(self, *raised):
        _current.reset(self.token)


def ops(name: str, operands, types, **attributes) -> list[tensor]:
    """Creates an operation and gives its results. Attributes are IR text or attribute objects."""
    if name.startswith(("arith.", "math.")) and name != "arith.select":
        _refuse_float8(operands)
    handles = emitter().create(name, [x.handle for x in operands], types, attributes)
    return [tensor(handle, type) for handle, type in zip(handles, types, strict=True)]


def _refuse_float8(operands):
    """Refuses 8-bit floats, which the IR would take for integers."""
    for x in operands:
        if x.dtype.is_fp8():
            raise Mistake(f"can't compute with {x.dtype}: convert it first, to tl.float16 or wider")


def op(name: str, operands, type: dtype, **attributes) -> tensor:
    """Creates an operation with one result."""
    return ops(name, operands, (type,), **attributes)[0]


def enum(enumeration: str, name: str):
    """The attribute for a case of one of the IR's enumerations: "ca" of "CacheModifier"."""
    return emitter().enum(enumeration, name)


def is_number(value) -> bool:
    """Whether `value` is a Python number, which takes part in arithmetic as a constant."""
    return isinstance(value, bool | int | float)
