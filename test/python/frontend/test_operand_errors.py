# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors for wrong operands: their text, line and column."""
# ruff: noqa: F821, F841, B015, B018 (the kernels are wrong on purpose)

from fractions import Fraction

import eft
import eft.language as tl
import pytest
from support import assert_mistake, mistakes


@eft.jit
def float_and_int(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr) & n)


@eft.jit
def pointer_times_int(x_ptr, n):
    x_ptr * n


@eft.jit
def pointer_plus_float(x_ptr, n):
    x_ptr + 1.5


@eft.jit
def float_floor_division(x_ptr, n):
    tl.load(x_ptr) // n


@eft.jit
def number_and_text(x_ptr, n):
    n + "1"


@eft.jit
def unsigned_and_negative(x_ptr, n):
    n.to(tl.uint32) + -1


@eft.jit
def number_out_of_range(x_ptr, n):
    n.to(tl.int8) + 300


@eft.jit
def mixed_signs(x_ptr, n):
    n % n.to(tl.uint32)


@eft.jit
def invert_float(x_ptr, n):
    ~tl.load(x_ptr)


@eft.jit
def pointers_compared(x_ptr, n):
    x_ptr < x_ptr


@eft.jit
def exp_of_int(x_ptr, n):
    tl.exp(n)


@eft.jit
def quotient_of_ints(x_ptr, n):
    tl.fdiv(n, 2)


@eft.jit
def odd_rounding(x_ptr, n):
    tl.fdiv(1.0, 2.0, ieee_rounding=n)


@eft.jit
def fused_ints(x_ptr, n):
    tl.fma(n, n, n)


@eft.jit
def half_of_product(x_ptr, n):
    tl.umulhi(n.to(tl.int16), n.to(tl.int16))


@eft.jit
def clamp_of_pointer(x_ptr, n):
    tl.clamp(x_ptr, 0, 1)


@eft.jit
def clamp_and_flag(x_ptr, n):
    tl.clamp(n, 0, 1, propagate_nan=True)


@eft.jit
def not_a_pointer(x_ptr, n):
    tl.load(n)


@eft.jit
def mask_is_int(x_ptr, n):
    tl.load(x_ptr + tl.arange(0, 32), mask=tl.arange(0, 32))


@eft.jit
def other_without_mask(x_ptr, n):
    tl.load(x_ptr, other=0.0)


@eft.jit
def bad_axis(x_ptr, n):
    tl.program_id(3)


@eft.jit
def pointer_as_seed(x_ptr, n):
    tl.rand(x_ptr, n)


@eft.jit
def float_as_seed(x_ptr, n):
    tl.rand(tl.load(x_ptr), n)


@eft.jit
def number_as_seed(x_ptr, n):
    tl.rand4x(1.5, n)


@eft.jit
def pointer_as_offset(x_ptr, n):
    tl.randint4x(n, x_ptr)


@eft.jit
def block_as_counter(x_ptr, n):
    tl.philox(n, n, n, n, tl.full((4,), 0.5, tl.float32))


@eft.jit
def bitcast_of_other_width(x_ptr, n):
    n.to(tl.float64, bitcast=True)


@eft.jit
def round_an_integer(x_ptr, n):
    n.to(tl.float16, fp_downcast_rounding="rtz")


@eft.jit
def bad_hint(x_ptr, n):
    tl.load(x_ptr, cache_modifier=".xy")


@eft.jit
def block_pointer(x_ptr, n):
    tl.load(x_ptr, boundary_check=(0,))


@eft.jit
def volatile_load(x_ptr, n):
    tl.load(x_ptr, volatile=n)


@eft.jit
def integer_too_wide(x_ptr, n):
    n + (1 << 64)


@eft.jit
def integer_too_low(x_ptr, n):
    n + (-(1 << 63) - 1)


@eft.jit
def integer_of_many_digits(x_ptr, n):
    n + (1 << 20000)


@eft.jit
def integer_of_many_digits_in_block(x_ptr, n):
    tl.full((4,), 1 << 20000, tl.int32)


@eft.jit
def tuple_without_end(x_ptr, n):
    (0,) * (1 << 60)


HALF = tl.constexpr(Fraction(1, 2))


@eft.jit
def cast_to_an_object(x_ptr, n):
    n.to(HALF)


@eft.jit
def cast_to_nothing(x_ptr, n):
    n.to(tl.void)


@eft.jit
def block_of_nothing(x_ptr, n):
    tl.zeros((4,), tl.void)


@eft.jit
def largest_of_one(x_ptr, n):
    max(n)


@eft.jit
def rounded_up_by_zero(x_ptr, n):
    tl.cdiv(5, 0)


@eft.jit
def rounded_up_text(x_ptr, n):
    tl.cdiv("a", "b")


@eft.jit
def list_as_value(x_ptr, n):
    tl.store(x_ptr, [1, 2, 3])


@eft.jit
def float_in_int_block(x_ptr, n):
    tl.full((4,), 1.5, tl.int32)


@eft.jit
def negative_pointer(x_ptr, n):
    -x_ptr


@eft.jit
def positive_pointer(x_ptr, n):
    +x_ptr


@eft.jit
def magnitude_of_pointer(x_ptr, n):
    tl.abs(x_ptr)


@eft.jit
def pointer_as_condition(x_ptr, n):
    tl.where(x_ptr, 1, 2)


@eft.jit
def address_in_32_bits(x_ptr, n):
    x_ptr.to(tl.int32)


@eft.jit
def float_as_address(x_ptr, n):
    tl.cast(1.5, tl.pointer_type(tl.int32))


@eft.jit
def number_as_pointer(x_ptr, n):
    tl.full((4,), 0, tl.pointer_type(tl.float32))


@eft.jit
def round_upward(x_ptr, n):
    tl.load(x_ptr).to(tl.float16, fp_downcast_rounding="up")


@eft.jit
def number_out_of_booleans(x_ptr, n):
    tl.full((4,), 2, tl.int1)


@eft.jit
def block_as_value_of_block(x_ptr, n):
    tl.full((4,), tl.arange(0, 4), tl.int32)


@mistakes(
    (
        float_and_int,
        "tl.load(x_ptr) &",
        "invalid operands of type fp32 and int32: `&` does not take them",
    ),
    (
        pointer_times_int,
        "x_ptr * n",
        "invalid operands of type pointer<fp32> and int32: `*` does not take them",
    ),
    (
        pointer_plus_float,
        "x_ptr + 1.5",
        "invalid operands of type pointer<fp32> and fp32: `+` does not take them",
    ),
    (
        float_floor_division,
        "tl.load",
        "invalid operands of type fp32 and int32: `//` does not take them",
    ),
    (number_and_text, "n + ", "`+` takes values of the kernel and numbers, got '1'"),
    (
        unsigned_and_negative,
        "n.to",
        "the negative number -1 meets an operand of type uint32: cast one of them",
    ),
    (number_out_of_range, "n.to", "the number 300 is out of the range of int8: -128 to 127"),
    (
        mixed_signs,
        "n % n",
        "can't divide int32 and uint32 because they have different signedness: cast one of them",
    ),
    (invert_float, "~tl", "unary `~` does not take an operand of type fp32"),
    (
        pointers_compared,
        "x_ptr < x_ptr",
        "invalid operands of type pointer<fp32> and pointer<fp32>: `<` does not take them",
    ),
    (exp_of_int, "tl.exp(n)", "exp needs a floating-point operand, got int32"),
    (quotient_of_ints, "tl.fdiv(", "fdiv needs a floating-point operand, got int32"),
    (
        odd_rounding,
        "tl.fdiv(",
        "fdiv needs ieee_rounding to be True or False, got a value of type int32",
    ),
    (fused_ints, "tl.fma(", "fma needs a floating-point operand, got int32"),
    (half_of_product, "tl.umulhi(", "umulhi needs integers of 32 or 64 bits, got int16"),
    (
        clamp_of_pointer,
        "tl.clamp(",
        "invalid operands of type pointer<fp32>, int32 and int32: clamp does not take them",
    ),
    (clamp_and_flag, "tl.clamp(", "clamp needs propagate_nan to be a tl.PropagateNan, got True"),
    (
        not_a_pointer,
        "tl.load(n)",
        "load needs a pointer or a block of pointers, got a value of type int32",
    ),
    (mask_is_int, "tl.load(", "load needs a mask of type int1, got a block of type int32[32]"),
    (other_without_mask, "tl.load(", "load has a value for masked elements but no mask"),
    (bad_axis, "tl.program_id(3)", "program_id needs an axis of 0, 1 or 2, got 3"),
    (
        pointer_as_seed,
        "tl.rand(",
        "rand needs an integer as its seed, got a pointer: load the seed first",
    ),
    (float_as_seed, "tl.rand(", "rand needs an integer as its seed, got a value of type fp32"),
    (number_as_seed, "tl.rand4x(", "rand4x needs an integer as its seed, got 1.5"),
    (
        pointer_as_offset,
        "tl.randint4x(",
        "randint4x needs an integer as its offset, got a pointer: load the offset first",
    ),
    (
        block_as_counter,
        "tl.philox(",
        "philox needs an integer as its counter, got a block of type fp32[4]",
    ),
    (
        bitcast_of_other_width,
        "n.to(",
        "a bitcast needs types of one width, got int32 (32 bits) and fp64 (64 bits)",
    ),
    (
        round_an_integer,
        "n.to(",
        "fp_downcast_rounding should be set only for truncating fp conversions. Source scalar type "
        "is int32 and destination type is fp16",
    ),
    (
        bad_hint,
        "tl.load(",
        "cache_modifier must be one of '', '.ca', '.cg', '.cs', '.cv', got '.xy'",
    ),
    (
        block_pointer,
        "tl.load(",
        "boundary_check and padding_option need a block pointer, got a value of type pointer<fp32>",
    ),
    (volatile_load, "tl.load(", "volatile must be True or False, got a value of type int32"),
    (integer_too_wide, "n + (", f"an integer must be from -2**63 to 2**64 - 1, got {1 << 64}"),
    (
        integer_too_low,
        "n + (",
        f"an integer must be from -2**63 to 2**64 - 1, got {-(1 << 63) - 1}",
    ),
    (integer_of_many_digits, "n + (", "an integer must be from -2**63 to 2**64 - 1, got ~2**20000"),
    (
        integer_of_many_digits_in_block,
        "tl.full(",
        "the number ~2**20000 is out of the range of int32: -2147483648 to 2147483647",
    ),
    (negative_pointer, "-x_ptr", "unary `-` does not take an operand of type pointer<fp32>"),
    (positive_pointer, "+x_ptr", "unary `+` does not take an operand of type pointer<fp32>"),
    (
        magnitude_of_pointer,
        "tl.abs(",
        "abs needs a number or a block of numbers, got a value of type pointer<fp32>",
    ),
    (
        pointer_as_condition,
        "tl.where(",
        "where needs a condition of type int1, got pointer<fp32>",
    ),
    (address_in_32_bits, "x_ptr.to(", "an address needs an integer of 64 bits, got int32"),
    (float_as_address, "tl.cast(", "an address must be an integer, got a value of type fp32"),
    (number_as_pointer, "tl.full(", "a pointer can't be made from the number 0"),
    (round_upward, "tl.load(", "fp_downcast_rounding must be 'rtne' or 'rtz', got 'up'"),
    (number_out_of_booleans, "tl.full(", "the number 2 is out of the range of int1"),
    (
        block_as_value_of_block,
        "tl.full(",
        "full needs a number as its value, got a block of type int32[4]",
    ),
    (cast_to_nothing, "n.to(", "cast needs a dtype, got the type void"),
    (
        cast_to_an_object,
        "n.to(",
        "cast needs a dtype, got an object of type 'fractions.Fraction'",
    ),
    (block_of_nothing, "tl.zeros(", "full needs a dtype, got the type void"),
    (largest_of_one, "max(", "'max' does not take these values in a kernel"),
    (rounded_up_by_zero, "tl.cdiv(", "cdiv of 5 by zero"),
    (rounded_up_text, "tl.cdiv(", "cdiv takes values of the kernel and numbers, got 'a'"),
    (tuple_without_end, "(0,) * ", "MemoryError"),
    (
        list_as_value,
        "tl.store(",
        "expected a value of the kernel or a number, got a tuple or list of 3",
    ),
    (float_in_int_block, "tl.full(", "the float 1.5 can't become a constant of type int32"),
)
def test_operands_that_do_not_fit(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.jit
def store_to_argument(x_ptr, n):
    tl.store(x_ptr, n)


@eft.jit
def store_to_const(x_ptr: tl.const, n):
    tl.store(x_ptr + tl.arange(0, 4), n)


@pytest.mark.parametrize(
    "kernel, types", [(store_to_argument, "*kfp32 i32"), (store_to_const, "*fp32 i32")]
)
def test_store_to_read_only_memory(kernel, types):
    assert_mistake(kernel, "tl.store(", "can't store through a pointer to read-only memory", types)


@eft.jit
def cast_to_writable(x_ptr, n):
    x_ptr.to(tl.pointer_type(tl.int32))


def test_cast_of_read_only_memory():
    assert_mistake(
        cast_to_writable,
        "x_ptr.to(",
        "a pointer to read-only memory can't become one that may be written through",
        "*kfp32 i32",
    )
