# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of random kernels: elementwise, moves of elements, reductions and scans."""

from __future__ import annotations

import math

import exact
import numpy as np
from eft.reference import reduce_in_order, scan_in_order
from random_values import Value, long_name
from support import DTYPES


class Elementwise:
    """The part of the generator that writes elementwise operations."""

    def partner(self, x: Value, accept=lambda value: True) -> Value | None:
        """A value that is accepted, and whose shape broadcasts with the shape of `x`."""

        def fits(y):
            return self.kernel.broadcast_shape(x.shape, y.shape) is not None and accept(y)

        return self.pick(fits)

    def binary(self):
        symbol = self.random.choice("+ + - - * * / / // % & | ^ << >> < == <= !=".split())
        x = self.pick(lambda value: self._takes(symbol, value))
        if x is None:
            return
        if self.random.random() < 0.2:
            self._binary_with_literal(symbol, x)
            return
        y = self.partner(x, lambda value: self._takes(symbol, value))
        if y is not None and _agree(symbol, x.dtype, y.dtype):
            self._binary(symbol, x, y)

    def integer_division(self):
        """A quotient or a remainder of integers, which must have the same signedness."""
        symbol = self.random.choice(["//", "%"])
        x = self.pick(lambda value: not exact.is_float(value.dtype) and value.dtype != "int1")
        if x.dtype[0] == "u" and self.random.random() < 0.5:
            x = self.define_cast(x, x.dtype[1:])
        y = self.partner(x, lambda value: not exact.is_float(value.dtype))
        if y is None:
            return
        if not _agree(symbol, x.dtype, y.dtype):
            y = self.define_cast(y, x.dtype)
        self._binary(symbol, x, y)

    def _binary_with_literal(self, symbol: str, x: Value):
        text, number = self.literal(x, symbol)
        if self.random.random() < 0.5 and symbol not in ("<<", ">>"):
            text = f"({text} {symbol} {x.name})"
            compute = lambda x: exact.binary(symbol, number, x)  # noqa: E731
        else:
            text = f"({x.name} {symbol} {text})"
            compute = lambda x: exact.binary(symbol, x, number)  # noqa: E731
        common = exact.meeting(exact.name_of(number), x.dtype, symbol)
        self._define_binary(symbol, text, compute, [x], common, x.shape)

    def _binary(self, symbol: str, x: Value, y: Value):
        common = exact.meeting(x.dtype, y.dtype, symbol)
        shape = np.broadcast_shapes(x.shape, y.shape)
        text = f"{x.name} {symbol} {y.name}"
        compute = lambda x, y: exact.binary(symbol, x, y)  # noqa: E731
        self._define_binary(symbol, text, compute, [x, y], common, shape)

    def _define_binary(self, symbol: str, text, compute, operands, common: str, shape):
        dtype = common
        if symbol in exact.COMPARISONS:
            dtype = "int1"
        elif symbol == "/" and not exact.is_float(common):
            dtype = "fp32"
        elif symbol in "/%" and common in ("fp16", "bf16"):
            dtype = "fp32"
        product = symbol == "*" and exact.is_float(dtype)
        self.define(text, compute, operands, dtype, shape, product=product)

    def _takes(self, symbol: str, x: Value) -> bool:
        if symbol in ("&", "|", "^"):
            return not exact.is_float(x.dtype)
        if symbol in ("<<", ">>", "//"):
            return not exact.is_float(x.dtype) and x.dtype != "int1"
        if symbol in "+-":
            return not x.product
        return x.dtype != "int1" or symbol in "* == !=".split()

    def unary(self):
        x = self.pick()
        is_float = exact.is_float(x.dtype)
        choices = [("-{}", exact.negative, True), ("tl.abs({})", exact.absolute, True)]
        if not is_float:
            choices.append(("~{}", exact.invert, True))
        if x.dtype in ("fp32", "fp64"):
            choices.append(("tl.sqrt({})", exact.square_root, False))
        text, compute, keeps = self.random.choice(choices)
        self.define(
            text.format(x.name), compute, [x], x.dtype, x.shape, product=x.product and keeps
        )

    def cast(self):
        self.define_cast(self.pick(), self.random.choice(list(DTYPES)))

    def define_cast(self, x: Value, dtype: str) -> Value:
        text = f"{x.name}.to(tl.{long_name(dtype)})"
        compute = lambda x: exact.cast(x, dtype)  # noqa: E731
        return self.define(text, compute, [x], dtype, x.shape, product=x.product)

    def extremum(self):
        x = self.pick()
        is_max = self.random.random() < 0.5
        function = f"tl.{'maximum' if is_max else 'minimum'}"
        if self.random.random() < 0.2:
            text, number = self.literal(x)
            self.define(
                f"{function}({x.name}, {text})",
                lambda x: exact.extremum(x, number, is_max),
                [x],
                exact.meeting(x.dtype, exact.name_of(number)),
                x.shape,
                product=x.product,
            )
            return
        y = self.partner(x)
        self.define(
            f"{function}({x.name}, {y.name})",
            lambda x, y: exact.extremum(x, y, is_max),
            [x, y],
            exact.meeting(x.dtype, y.dtype),
            np.broadcast_shapes(x.shape, y.shape),
            product=x.product or y.product,
        )

    def choice(self):
        condition = self.pick(lambda value: value.dtype == "int1")
        x = condition and self.partner(condition)
        y = x and self.partner(x)
        shape = y and self.kernel.broadcast_shape(condition.shape, x.shape, y.shape)
        if shape is None:
            return
        self.define(
            f"tl.where({condition.name}, {x.name}, {y.name})",
            lambda c, x, y: np.broadcast_to(exact.choose(c, x, y), shape),
            [condition, x, y],
            exact.meeting(x.dtype, y.dtype),
            shape,
            product=x.product or y.product,
        )

    def rough(self):
        x = self.pick(lambda value: value.dtype in ("fp32", "fp64"))
        if x is None or not self.rough_allowed:
            return
        name, compute = self.random.choice([("exp", np.exp), ("log", np.log)])

        def quiet(x):
            with np.errstate(all="ignore"):
                return np.asarray(compute(x))

        self.define(f"tl.{name}({x.name})", quiet, [x], x.dtype, x.shape, rough=True)


class Moves:
    """The part of the generator that moves the elements of blocks, and reshapes blocks."""

    def move(self):
        x = self.pick(lambda value: value.shape != ())
        if x is None:
            return
        rank = len(x.shape)
        dim = self.random.randrange(rank)
        flags = {"product": x.product}
        kind = self.random.choice(["expand", "reshape", "trans", "flip", "cat", "join", "gather"])
        if kind == "expand" and rank < 4:
            text, compute = f"tl.expand_dims({x.name}, {dim})", lambda x: np.expand_dims(x, dim)
        elif kind == "reshape":
            shape = self._shape_of(math.prod(x.shape))
            text, compute = f"{x.name}.reshape({shape})", lambda x: x.reshape(shape)
        elif kind == "trans":
            order = tuple(self.random.sample(range(rank), rank))
            text, compute = f"{x.name}.permute({order})", lambda x: x.transpose(order)
        elif kind == "flip":
            text, compute = f"tl.flip({x.name}, {dim})", lambda x: np.flip(x, dim)
        elif kind == "gather":
            return self._gather(x, dim)
        else:
            return self._joined(x, dim, kind)
        zeros = np.zeros(x.shape)
        self.define(text, compute, [x], x.dtype, compute(zeros).shape, **flags)

    def _shape_of(self, numel: int) -> tuple[int, ...]:
        bits = numel.bit_length() - 1
        cuts = sorted(self.random.randint(0, bits) for _ in range(self.random.choice([0, 1, 1, 2])))
        ends = [0, *cuts, bits]
        return tuple(1 << (high - low) for low, high in zip(ends, ends[1:], strict=False))

    def _joined(self, x: Value, dim: int, kind: str):
        y = self.pick(lambda value: (value.dtype, value.shape) == (x.dtype, x.shape))
        if 2 * math.prod(x.shape) > self.kernel.largest or len(x.shape) > 3:
            return
        flags = {"product": x.product or y.product}
        shape = np.array(x.shape)
        if kind == "cat":
            shape[dim] *= 2
            text = f"tl.cat({x.name}, {y.name}, dim={dim})"
            compute = lambda x, y: np.concatenate([x, y], dim)  # noqa: E731
        else:
            shape = (*x.shape, 2)
            text = f"tl.join({x.name}, {y.name})"
            compute = lambda x, y: np.stack([x, y], -1)  # noqa: E731
        joined = self.define(text, compute, [x, y], x.dtype, tuple(map(int, shape)), **flags)
        if kind == "join" and self.random.random() < 0.5:
            half = self.random.randrange(2)
            self.define(
                f"{joined.name}.split()[{half}]",
                lambda x: x[..., half],
                [joined],
                x.dtype,
                x.shape,
                **flags,
            )

    def _gather(self, x: Value, dim: int):
        extent = x.shape[dim]
        factor = self.random.randint(0, 99)
        index = f"(offsets({x.shape}) * {factor} & {extent - 1})"

        def compute(x):
            places = np.arange(x.size).reshape(x.shape) * factor & (extent - 1)
            return np.take_along_axis(x, places, dim)

        text = f"tl.gather({x.name}, {index}, {dim})"
        self.define(text, compute, [x], x.dtype, x.shape, product=x.product)


class Combinations:
    """The part of the generator that writes reductions, scans and sorts."""

    def reduction(self):
        kind = self.random.choice(
            "sum sum max min argmax argmin xor_sum reduce pair triple".split()
        )
        x = self.pick(
            lambda v: v.shape != () and (kind != "xor_sum" or not exact.is_float(v.dtype))
        )
        if x is None or (kind.startswith("arg") and x.rough):
            return
        axis = self.random.choice([None, *range(len(x.shape))])
        keep = self.random.random() < 0.4
        shape = np.zeros(x.shape).sum(axis, keepdims=keep).shape
        warps = self.kernel.num_warps
        text, dtype, compute = _reduction(kind, x, axis, keep, warps)
        self.define(text, lambda x: compute(x).reshape(shape), [x], dtype, shape)

    def scan(self):
        x = self.pick(lambda value: value.shape != ())
        if x is None:
            return
        axis = self.random.randrange(len(x.shape))
        reverse = self.random.random() < 0.4
        name, dtype, combine = self.random.choice(
            [
                ("cumsum", exact.summed_name(x.dtype), np.add),
                ("cumprod", exact.summed_name(x.dtype), np.multiply),
                ("associative_scan", x.dtype, lambda a, b: exact.extremum(a, b, False)),
            ]
        )
        function = ", smaller" if name == "associative_scan" else ""

        def compute(x):
            with np.errstate(all="ignore"):
                return scan_in_order(exact.cast(x, dtype), axis, combine, reverse)

        text = f"tl.{name}({x.name}, {axis}{function}, reverse={reverse})"
        self.define(text, compute, [x], dtype, x.shape)

    def sort(self):
        x = self.pick(lambda value: value.shape != () and not exact.is_float(value.dtype))
        if x is None:
            return
        dim = self.random.randrange(len(x.shape))
        if x.shape[dim] > 64:
            return
        down = self.random.random() < 0.5

        def compute(x):
            order = np.sort(x, dim)
            return np.flip(order, dim) if down else order

        text = f"tl.sort({x.name}, {dim}, descending={down})"
        self.define(text, compute, [x], x.dtype, x.shape)


def _agree(symbol: str, a: str, b: str) -> bool:
    """True if an operator takes two types. If both are integer types, a division or remainder
    needs the same signedness, and no int1."""
    signs = a.startswith("int") == b.startswith("int") and a != "int1" and b != "int1"
    both = not exact.is_float(a) and not exact.is_float(b)
    return not (both and symbol in ("/", "//", "%")) or signs


def _reduction(kind: str, x: Value, axis, keep: bool, warps: int):
    """The text of a reduction, the type of its result, and a function that computes it in NumPy."""

    def reducing(dtype: str, combine):
        def compute(x):
            with np.errstate(all="ignore"):
                return np.asarray(reduce_in_order(exact.cast(x, dtype), axis, combine, warps))

        return dtype, compute

    tail = f"{x.name}, {axis}, keep_dims={keep}"
    if kind == "sum":
        return f"tl.sum({tail})", *reducing(exact.summed_name(x.dtype), np.add)
    if kind == "xor_sum":
        return f"tl.xor_sum({tail})", *reducing(x.dtype, np.bitwise_xor)
    if kind in ("max", "min"):
        combine = lambda a, b: exact.extremum(a, b, kind == "max")  # noqa: E731
        return f"tl.{kind}({tail})", *reducing(exact.extremum_name(x.dtype), combine)
    if kind == "reduce":
        combine = np.logical_and if x.dtype == "int1" else np.multiply
        text = f"tl.reduce({x.name}, {axis}, multiply, keep_dims={keep})"
        return text, *reducing(x.dtype, combine)
    if kind == "pair":
        text = f"tl.reduce(({x.name}, {x.name}.to(tl.int32)), {axis}, add_and_count, {keep})[0]"
        combine = np.logical_xor if x.dtype == "int1" else np.add
        return text, *reducing(x.dtype, combine)
    if kind == "triple":
        number = int(warps.bit_length() % 3)
        blocks = f"({x.name}.to(tl.float32), {x.name}, {x.name}.to(tl.int32))"

        def combined(x):
            blocks = exact.cast(x, "fp32"), x, exact.cast(x, "int32")
            with np.errstate(all="ignore"):
                return np.asarray(reduce_in_order(blocks, axis, _spread, warps)[number])

        text = f"tl.reduce({blocks}, {axis}, spread, {keep})[{number}]"
        return text, ("fp32", x.dtype, "int32")[number], combined

    def place(x):
        x = x.reshape(-1) if axis is None else x
        dim = axis or 0
        index = np.arange(x.shape[dim], dtype=np.int32)
        index = index.reshape([-1 if i == dim else 1 for i in range(x.ndim)])
        both = x, np.broadcast_to(index, x.shape)
        combine = lambda a, i, b, j: exact.place_of(a, i, b, j, kind == "argmax")  # noqa: E731
        return np.asarray(reduce_in_order(both, dim, combine, warps)[1])

    return f"tl.{kind}({tail})", "int32", place


def _spread(a, m, x, b, n, y):
    """Computes in NumPy what the function `spread` of the kernel's file computes."""
    return a - b / np.float32(2), exact.extremum(m, n, True), x ^ y
