# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The block IR of functions that reshape, rearrange, reduce and scan blocks. Below each kernel are
its CHECK lines, which start with the kernel's name."""

import eft
import eft.language as tl
from support import lower


@eft.jit
def reshapes(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    y = x.reshape(8, 4, 2).T
    tl.store(x_ptr + tl.arange(0, 64), tl.ravel(y.permute((2, 0, 1))))
    tl.store(x_ptr, x.view((1, 64)).squeeze(-2).reshape([64]).sum())


# reshapes: %[[X:.*]] = eft.load
# reshapes: %[[CUBE:.*]] = eft.reshape %[[X]] : tensor<64xf32> -> tensor<8x4x2xf32>
# reshapes: %[[T:.*]] = eft.trans %[[CUBE]] order [0, 2, 1] : {{.*}} -> tensor<8x2x4xf32>
# reshapes: %[[P:.*]] = eft.trans %[[T]] order [2, 0, 1] : {{.*}} -> tensor<4x8x2xf32>
# reshapes: eft.reshape %[[P]] : tensor<4x8x2xf32> -> tensor<64xf32>
# reshapes: %[[V:.*]] = eft.reshape %[[X]] : tensor<64xf32> -> tensor<1x64xf32>
# reshapes: %[[S:.*]] = eft.reshape %[[V]] : tensor<1x64xf32> -> tensor<64xf32>
# reshapes: eft.reduce %[[S]] axis 0


def test_reshapes(check_ir):
    check_ir(reshapes, "*fp32")


@eft.jit
def joins(x_ptr, n):
    a = tl.arange(0, 8).reshape(2, 4)
    b = tl.cat(a, a + 1, dim=1)
    low, high = tl.join(n, 1).split()
    tl.store(x_ptr + tl.interleave(a, low), high)
    tl.store(x_ptr + b, n)


# joins: %[[A:.*]] = eft.reshape
# joins: %[[A1:.*]] = arith.addi %[[A]]
# joins: %[[AB:.*]] = eft.join %[[A]], %[[A1]] : tensor<2x4xi32> -> tensor<2x4x2xi32>
# joins: %[[CAT:.*]] = eft.trans %[[AB]] order [0, 2, 1]
# joins: eft.reshape %[[CAT]] : tensor<2x2x4xi32> -> tensor<2x8xi32>
# joins: %[[N:.*]] = eft.splat %{{.*}} : i32 -> tensor<1xi32>
# joins: %[[ONE:.*]] = eft.splat %{{.*}} : i32 -> tensor<1xi32>
# joins: eft.join %[[N]], %[[ONE]] : tensor<1xi32> -> tensor<1x2xi32>
# joins: eft.split %{{.*}} : tensor<1x2xi32> -> tensor<1xi32>
# joins: eft.join %[[A]], %{{.*}} : tensor<2x4xi32>
# joins: eft.reshape %{{.*}} : tensor<2x4x2xi32> -> tensor<2x8xi32>


def test_joins(check_ir):
    check_ir(joins, "*i32 i32")


@eft.jit
def moves(x_ptr):
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + i, x.flip())
    tl.store(x_ptr + i, x.gather(i.to(tl.uint8), 0))
    tl.store(x_ptr + i, x.gather(i.to(tl.uint32), -1))
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 1)).flip().item())


# moves: eft.exchange %[[X:.*]] axis 0 mask 7 : tensor<8xf32>
# moves: %[[WIDE:.*]] = arith.extui %{{.*}} : tensor<8xi8> to tensor<8xi32>
# moves: eft.gather %[[X]][%[[WIDE]]] axis 0
# moves: %[[WIDER:.*]] = arith.extui %{{.*}} : tensor<8xi32> to tensor<8xi64>
# moves: eft.gather %[[X]][%[[WIDER]]] axis 0
# moves-NOT: eft.exchange
# moves: eft.reduce %{{.*}} axis 0 order_free : (tensor<1xf32>) -> f32 {
# moves-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
# moves-NEXT:   eft.yield %[[A]] : f32


def test_moves(check_ir):
    check_ir(moves, "*fp32")


@eft.jit
def add_both(a, i, b, j):
    return a + b, i + j


@eft.jit
def reduces(x_ptr, y_ptr):
    i = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr, tl.sum(x))
    tl.store(y_ptr + tl.arange(0, 8), x.max(-2))
    y = tl.load(y_ptr + i)
    s, t = tl.reduce((x.to(tl.float64), y), 1, add_both, keep_dims=True)
    tl.store(y_ptr + tl.arange(0, 4)[:, None], t)
    tl.store(y_ptr + i, tl.cumsum(y, 1, reverse=True))


# reduces: func.func private @add_both__0(%{{.*}}: f64, %{{.*}}: f32, %{{.*}}: f64, %{{.*}}: f32)
# reduces: func.func @reduces
# reduces: %[[X:.*]] = eft.load %{{.*}} : tensor<4x8x!eft.ptr<i8>>
# reduces: %[[WIDE:.*]] = arith.extsi %[[X]] : tensor<4x8xi8> to tensor<4x8xi32>
# reduces: %[[FLAT:.*]] = eft.reshape %[[WIDE]] : tensor<4x8xi32> -> tensor<32xi32>
# reduces: eft.reduce %[[FLAT]] axis 0 order_free : (tensor<32xi32>) -> i32 {
# reduces-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
# reduces-NEXT:   %[[SUM:.*]] = arith.addi %[[A]], %[[B]]
# reduces-NEXT:   eft.yield %[[SUM]]
# reduces: eft.reduce %{{.*}} axis 0 order_free : (tensor<4x8xi32>) -> tensor<8xi32> {
# reduces:   arith.maxsi
# reduces: %[[R:.*]]:2 = eft.reduce %{{.*}} axis 1 : {{.*}} -> (tensor<4xf64>, tensor<4xf32>) {
# reduces-NEXT: ^bb0(%[[A:.*]]: f64, %[[C:.*]]: f32, %[[B:.*]]: f64, %[[D:.*]]: f32):
# reduces-NEXT:   %[[P:.*]]:2 = func.call @add_both__0(%[[A]], %[[C]], %[[B]], %[[D]])
# reduces-NEXT:   eft.yield %[[P]]#0, %[[P]]#1 : f64, f32
# reduces: eft.expand_dims %[[R]]#1 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
# reduces: eft.scan %{{.*}} axis 1 reverse


def test_reduces(check_ir):
    check_ir(reduces, "*i8 *fp32")


@eft.jit
def dtypes_of_results(x_ptr, EXPECTED: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.store(x_ptr, 0)
    SUM: tl.constexpr = tl.sum(x).dtype
    MAX: tl.constexpr = tl.max(x).dtype
    SCAN: tl.constexpr = x.cumprod().dtype
    BEST: tl.constexpr = x.min(0, return_indices=True)[0].dtype
    WHERE: tl.constexpr = x.argmin(0).dtype
    SORTED: tl.constexpr = x.sort().dtype
    if (SUM, MAX, SCAN, BEST, WHERE, SORTED) != EXPECTED:
        the_dtypes_differ  # noqa: B018, F821


def test_dtypes_of_results():
    wide = {
        "i1": (tl.uint32, tl.int32),
        "i8": (tl.int32, tl.int32),
        "u8": (tl.uint32, tl.int32),
        "i16": (tl.int32, tl.int32),
        "u16": (tl.uint32, tl.int32),
        "i32": (tl.int32, tl.int32),
        "u32": (tl.uint32, tl.uint32),
        "i64": (tl.int64, tl.int64),
        "u64": (tl.uint64, tl.uint64),
        "fp16": (tl.float16, tl.float32),
        "bf16": (tl.bfloat16, tl.float32),
        "fp32": (tl.float32, tl.float32),
        "fp64": (tl.float64, tl.float64),
    }
    for name, (total, extremum) in wide.items():
        own = tl.dtype(name.replace("u", "uint") if name[0] == "u" else name.replace("i", "int"))
        expected = (total, extremum, total, own, tl.int32, own)
        lower(dtypes_of_results, f"*{name} _", EXPECTED=expected)
