# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with a mistake. Both compilers must raise an error of the same class, with the same
phrase in its text."""

import triton
import triton.language as tl
from arrays import zeros
from program import fails, program, raised
from triton.compiler.errors import (
    CompilationError,
    CompileTimeAssertionFailure,
    UnsupportedLanguageConstruct,
)

_X = zeros(64)


@fails(CompilationError, "incompatible dimensions", _X)
@triton.jit
def shapes_that_do_not_meet(x_ptr):
    x = tl.arange(0, 16) + tl.arange(0, 32)
    tl.store(x_ptr + tl.arange(0, 32), x)


@fails(CompilationError, "invalid operands of type pointer<fp32> and", _X, 2)
@triton.jit
def a_pointer_times_a_number(x_ptr, n):
    tl.store(x_ptr * n, 1.0)


@fails(CompilationError, "because they have different signedness", zeros(64, dtype="uint32"), 3)
@triton.jit
def divides_signs_that_differ(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr) // n)


@fails(CompilationError, "is not defined", _X)
@triton.jit
def a_name_that_is_not_defined(x_ptr):
    tl.store(x_ptr, nowhere_defined)  # noqa: F821


PLAIN = 4


@fails(CompilationError, "PLAIN", _X)
@triton.jit
def reads_a_plain_global(x_ptr):
    tl.store(x_ptr, PLAIN)


@fails(CompileTimeAssertionFailure, "four is not five", _X, 4)
@triton.jit
def asserts_what_is_not_so(x_ptr, N: tl.constexpr):
    tl.static_assert(N == 5, "four is not five")
    tl.store(x_ptr, N)


@fails(UnsupportedLanguageConstruct, "", _X)
@triton.jit
def tries(x_ptr):
    try:
        tl.store(x_ptr, 1.0)
    finally:
        pass


@fails(UnsupportedLanguageConstruct, "", _X, 4)
@triton.jit
def leaves_a_loop(x_ptr, n):
    for i in range(n):
        tl.store(x_ptr + i, 1.0)
        break


@fails(CompilationError, "a power of", _X)
@triton.jit
def an_extent_that_is_no_power_of_two(x_ptr):
    offsets = tl.arange(0, 48)
    tl.store(x_ptr + offsets, 1.0)


@fails(CompilationError, "arange", _X, 48)
@triton.jit
def an_extent_of_run_time(x_ptr, n):
    tl.store(x_ptr + tl.arange(0, n), 1.0)


@fails(CompilationError, "", _X)
@triton.jit
def a_product_whose_extents_differ(x_ptr):
    x = tl.zeros((16, 32), tl.float16)
    y = tl.zeros((16, 32), tl.float16)
    tl.store(x_ptr, tl.sum(tl.dot(x, y)))


@fails(CompilationError, "reshape", _X)
@triton.jit
def a_reshape_to_another_size(x_ptr):
    tl.store(x_ptr + tl.arange(0, 32), tl.arange(0, 64).reshape(32))


@fails(CompilationError, "", _X)
@triton.jit
def a_condition_that_is_a_block(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    if x > 0:
        tl.store(x_ptr, 1.0)


@fails(CompilationError, "store", _X)
@triton.jit
def a_store_through_a_number(x_ptr):
    tl.store(tl.load(x_ptr), 1.0)


@fails(CompilationError, "", _X)
@triton.jit
def a_mask_of_another_shape(x_ptr):
    offsets = tl.arange(0, 64)
    tl.store(x_ptr + offsets, 1.0, mask=tl.arange(0, 32) < 3)


@fails(CompilationError, "mask", _X)
@triton.jit
def other_without_a_mask(x_ptr):
    offsets = tl.arange(0, 64)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, other=0.0))


@fails(CompilationError, "total", _X, 3)
@triton.jit
def a_loop_that_changes_a_type(x_ptr, n):
    total = 0
    for _ in range(n):
        total += 0.5
    tl.store(x_ptr, total)


@fails(CompilationError, "int32", _X, 3)
@triton.jit
def sides_of_two_types(x_ptr, n):
    if n > 2:
        y = tl.arange(0, 64)
    else:
        y = tl.arange(0, 32)
    tl.store(x_ptr + y, 1.0)


@fails(CompilationError, "has no attribute 'nowhere'", _X)
@triton.jit
def an_attribute_that_a_block_has_not(x_ptr):
    tl.store(x_ptr, tl.arange(0, 16).nowhere)


@fails(CompilationError, "store() got an unexpected keyword argument 'nowhere'", _X)
@triton.jit
def an_argument_that_a_function_has_not(x_ptr):
    tl.store(x_ptr, 1.0, nowhere=2)


@fails(CompilationError, "invalid operands of type", zeros(64))
@triton.jit
def bits_of_a_float(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) & 1)


@fails(CompilationError, "axis", _X)
@triton.jit
def an_axis_of_the_grid_that_is_not_there(x_ptr):
    tl.store(x_ptr, tl.program_id(3))


@fails(CompilationError, "bitcast", _X)
@triton.jit
def a_bitcast_to_another_width(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr).to(tl.int64, bitcast=True))


@fails(CompilationError, ".nowhere", _X)
@triton.jit
def an_unknown_option_of_a_load(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr, cache_modifier=".nowhere"))


@triton.jit
def _inner(x):
    return x + tl.arange(0, 32)


@fails(CompilationError, "incompatible dimensions", _X)
@triton.jit
def a_mistake_in_a_function(x_ptr):
    offsets = tl.arange(0, 64)
    tl.store(x_ptr + offsets, _inner(offsets))


@triton.jit
def good(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), n)


@program
def launches_with_wrong_arguments(device):
    x = device.put(_X)
    return [
        raised(
            TypeError,
            "missing 1 required positional argument: 'n'",
            lambda: good[(1,)](x, BLOCK=64),
        ),
        raised(
            TypeError,
            "takes 3 positional arguments but 4 were given",
            lambda: good[(1,)](x, 1, 64, 5),
        ),
        raised(
            TypeError,
            "got multiple values for argument 'BLOCK'",
            lambda: good[(1,)](x, 1, 64, BLOCK=64),
        ),
        raised(TypeError, "argument", lambda: good[(1,)](x, object(), BLOCK=64)),
        raised(TypeError, "argument", lambda: good[(1,)]("x", 1, BLOCK=64)),
    ]


@program
def what_is_no_function(device):
    return [
        raised(TypeError, "", lambda: triton.reinterpret(3, tl.int32)),
        raised(RuntimeError, "", lambda: good(1, 2, 3)),
    ]
