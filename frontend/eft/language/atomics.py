# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations: each changes memory in one step, and gives what it held before. And loads and
stores of what other programs access meanwhile.

In all of them, `pointer` is a pointer or a block of them; values and masks are broadcast to its
shape, and values converted to the type that it points to. Where a mask is false, memory is not
touched and the result is zero. `sem` is "acq_rel" (the default), "acquire", "release" or
"relaxed"; `scope` is "gpu" (the default), "cta" or "sys".
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
#: The integers whose bits stand for those of a float, by its width.
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
    """The attributes for the order, by default the last of those `allowed`, and the scope."""
    sem, scope = (allowed[-1] if sem is None else sem), ("gpu" if scope is None else scope)
    check_choice("sem", sem, allowed)
    check_choice("scope", scope, _SCOPES)
    return {"order": enum("MemoryOrder", sem), "scope": enum("MemoryScope", scope)}


def _value(what: str, pointer: tensor, value) -> tensor:
    """A value in the shape of the pointer and the type that it points to."""
    return to_shape(what, cast_to(to_tensor(value), pointer.dtype.element_ty), pointer.shape)


def _mask(name: str, pointer: tensor, mask) -> list[tensor]:
    """The mask in the shape of the pointer, if there is one."""
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
    """Adds `val` to memory, and gives what it held before.

    Of int32, int64, uint32, uint64, fp16, bf16, fp32 and fp64. A GPU takes fp32 denormals for zero.
    """
    is_float = isinstance(pointer, tensor) and _points_to_float(pointer)
    kind = "fadd" if is_float else "add"
    return _rmw("atomic_add", kind, pointer, val, mask, sem, scope, _NUMBERS)


def _points_to_float(pointer: tensor) -> bool:
    return pointer.dtype.is_ptr() and pointer.dtype.element_ty.is_floating()


@builtin(method=True)
def atomic_max(pointer, val, mask=None, sem=None, scope=None):
    """Makes memory the greater of what it holds and `val`, and gives what it held before.

    Of int32, int64, uint32, uint64, fp16, bf16, fp32 and fp64. -0 is less than +0. A `val` that is
    NaN is greater than any number.
    """
    return _extreme("max", pointer, val, mask, sem, scope)


@builtin(method=True)
def atomic_min(pointer, val, mask=None, sem=None, scope=None):
    """Makes memory the lesser of what it holds and `val`, and gives what it held before.

    Of int32, int64, uint32, uint64, fp16, bf16, fp32 and fp64. -0 is less than +0. A `val` that is
    NaN is greater than any number.
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
    """By the bits as integers.

    With signs, they are ordered as the floats are if the value is not negative; without, they are
    ordered the other way around among negative floats, and put these above the others.
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
    """Makes memory the bitwise and of what it holds and `val`, and gives what it held before.

    Of int32, int64, uint32 and uint64.
    """
    return _rmw("atomic_and", "and", pointer, val, mask, sem, scope, _INTEGERS)


@builtin(method=True)
def atomic_or(pointer, val, mask=None, sem=None, scope=None):
    """Makes memory the bitwise or of what it holds and `val`, and gives what it held before.

    Of int32, int64, uint32 and uint64.
    """
    return _rmw("atomic_or", "or", pointer, val, mask, sem, scope, _INTEGERS)


@builtin(method=True)
def atomic_xor(pointer, val, mask=None, sem=None, scope=None):
    """Makes memory the bitwise exclusive or of what it holds and `val`, and gives what it held
    before.

    Of int32, int64, uint32 and uint64.
    """
    return _rmw("atomic_xor", "xor", pointer, val, mask, sem, scope, _INTEGERS)


@builtin(method=True)
def atomic_xchg(pointer, val, mask=None, sem=None, scope=None):
    """Writes `val` to memory, and gives what it held before.

    Of int32, int64, uint32, uint64, fp32 and fp64.
    """
    return _rmw("atomic_xchg", "xchg", pointer, val, mask, sem, scope, _WORDS)


@builtin(method=True)
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Writes `val` to memory where it holds the bits of `cmp`, and gives what it held before.

    Of numbers of 16, 32 and 64 bits.
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
    """The pointer, of booleans as one to the bytes that they are in memory."""
    element = pointer.dtype.element_ty
    if not element.is_bool():
        return pointer
    bytes_type = pointer_type(in_memory(element), const=pointer.dtype.is_const())
    return op("eft.cast_ptr", [pointer], pointer.type.with_scalar(bytes_type))


@builtin(method=True)
def atomic_load(pointer, mask=None, sem=None, scope=None):
    """Reads memory that other programs may write meanwhile: each element whole, anew, and once.

    Of numbers of every type. `sem` is "acquire" (the default) or "relaxed".
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
    """Writes `val` to memory that other programs may read meanwhile: each element whole, and once.

    Of numbers of every type. `sem` is "release" (the default) or "relaxed".
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
    """Waits until memory holds `expected_value`; of a block, each element.

    Of integers of 16, 32 and 64 bits. `sem` is "acquire" (the default) or "relaxed". Gives int1:
    whether the value was found, which is false only if `timeout_ns`, an integer, was reached first.
    That needs a GPU's clock.
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
