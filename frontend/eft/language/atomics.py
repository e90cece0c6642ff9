# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations, which change memory in one step and return the value that it held before; and
loads and stores of memory that other programs access at the same time.

In all of them, `pointer` is a pointer or a block of pointers. Values and masks are broadcast to its
shape, and values are converted to the type that it points to. Where a mask is false, memory is not
accessed and the result is zero. `sem` is the memory order. An operation that changes memory and
returns a value takes "acq_rel" (the default), "acquire", "release" or "relaxed". A load takes
"acquire" (the default) or "relaxed", a store takes "release" (the default) or "relaxed". `scope` is
"gpu" (the default), "cta" or "sys".
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.accesses import check_choice, check_mask, check_pointer, in_memory, to_shape
from eft.language.builtin import builtin
from eft.language.casts import bitcast_to, cast_to
from eft.language.constants import to_tensor
from eft.language.dtypes import describe, dtype, pointer_type
from eft.language.math import where
from eft.language.operators import and_, invert
from eft.language.tensor import emitter, enum, op, ops, tensor

_SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")
_SCOPES = ("cta", "gpu", "sys")

_INTEGERS = (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)
_WORDS = (*_INTEGERS, dtypes.float32, dtypes.float64)
_NARROW_FLOATS = (dtypes.float16, dtypes.bfloat16)
_NUMBERS = (*_INTEGERS, *_NARROW_FLOATS, dtypes.float32, dtypes.float64)
#: By the width of a float: the signed integer of the same width.
_INTEGER_OF = {16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}


def _check_target(name: str, pointer, allowed: tuple[dtype, ...]):
    check_pointer(name, pointer)
    if pointer.dtype.is_const():
        raise Mistake(f"{name} can't write through a pointer to read-only memory")
    element = pointer.dtype.element_ty
    if element not in allowed:
        choices = ", ".join(map(str, allowed))
        raise Mistake(f"{name} does not work on {element}: expected one of {choices}")


def _order(sem, scope, allowed=_SEMANTICS) -> dict:
    """The attributes for the memory order and the scope. By default the order is the last of
    `allowed`, and the scope is "gpu"."""
    sem, scope = (allowed[-1] if sem is None else sem), ("gpu" if scope is None else scope)
    check_choice("sem", sem, allowed)
    check_choice("scope", scope, _SCOPES)
    return {"order": enum("MemoryOrder", sem), "scope": enum("MemoryScope", scope)}


def _value(what: str, pointer: tensor, value) -> tensor:
    """`value` in the shape of the pointer and the type that it points to."""
    return to_shape(what, cast_to(to_tensor(value), pointer.dtype.element_ty), pointer.shape)


def _mask(name: str, pointer: tensor, mask) -> list[tensor]:
    """The operands for the mask: the mask in the shape of the pointer, or an empty list without a
    mask."""
    return [] if mask is None else [to_shape("mask", check_mask(name, mask), pointer.shape)]


def _rmw(name: str, kind: str, pointer, value, mask, sem, scope, allowed) -> tensor:
    _check_target(name, pointer, allowed)
    operands = [pointer, _value("value", pointer, value), *_mask(name, pointer, mask)]
    return _emit(kind, operands, _order(sem, scope))


def _emit(kind: str, operands, order: dict) -> tensor:
    pointer = operands[0]
    result = pointer.type.with_scalar(pointer.dtype.element_ty)
    return op("eft.atomic_rmw", operands, result, kind=enum("AtomicKind", kind), **order)


@builtin(method=True)
def atomic_add(pointer, val, mask=None, sem=None, scope=None):
    """Adds `val` to memory atomically.

    A GPU flushes fp32 denormals to zero here.

    Args:
        pointer: a pointer, or a block of pointers, to int32, int64, uint32, uint64, fp16, bf16,
            fp32 or fp64.
        val: a number or a block, broadcast to the pointer's shape and converted to the type that
            the pointer points to.
        mask: int1, broadcast to the pointer's shape. Where it is false, memory is not accessed.
        sem: the memory order: "acq_rel" (the default), "acquire", "release" or "relaxed".
        scope: the scope of the memory order: "gpu" (the default), "cta" or "sys".

    Returns:
        The value that memory held before, in the pointer's shape; zero where the mask is false.
    """
    is_float = isinstance(pointer, tensor) and _points_to_float(pointer)
    kind = "fadd" if is_float else "add"
    return _rmw("atomic_add", kind, pointer, val, mask, sem, scope, _NUMBERS)


def _points_to_float(pointer: tensor) -> bool:
    return pointer.dtype.is_ptr() and pointer.dtype.element_ty.is_floating()


@builtin(method=True)
def atomic_max(pointer, val, mask=None, sem=None, scope=None):
    """Atomically replaces the value in memory by the larger of this value and `val`.

    -0 is less than +0. A `val` that is NaN is greater than any number. Returns the value that
    memory held before. The arguments and their types are those of `atomic_add`.
    """
    return _extreme("max", pointer, val, mask, sem, scope)


@builtin(method=True)
def atomic_min(pointer, val, mask=None, sem=None, scope=None):
    """Atomically replaces the value in memory by the smaller of this value and `val`.

    -0 is less than +0. A `val` that is NaN is greater than any number. Returns the value that
    memory held before. The arguments and their types are those of `atomic_add`.
    """
    return _extreme("min", pointer, val, mask, sem, scope)


def _extreme(kind: str, pointer, value, mask, sem, scope) -> tensor:
    name = f"atomic_{kind}"
    _check_target(name, pointer, _NUMBERS)
    element = pointer.dtype.element_ty
    if not element.is_floating():
        kind = f"u{kind}" if element.is_int_unsigned() else kind
        return _rmw(name, kind, pointer, value, mask, sem, scope, _NUMBERS)
    value = _value("value", pointer, value)
    mask = None if mask is None else to_shape("mask", check_mask(name, mask), pointer.shape)
    return _extreme_of_floats(kind, pointer, value, mask, _order(sem, scope))


def _extreme_of_floats(kind: str, pointer: tensor, value: tensor, mask, order) -> tensor:
    """The maximum or minimum of floats, by atomic operations on their bits as integers.

    If `value` is not negative, signed integers compare as the floats do. If `value` is negative,
    unsigned integers compare the other way around: the bits of any negative float are greater than
    those of any float that is not negative, and they increase with the magnitude. So the maximum is
    then an unsigned minimum, and the minimum an unsigned maximum.
    """
    integer = _INTEGER_OF[value.dtype.primitive_bitwidth]
    bits = bitcast_to(where(value == value, value, float("nan")), integer)
    address = op("eft.cast_ptr", [pointer], pointer.type.with_scalar(pointer_type(integer)))
    negative = bits < 0
    positive = invert(negative)
    if mask is not None:
        negative, positive = and_(negative, mask), and_(positive, mask)
    other = "umin" if kind == "max" else "umax"
    of_positive = _emit(kind, [address, bits, positive], order)
    of_negative = _emit(other, [address, bits, negative], order)
    return bitcast_to(where(negative, of_negative, of_positive), value.dtype)


@builtin(method=True)
def atomic_and(pointer, val, mask=None, sem=None, scope=None):
    """Atomically replaces the value in memory by the bitwise and of this value and `val`.

    The type is int32, int64, uint32 or uint64. Returns the value that memory held before. The other
    arguments are those of `atomic_add`.
    """
    return _rmw("atomic_and", "and", pointer, val, mask, sem, scope, _INTEGERS)


@builtin(method=True)
def atomic_or(pointer, val, mask=None, sem=None, scope=None):
    """Atomically replaces the value in memory by the bitwise or of this value and `val`.

    The type is int32, int64, uint32 or uint64. Returns the value that memory held before. The other
    arguments are those of `atomic_add`.
    """
    return _rmw("atomic_or", "or", pointer, val, mask, sem, scope, _INTEGERS)


@builtin(method=True)
def atomic_xor(pointer, val, mask=None, sem=None, scope=None):
    """Atomically replaces the value in memory by the bitwise exclusive or of this value and `val`.

    The type is int32, int64, uint32 or uint64. Returns the value that memory held before. The other
    arguments are those of `atomic_add`.
    """
    return _rmw("atomic_xor", "xor", pointer, val, mask, sem, scope, _INTEGERS)


@builtin(method=True)
def atomic_xchg(pointer, val, mask=None, sem=None, scope=None):
    """Atomically writes `val` to memory and returns the value that memory held before.

    The type is int32, int64, uint32, uint64, fp32 or fp64. The arguments are those of `atomic_add`.
    """
    return _rmw("atomic_xchg", "xchg", pointer, val, mask, sem, scope, _WORDS)


@builtin(method=True)
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Atomically writes `val` to memory if memory holds the bits of `cmp`, and returns the value
    that memory held before.

    The type is an integer or a float of 16, 32 or 64 bits. `cmp` and `val` are broadcast to the
    pointer's shape and converted to the type that it points to. `sem` and `scope` are those of
    `atomic_add`.
    """
    allowed = (dtypes.int16, dtypes.uint16, *_NARROW_FLOATS, *_WORDS)
    _check_target("atomic_cas", pointer, allowed)
    operands = [
        pointer,
        _value("expected value", pointer, cmp),
        _value("value", pointer, val),
    ]
    result = pointer.type.with_scalar(pointer.dtype.element_ty)
    return op("eft.atomic_cas", operands, result, **_order(sem, scope))


def _in_bytes(pointer: tensor) -> tensor:
    """The pointer itself; for a pointer to booleans, a pointer to the bytes that hold them."""
    element = pointer.dtype.element_ty
    if not element.is_bool():
        return pointer
    bytes_type = pointer_type(in_memory(element), const=pointer.dtype.is_const())
    return op("eft.cast_ptr", [pointer], pointer.type.with_scalar(bytes_type))


@builtin(method=True)
def atomic_load(pointer, mask=None, sem=None, scope=None):
    """Reads memory that other programs may write at the same time. Each element is read as a whole,
    exactly once each time the load runs.

    Args:
        pointer: a pointer, or a block of pointers, to numbers of any type.
        mask: int1, broadcast to the pointer's shape. Where it is false, memory is not read.
        sem: the memory order: "acquire" (the default) or "relaxed".
        scope: the scope of the memory order: "gpu" (the default), "cta" or "sys".

    Returns:
        The value in memory, in the pointer's shape; zero where the mask is false.
    """
    check_pointer("atomic_load", pointer)
    element = pointer.dtype.element_ty
    address = _in_bytes(pointer)
    operands = [address, *_mask("atomic_load", pointer, mask)]
    result = address.type.with_scalar(address.dtype.element_ty)
    order = _order(sem, scope, ("relaxed", "acquire"))
    return cast_to(op("eft.atomic_load", operands, result, **order), element)


@builtin(method=True)
def atomic_store(pointer, val, mask=None, sem=None, scope=None):
    """Writes to memory that other programs may read at the same time. Each element is written as a
    whole, exactly once.

    Args:
        pointer: a pointer, or a block of pointers, to numbers of any type.
        val: a number or a block, broadcast to the pointer's shape and converted to the type that
            the pointer points to.
        mask: int1, broadcast to the pointer's shape. Where it is false, memory is not written.
        sem: the memory order: "release" (the default) or "relaxed".
        scope: the scope of the memory order: "gpu" (the default), "cta" or "sys".
    """
    check_pointer("atomic_store", pointer)
    if pointer.dtype.is_const():
        raise Mistake("atomic_store can't write through a pointer to read-only memory")
    value = _value("value", pointer, val)
    address = _in_bytes(pointer)
    value = cast_to(value, address.dtype.element_ty)
    order = _order(sem, scope, ("relaxed", "release"))
    ops("eft.atomic_store", [address, value, *_mask("atomic_store", pointer, mask)], [], **order)


@builtin(method=True)
def atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None):
    """Waits until memory holds `expected_value`; with a block of pointers, until every element
    does.

    Args:
        pointer: a pointer, or a block of pointers, to integers of 16, 32 or 64 bits.
        expected_value: a number or a block, broadcast to the pointer's shape.
        sem: the memory order of the loads: "acquire" (the default) or "relaxed".
        scope: the scope of the memory order: "gpu" (the default), "cta" or "sys".
        timeout_ns: an integer, the time in nanoseconds after which the waiting ends; None waits
            without end. A timeout needs a GPU's clock, so it is an error on a CPU.

    Returns:
        int1 in the pointer's shape: true where the value was found, false where the timeout came
        first.
    """
    allowed = (dtypes.int16, dtypes.uint16, *_INTEGERS)
    check_pointer("atomic_poll", pointer)
    element = pointer.dtype.element_ty
    if element not in allowed:
        choices = ", ".join(map(str, allowed))
        raise Mistake(f"atomic_poll does not work on {element}: expected one of {choices}")
    _order(sem, scope, ("relaxed", "acquire"))
    from eft.language import polling  # which needs eft.jit

    operands = [pointer, _value("expected value", pointer, expected_value)]
    if timeout_ns is None:
        return emitter().call(polling.wait, [*operands, sem, scope], {})
    timeout = to_tensor(timeout_ns)
    if timeout.shape or not timeout.dtype.is_int() or (type(timeout_ns) is int and timeout_ns < 0):
        raise Mistake(f"atomic_poll needs a timeout_ns of 0 or more, got {describe(timeout_ns)}")
    timeout = cast_to(timeout, dtypes.int64)
    return emitter().call(polling.wait_until, [*operands, timeout, sem, scope], {})
