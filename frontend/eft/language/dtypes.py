# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of numbers, pointers and blocks.

A type has a text in the block IR, where integers have no signedness (`i32`), and a text in a
kernel's signature, where they have one (`i32`, `u32`, `*fp32`).
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.missing import NotYet

#: The largest number of elements of a block. Larger blocks are refused: their code would be too
#: long to compile.
MAX_ELEMENTS = 1 << 20

#: Messages show larger integers as a power of two, because Python refuses to print integers of many
#: digits.
_MOST_SHOWN = 1 << 70

_INTEGERS = {f"{sign}int{bits}": bits for bits in (8, 16, 32, 64) for sign in ("", "u")}
_INTEGERS["int1"] = 1
#: The 8-bit floats, with the IR's names for their formats. Their type in the IR is `i8`.
_FLOATS8 = {
    "fp8e4nv": "e4m3fn",
    "fp8e5": "e5m2",
    "fp8e4b8": "e4m3fnuz",
    "fp8e5b16": "e5m2fnuz",
    "fp8e4b15": "e4m3b15",
}
_FLOATS = {**dict.fromkeys(_FLOATS8, 8), "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64}
_FLOATS_IN_IR = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64"}


class dtype:
    """The type of a number. Two types are equal if they have the same name.

    Args:
        name: `int1`, `int8` … `int64`, `uint8` … `uint64`, `fp8e4nv`, `fp8e5`, `fp8e4b8`,
            `fp8e5b16`, `fp8e4b15`, `fp16`, `bf16`, `fp32`, `fp64`, or `void`, which is the type of
            no number.

    Raises:
        ValueError: there is no type of this name.
    """

    def __init__(self, name: str):
        if name not in _INTEGERS and name not in _FLOATS and name != "void":
            raise ValueError(f"unknown dtype {name!r}")
        self.name = name
        self.primitive_bitwidth = _INTEGERS.get(name) or _FLOATS.get(name, 0)
        self.itemsize = max(1, self.primitive_bitwidth // 8)
        self.ir = _FLOATS_IN_IR.get(name) or f"i{self.primitive_bitwidth}"
        #: The name of the type in signatures: `i32`, `u8`, `fp16`.
        self.signature = name.replace("uint", "u").replace("int", "i")
        #: The rank of the type in the rules of promotion: bool < integer < float.
        self.kind = 0 if name == "int1" else 1 if name in _INTEGERS else 2

    @property
    def scalar(self) -> dtype:
        """The type of the elements; for the type of a number, the type itself."""
        return self

    @property
    def int_bitwidth(self) -> int:
        return self.primitive_bitwidth

    def is_floating(self) -> bool:
        return self.name in _FLOATS

    def is_standard_floating(self) -> bool:
        return self.is_floating() and not self.is_fp8()

    def is_fp8(self) -> bool:
        return self.name in _FLOATS8

    @property
    def float8_format(self) -> str:
        """The IR's name for the format of this 8-bit float."""
        return _FLOATS8[self.name]

    def is_void(self) -> bool:
        return self.name == "void"

    @staticmethod
    def is_dtype(name: str) -> bool:
        """Returns whether there is a dtype of this name."""
        return name in _INTEGERS or name in _FLOATS or name == "void"

    def is_int(self) -> bool:
        return self.name in _INTEGERS

    def is_bool(self) -> bool:
        return self.name == "int1"

    def is_int_unsigned(self) -> bool:
        return self.name == "int1" or self.name.startswith("uint")

    def is_int_signed(self) -> bool:
        return self.is_int() and not self.is_int_unsigned()

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def int_range(self) -> tuple[int, int]:
        """The smallest and the largest value of an integer type."""
        if self.is_int_unsigned():
            return 0, (1 << self.primitive_bitwidth) - 1
        return -1 << (self.primitive_bitwidth - 1), (1 << (self.primitive_bitwidth - 1)) - 1

    def get_int_min_value(self) -> int:
        return self.int_range()[0]

    def get_int_max_value(self) -> int:
        return self.int_range()[1]

    def with_scalar(self, scalar: dtype) -> dtype:
        """The same kind of type with elements of the type `scalar`."""
        return scalar

    def __eq__(self, other):
        return type(other) is type(self) and other.name == self.name

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"eft.language.{self.name.replace('fp', 'float').replace('bf16', 'bfloat16')}"


def _add_predicates():
    """Adds a predicate to `dtype` for each type of a number: `is_fp32()` and so on."""
    for name in (*_INTEGERS, *_FLOATS):
        setattr(dtype, f"is_{name}", lambda self, name=name: self.name == name)


_add_predicates()


class pointer_type(dtype):
    """The type of a pointer to numbers of type `element_ty`. With `const`, stores through the
    pointer are errors. `address_space` has no effect."""

    def __init__(self, element_ty: dtype, address_space: object = 1, const: bool = False):
        if not isinstance(element_ty, dtype) or not (
            element_ty.is_int() or element_ty.is_floating()
        ):
            raise TypeError(f"element_ty must be the dtype of a number, got {element_ty!r}")
        self.element_ty = element_ty
        self.const = bool(const)
        self.primitive_bitwidth = 64
        self.itemsize = 8
        self.signature = f"*{'k' if self.const else ''}{element_ty.signature}"
        self.name = f"pointer<{'const ' if self.const else ''}{element_ty}>"
        # Booleans live in memory as bytes.
        self.ir = f"!eft.ptr<{'i8' if element_ty.is_bool() else element_ty.ir}>"
        self.kind = 3

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def __repr__(self):
        return self.name


class block_type(dtype):
    """The type of a block with elements of type `element_ty`. The shape is known at compile time,
    and its extents are powers of two."""

    def __init__(self, element_ty: dtype, shape):
        self.element_ty = element_ty
        self.shape = check_shape(shape)
        self.name = f"{element_ty}[{', '.join(map(str, self.shape))}]"
        self.ir = f"tensor<{''.join(f'{extent}x' for extent in self.shape)}{element_ty.ir}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth
        self.kind = element_ty.kind

    @property
    def scalar(self) -> dtype:
        return self.element_ty

    @property
    def numel(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def is_block(self) -> bool:
        return True

    def with_scalar(self, scalar: dtype) -> dtype:
        return block_type(scalar, self.shape)

    def get_block_shapes(self) -> tuple[int, ...]:
        return self.shape

    def __repr__(self):
        return self.name


# These predicates are about a single number or pointer, so a block type has False for each.
# `x.dtype`, the type of the elements, has the answer for the elements.
for _name in ("is_floating", "is_int", "is_int_signed", "is_int_unsigned", "is_ptr"):
    setattr(block_type, _name, lambda self: False)


def check_shape(shape) -> tuple[int, ...]:
    """Returns `shape` as a tuple of ints; an int gives a shape of one dimension. Raises a `Mistake`
    unless every extent is a power of two that is known at compile time, and the block has at most
    `MAX_ELEMENTS` elements."""
    extents = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    count = 1
    for extent in extents:
        if getattr(extent, "is_tensor", False):
            raise Mistake(
                f"a block's extent must be known at compile time, got {describe(extent)}: "
                "is a tl.constexpr annotation missing?"
            )
        if isinstance(extent, bool) or not isinstance(extent, int):
            raise Mistake(f"a block's extent must be an int, got {describe(extent)}")
        if extent <= 0 or extent & (extent - 1):
            raise Mistake(f"a block's extent must be a power of two, got {describe(extent)}")
        count *= extent
    if count > MAX_ELEMENTS:
        raise Mistake(f"a block must have at most {MAX_ELEMENTS} elements, got {describe(count)}")
    return extents


def describe(value) -> str:
    """A text for a value in a diagnostic: its type if it exists at run time, otherwise the value
    itself."""
    if getattr(value, "is_tensor", False):
        kind = "a block" if value.type.is_block() else "a value"
        return f"{kind} of type {value.type}"
    if isinstance(value, int) and not -_MOST_SHOWN < value < _MOST_SHOWN:
        return f"~{'-' if value < 0 else ''}2**{value.bit_length() - 1}"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, tuple | list):
        kind = type(value).__name__ if hasattr(value, "_fields") else "tuple or list"
        return f"a {kind} of {len(value)}"
    if isinstance(value, dtype):
        return f"the type {value}"
    if isinstance(value, NotYet):
        return f"tl.{value.__name__}, which is not supported yet"
    name = getattr(value, "__name__", None)
    return f"{name!r}" if isinstance(name, str) else f"an object of type {_name_of(type(value))!r}"


def _name_of(kind: type) -> str:
    """The name of a class. The name of its library is in front, unless it is Python's or Eft's:
    PyTorch, too, has a class `dtype`."""
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library in ("builtins", "eft") else f"{library}.{kind.__name__}"


void = dtype("void")
int1 = dtype("int1")
int8, int16, int32, int64 = (dtype(f"int{bits}") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (dtype(f"uint{bits}") for bits in (8, 16, 32, 64))
float8e4nv, float8e5, float8e4b8, float8e5b16, float8e4b15 = (dtype(name) for name in _FLOATS8)
float16, bfloat16, float32, float64 = (dtype(name) for name in ("fp16", "bf16", "fp32", "fp64"))

#: Every type that numbers can have.
NUMBERS = (
    int1,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float8e4nv,
    float8e5,
    float8e4b8,
    float8e5b16,
    float8e4b15,
    float16,
    bfloat16,
    float32,
    float64,
)
_BY_SIGNATURE = {number.signature: number for number in NUMBERS}
_BY_NAME = {number.name: number for number in NUMBERS} | {
    "float8_e4m3fn": float8e4nv,
    "float8_e5m2": float8e5,
    "float8_e4m3fnuz": float8e4b8,
    "float8_e5m2fnuz": float8e5b16,
    "float16": float16,
    "bfloat16": bfloat16,
    "float32": float32,
    "float64": float64,
    "float": float32,
    "int": int32,
    "bool": int1,
}


def from_signature(text: str) -> dtype:
    """The type that is written as `text` in a signature: `i32`, `*fp32`, `*kfp32` for a pointer to
    read-only memory. For `tensordesc<fp16[128, 64]>` it is a `descriptor_argument`. Raises a
    KeyError if there is no such type."""
    if text.startswith("tensordesc<"):
        from eft.language.descriptors import descriptor_argument

        return descriptor_argument(text)
    if text.startswith("*"):
        const = text.startswith("*k")
        return pointer_type(_BY_SIGNATURE[text[2 if const else 1 :]], const=const)
    return _BY_SIGNATURE[text]


def from_name(text: str) -> dtype | None:
    """The type of a number that users or other libraries call `text`; None if Eft has no such
    type."""
    return _BY_NAME.get(text) or _BY_SIGNATURE.get(text)
