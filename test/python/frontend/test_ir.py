# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The block IR of kernels. Below each kernel are its CHECK lines, which start with its name."""

import collections

import eft
import eft.language as tl
import pytest
from eft.compiler.functions import lower as lower_to_module
from support import lower


@eft.jit
def masked_copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=1.0), mask=mask)


# masked_copy:      func.func @masked_copy(%[[X:.*]]: !eft.ptr<f32> {eft.divisibility = 16 : i32},
# masked_copy-SAME:   %[[Y:.*]]: !eft.ptr<f16>, %[[N:.*]]: i32)
# masked_copy:      %[[PID:.*]] = eft.program_id x
# masked_copy:      %[[BLOCK:.*]] = arith.constant 128 : i32
# masked_copy:      %[[START:.*]] = arith.muli %[[PID]], %[[BLOCK]] : i32
# masked_copy:      %[[RANGE:.*]] = eft.arange 0 to 128 : tensor<128xi32>
# masked_copy:      %[[STARTS:.*]] = eft.splat %[[START]]
# masked_copy:      %[[OFFSETS:.*]] = arith.addi %[[STARTS]], %[[RANGE]]
# masked_copy:      %[[NS:.*]] = eft.splat %[[N]]
# masked_copy:      %[[MASK:.*]] = arith.cmpi slt, %[[OFFSETS]], %[[NS]] : tensor<128xi32>
# masked_copy:      eft.splat %[[Y]]
# masked_copy:      %[[TO:.*]] = eft.addptr
# masked_copy:      eft.splat %[[X]]
# masked_copy:      %[[FROM:.*]] = eft.addptr
# masked_copy:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
# masked_copy:      %[[ONES:.*]] = eft.splat %[[ONE]]
# masked_copy:      %[[VALUE:.*]] = eft.load %[[FROM]], mask %[[MASK]] other %[[ONES]]
# masked_copy:      %[[HALF:.*]] = arith.truncf %[[VALUE]] : tensor<128xf32> to tensor<128xf16>
# masked_copy:      eft.store %[[TO]], %[[HALF]], mask %[[MASK]]
# masked_copy-NEXT: return


def test_masked_copy(check_ir):
    check_ir(masked_copy, "*fp32 *fp16 i32 _", ("16", "", "", ""), BLOCK=128)


@eft.jit
def booleans(x_ptr, y_ptr, n: tl.int64):
    tl.store(y_ptr, tl.load(x_ptr) & (n != 0))


# booleans: func.func @booleans(%[[X:.*]]: !eft.ptr<i8>, %[[Y:.*]]: !eft.ptr<i8>, %[[N:.*]]: i32)
# booleans: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
# booleans: %[[BYTE:.*]] = eft.load %[[X]] : !eft.ptr<i8>
# booleans: %[[ZERO:.*]] = arith.constant 0 : i8
# booleans: %[[TRUE:.*]] = arith.cmpi ne, %[[BYTE]], %[[ZERO]] : i8
# booleans: arith.cmpi ne, %[[WIDE]]
# booleans: %[[BOTH:.*]] = arith.andi %[[TRUE]]
# booleans: %[[OUT:.*]] = arith.extui %[[BOTH]] : i1 to i8
# booleans: eft.store %[[Y]], %[[OUT]]


def test_booleans_are_bytes_in_memory(check_ir):
    check_ir(booleans, "*i1 *i1 i32")


@eft.jit
def offsets_of_every_sign(x_ptr, a, b):
    tl.load(x_ptr + a)
    tl.load(x_ptr + b)
    tl.load(x_ptr - b)


# offsets_of_every_sign: @offsets_of_every_sign(%[[X:.*]]: !eft.ptr<f32>, %[[A:.*]]: i32, %[[B:.*]]:
# offsets_of_every_sign: eft.addptr %[[X]], %[[A]] : !eft.ptr<f32>, i32
# offsets_of_every_sign: %[[WIDE:.*]] = arith.extui %[[B]] : i32 to i64
# offsets_of_every_sign: eft.addptr %[[X]], %[[WIDE]] : !eft.ptr<f32>, i64
# offsets_of_every_sign: %[[AGAIN:.*]] = arith.extui %[[B]] : i32 to i64
# offsets_of_every_sign: %[[ZERO:.*]] = arith.constant 0 : i64
# offsets_of_every_sign: %[[BACK:.*]] = arith.subi %[[ZERO]], %[[AGAIN]] : i64
# offsets_of_every_sign: eft.addptr %[[X]], %[[BACK]]


def test_unsigned_offsets_are_zero_extended(check_ir):
    check_ir(offsets_of_every_sign, "*fp32 i32 u32")


@eft.jit
def random(x_ptr, seed, offset):
    tl.store(x_ptr, tl.rand(seed, offset))


# random: @random(%{{.*}}, %[[SEED:.*]]: i32, %[[OFFSET:.*]]: i64)
# random: %[[LOW:.*]] = arith.trunci %[[OFFSET]] : i64 to i32
# random: %[[ZERO:.*]] = arith.constant 0 : i32
# random: %[[SHIFT:.*]] = arith.constant 32 : i64
# random: %[[UPPER:.*]] = arith.shrsi %[[OFFSET]], %[[SHIFT]] : i64
# random: %[[HIGH:.*]] = arith.trunci %[[UPPER]] : i64 to i32
# random: %[[KEY:.*]] = arith.extsi %[[SEED]] : i32 to i64
# random: eft.philox seed %[[KEY]] counter %[[LOW]], %[[HIGH]], %[[ZERO]], %[[ZERO]] rounds 10


def test_offsets_of_64_bits(check_ir):
    check_ir(random, "*fp32 i32 i64")


@eft.jit
def scale(x, factor: tl.constexpr, offset=1.0):
    return x * factor, offset


@eft.jit
def calls(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    a, one = scale(x, 3)
    b, two = scale(x, 3)
    c, three = scale(a, offset=a, factor=4)
    tl.store(x_ptr + tl.arange(0, 64), b + three)


# calls:      func.func private @scale__0(%[[A:.*]]: tensor<64xf32>) -> tensor<64xf32>
# calls:        %[[THREE:.*]] = arith.constant dense<3.000000e+00>
# calls-NEXT:   %[[R:.*]] = arith.mulf %[[A]], %[[THREE]]
# calls-NEXT:   return %[[R]]
# calls:      func.func private @scale__1(%[[B:.*]]: tensor<64xf32>, %[[C:.*]]: tensor<64xf32>) ->
# calls-SAME:   (tensor<64xf32>, tensor<64xf32>)
# calls:        arith.constant dense<4.000000e+00>
# calls:        return %{{.*}}, %[[C]]
# calls:      func.func @calls
# calls:        call @scale__0
# calls:        call @scale__0
# calls:        call @scale__1


def test_one_function_for_each_kind_of_call(check_ir):
    check_ir(calls, "*fp32")


@eft.jit
def ignores(x_ptr, constant: tl.constexpr):
    tl.store(x_ptr, 1)


@eft.jit
def two_constants(x_ptr, A: tl.constexpr, B: tl.constexpr):
    ignores(x_ptr, A)
    ignores(x_ptr, B)


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    "a, b",
    [
        (frozenset({1}), frozenset({True})),
        (frozenset({0.0}), frozenset({-0.0})),
        ((1,), (True,)),
        (Pair(1, 2), Pair(True, 2)),
        (Pair(1, 2), (1, 2)),
        (complex(0.0, 0.0), complex(-0.0, 0.0)),
        (complex(0.0, 0.0), complex(0.0, -0.0)),
    ],
)
def test_equal_constants_that_differ_share_no_function(a, b):
    assert lower(two_constants, "*fp32 _ _", A=a, B=b).count("func private") == 2
    assert lower(two_constants, "*fp32 _ _", A=a, B=a).count("func private") == 1


@eft.jit
def known_at_compile_time(x_ptr, N: tl.constexpr, FLAG: tl.constexpr, nothing):
    HALF: tl.constexpr = N // 2
    if FLAG and nothing is None:
        tl.store(x_ptr + tl.arange(0, HALF), 1 if HALF > 4 else 2)
    elif not FLAG:
        tl.store(x_ptr, 3)
    else:
        undefined_and_never_looked_at  # noqa: B018, F821
    for i in tl.static_range(1, 3):
        tl.store(x_ptr + i, i * i)


# known_at_compile_time:     @known_at_compile_time(%[[X:.*]]: !eft.ptr<i32>)
# known_at_compile_time:     eft.arange 0 to 8
# known_at_compile_time:     arith.constant 1 : i32
# known_at_compile_time:     eft.store
# known_at_compile_time:     arith.constant 1 : i32
# known_at_compile_time:     arith.constant 1 : i32
# known_at_compile_time:     eft.store
# known_at_compile_time:     arith.constant 2 : i32
# known_at_compile_time:     arith.constant 4 : i32
# known_at_compile_time:     eft.store
# known_at_compile_time-NOT: eft.store


def test_control_flow_of_the_compile_time(check_ir):
    check_ir(known_at_compile_time, "*i32 _ _ _", N=16, FLAG=True, nothing=None)


@eft.jit
def early_return(x_ptr, STOP: tl.constexpr):
    if STOP:
        return
    tl.store(x_ptr, 1)


def test_nothing_follows_a_return():
    assert "eft.store" not in lower(early_return, "*i32 _", STOP=True)
    assert "eft.store" in lower(early_return, "*i32 _", STOP=False)


@eft.jit
def divided(x_ptr, n, stride):
    tl.store(x_ptr + n * stride, 0)


def test_a_parameter_that_is_one():
    text = lower(divided, "*i32 i32 i32", ("", "16", "1"))
    assert "%arg1: i32 {eft.divisibility = 16 : i32}, %arg2: i32)" in text
    assert "%arg2" not in text.split("\n", 2)[2]


@eft.jit
def two_dimensions(x_ptr, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[None, :]
    tl.store(x_ptr + rows * n + columns, tl.zeros([M, N], dtype=tl.float32))


# two_dimensions: %[[R:.*]] = eft.expand_dims %{{.*}} axis 1 : tensor<4xi32> -> tensor<4x1xi32>
# two_dimensions: %[[C:.*]] = eft.expand_dims %{{.*}} axis 0 : tensor<8xi32> -> tensor<1x8xi32>
# two_dimensions: %[[PS:.*]] = eft.addptr %{{.*}} : tensor<4x1x!eft.ptr<f32>>, tensor<4x1xi32>
# two_dimensions: eft.broadcast %[[PS]] : tensor<4x1x!eft.ptr<f32>> -> tensor<4x8x!eft.ptr<f32>>
# two_dimensions: eft.broadcast %{{.*}} : tensor<1x8xi32> -> tensor<4x8xi32>
# two_dimensions: eft.store


def test_two_dimensions(check_ir):
    check_ir(two_dimensions, "*fp32 i32 _ _", M=4, N=8)


def test_operations_know_their_place():
    module = lower_to_module(masked_copy, ["*fp32", "*fp16", "i32", None], {"BLOCK": 32}).module
    line = masked_copy.fn.__code__.co_firstlineno + 4
    column = masked_copy.source.line(line).index("tl.load") + 1
    assert f'loc("{__file__}":{line}:{column})' in module.text(locations=True)
