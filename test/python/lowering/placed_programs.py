# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of placed block IR that move, reduce or scan a block, and their results.

Layouts are random, too: the bases are index bits in any order, sums of index bits, and zeros.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from gpu_threads import TYPES

Layout = dict[
    str, list[int]
]  # for each dimension of a place, the bases of its bits, as packed indices


def log2(extent: int) -> int:
    return extent.bit_length() - 1


def unpack(index: int, shape: list[int]) -> list[int]:
    """The coordinates of an element by its row-major number."""
    coordinates = []
    for extent in reversed(shape):
        coordinates.insert(0, index % extent)
        index //= extent
    return coordinates


def block_type(shape: list[int], element: str, layout: Layout) -> str:
    places = (
        f"{name} = [{', '.join(str(unpack(column, shape)) for column in columns)}]"
        for name, columns in layout.items()
    )
    extents = "".join(f"{extent}x" for extent in shape)
    return f"tensor<{extents}{element}, #eft.layout<{', '.join(places)}>>"


def sliced(layout: Layout, shape: list[int], axis: int) -> Layout:
    """The layout of a block without the dimension `axis`."""

    def column_without(column: int) -> int:
        packed = 0
        for dim, coordinate in enumerate(unpack(column, shape)):
            if dim != axis:
                packed = packed * shape[dim] + coordinate
        return packed

    return {name: [column_without(c) for c in columns] for name, columns in layout.items()}


def is_independent(columns: list[int]) -> bool:
    leading: dict[int, int] = {}
    for column in columns:
        while column and column.bit_length() in leading:
            column ^= leading[column.bit_length()]
        if column == 0:
            return False
        leading[column.bit_length()] = column
    return True


@dataclass
class Program:
    name: str
    source: str
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]


class Programs:
    """Draws programs for a GPU with `warps` warps, or for a CPU if `warps` is 0."""

    def __init__(self, seed: int, warps: int):
        self.random = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.warps = warps

    # Parts of programs

    def shape(self, bits: int = 9) -> list[int]:
        rank = self.random.choice([1, 1, 2, 2, 3])
        while True:
            shape = [1 << self.random.randrange(8) for _ in range(rank)]
            if sum(map(log2, shape)) <= bits:
                return shape

    def layout(self, shape: list[int]) -> Layout:
        bits = sum(map(log2, shape))
        columns = [1 << bit for bit in range(bits)]
        kind = self.random.choice(["permuted", "permuted", "sums", "copies"])
        while kind == "sums" and bits > 1:
            columns = [self.random.randrange(1, 1 << bits) for _ in range(bits)]
            if is_independent(columns):
                break
        if kind == "copies":
            columns += [0] * self.random.randrange(3)
        self.random.shuffle(columns)
        if self.warps == 0:
            lanes = self.random.randrange(min(4, len(columns)) + 1)
            return {"lane": columns[:lanes], "step": columns[lanes:]}
        threads = 5 + log2(self.warps)
        columns += [0] * (threads - len(columns))
        if kind == "copies":
            self.random.shuffle(columns)
        lanes, warps, registers = columns[:5], columns[5:threads], columns[threads:]
        return {"register": registers, "lane": lanes, "warp": warps}

    def values(self, shape: list[int], element: str) -> np.ndarray:
        dtype = np.dtype(TYPES[element])
        if element[0] == "f":
            return self.data.standard_normal(shape).astype(dtype)
        return self.data.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]

    # Programs

    def draw(self) -> Program:
        kinds = [self.convert, self.exchange, self.trans, self.join, self.split, self.gather]
        return self.random.choice([*kinds, self.reduce, self.reduce, self.scan, self.scan])()

    def element(self) -> str:
        return self.random.choice([name for name in TYPES if name != "i1"])

    def program(self, name, body, inputs, outputs) -> Program:
        """A program whose body computes %c and %d from %a and %b, given as (array, layout)."""
        names = {np.dtype(dtype): name for name, dtype in TYPES.items()}
        text, arguments = "", []
        for value, (array, layout) in zip("ab", inputs, strict=False):
            element = names[array.dtype]
            arguments.append(f"%p{value}: !eft.ptr<{element}>")
            text += self.access(value, array, element, layout, isLoad=True)
        text += body
        for value, (array, layout) in zip("cd", outputs, strict=False):
            element = names[array.dtype]
            arguments.append(f"%p{value}: !eft.ptr<{element}>")
            if layout is None:
                text += f"eft.store %p{value}, %{value} : !eft.ptr<{element}>\n"
            else:
                text += self.access(value, array, element, layout, isLoad=False)
        source = f"func.func @kernel({', '.join(arguments)}) {{\n{text}return\n}}\n"
        return Program(name, source, [a for a, _ in inputs], [a for a, _ in outputs])

    def access(self, name, array, element, layout, isLoad) -> str:
        flat, shape = [array.size], list(array.shape)
        pointers = block_type(flat, f"!eft.ptr<{element}>", layout)
        indices, values = block_type(flat, "i32", layout), block_type(flat, element, layout)
        shaped = block_type(shape, element, layout)
        text = (
            f"%i{name} = eft.arange 0 to {array.size} : {indices}\n"
            f"%s{name} = eft.splat %p{name} : !eft.ptr<{element}> -> {pointers}\n"
            f"%q{name} = eft.addptr %s{name}, %i{name} : {pointers}, {indices}\n"
        )
        if isLoad:
            return text + (
                f"%f{name} = eft.load %q{name} : {pointers}\n"
                f"%{name} = eft.reshape %f{name} : {values} -> {shaped}\n"
            )
        return text + (
            f"%f{name} = eft.reshape %{name} : {shaped} -> {values}\n"
            f"eft.store %q{name}, %f{name} : {pointers}\n"
        )

    def convert(self) -> Program:
        shape, element = self.shape(), self.element()
        a, here, there = self.values(shape, element), self.layout(shape), self.layout(shape)
        types = f"{block_type(shape, element, here)} -> {block_type(shape, element, there)}"
        body = f"%c = eft.convert_layout %a : {types}\n"
        return self.program("convert", body, [(a, here)], [(a, there)])

    def exchange(self) -> Program:
        shape, element = self.shape(), self.element()
        a, layout = self.values(shape, element), self.layout(shape)
        axis = self.random.randrange(len(shape))
        mask = self.random.randrange(shape[axis])
        kind = block_type(shape, element, layout)
        body = f"%c = eft.exchange %a axis {axis} mask {mask} : {kind}\n"
        c = np.take(a, np.arange(shape[axis]) ^ mask, axis)
        return self.program("exchange", body, [(a, layout)], [(c, layout)])

    def trans(self) -> Program:
        shape, element = self.shape(), self.element()
        a, here = self.values(shape, element), self.layout(shape)
        order = self.random.sample(range(len(shape)), len(shape))
        c = a.transpose(order)
        there = self.layout(list(c.shape))
        types = f"{block_type(shape, element, here)} -> {block_type(c.shape, element, there)}"
        body = f"%c = eft.trans %a order {order} : {types}\n"
        return self.program("trans", body, [(a, here)], [(c, there)])

    def join(self) -> Program:
        shape, element = self.shape(), self.element()
        a, b = self.values(shape, element), self.values(shape, element)
        c = np.stack([a, b], -1)
        there = self.layout(list(c.shape))
        here = sliced(there, list(c.shape), len(shape))
        types = f"{block_type(shape, element, here)} -> {block_type(c.shape, element, there)}"
        body = f"%c = eft.join %a, %b : {types}\n"
        return self.program("join", body, [(a, here), (b, here)], [(c, there)])

    def split(self) -> Program:
        shape, element = self.shape(), self.element()
        a = self.values([*shape, 2], element)
        here, there = self.layout(list(a.shape)), self.layout(shape)
        types = f"{block_type(a.shape, element, here)} -> {block_type(shape, element, there)}"
        body = f"%c, %d = eft.split %a : {types}\n"
        outputs = [(a[..., 0], there), (a[..., 1], there)]
        return self.program("split", body, [(a, here)], outputs)

    def booleans(self) -> Program:
        """A program that moves booleans by an exchange, and then by a conversion of layouts."""
        shape = self.shape()
        a, here, there = self.values(shape, "i8"), self.layout(shape), self.layout(shape)
        axis = self.random.randrange(len(shape))
        mask = self.random.randrange(shape[axis])
        near, far = block_type(shape, "i1", here), block_type(shape, "i1", there)
        body = (
            f"%h = arith.trunci %a : {block_type(shape, 'i8', here)} to {near}\n"
            f"%x = eft.exchange %h axis {axis} mask {mask} : {near}\n"
            f"%m = eft.convert_layout %x : {near} -> {far}\n"
            f"%c = arith.extui %m : {far} to {block_type(shape, 'i8', there)}\n"
        )
        c = np.take(a & 1, np.arange(shape[axis]) ^ mask, axis)
        return self.program("booleans", body, [(a, here)], [(c, there)])

    def gather(self) -> Program:
        shape, element = self.shape(), self.element()
        a, here = self.values(shape, element), self.layout(shape)
        axis = self.random.randrange(len(shape))
        wanted = shape[:axis] + [1 << self.random.randrange(6)] + shape[axis + 1 :]
        width = self.random.choice(["i32", "i64"])
        b = self.data.integers(0, shape[axis], wanted).astype(TYPES[width])
        there = self.layout(wanted)
        types = ", ".join([block_type(shape, element, here), block_type(wanted, width, there)])
        result = block_type(wanted, element, there)
        body = f"%c = eft.gather %a[%b] axis {axis} : {types} -> {result}\n"
        c = np.take_along_axis(a, b.astype(np.int64), axis)
        return self.program("gather", body, [(a, here), (b, there)], [(c, there)])

    def combining(self, shape, layout):
        """Inputs, their types, the combiner's region, and the combiner in NumPy."""
        element = self.random.choice(["f32", "i32", "f64", "i8"])
        a = self.values(shape, element)
        if element[0] == "f" and self.random.random() < 0.4:
            b = np.arange(a.size, dtype=np.uint32).reshape(shape)
            return (
                [(a, layout), (b, layout)],
                [element, "i32"],
                LARGER.replace("E", element),
                larger,
            )
        suffix = "f" if element[0] == "f" else "i"
        region = self.random.choice([SUM, SHIFTED_SUM]).replace("S", suffix).replace("E", element)
        half = "0.5" if suffix == "f" else "3"
        function = add if "mul" not in region else shifted_add
        return [(a, layout)], [element], region.replace("H", half), function

    def reduce(self) -> Program:
        shape = self.shape()
        here, axis = self.layout(shape), self.random.randrange(len(shape))
        bits = log2(shape[axis])
        folded = self.random.choice([bits, bits, self.random.randrange(bits + 1)])
        tree = [1 << bit for bit in range(folded)]
        self.random.shuffle(tree)
        return self.reduction(shape, here, axis, 1 << (bits - folded), tree)

    def across_warps(self) -> Program:
        """A reduction of rows in which warps hold different elements, which are combined last."""
        warps, row = log2(self.warps), self.random.randrange(3)
        columns = [1 << bit for bit in range(5 + warps + row)]
        self.random.shuffle(columns)
        lanes, own, others = columns[:5], columns[5 : 5 + warps], columns[5 + warps :]
        if self.random.random() < 0.3:
            lanes[0] = 0  # A lane bit that makes copies, and another row in a register.
            others.append(columns[0])
        tree = self.random.sample([*columns[:5], *columns[5 + warps :]], 5 + row)
        tree += self.random.sample(own, warps)
        here = {"register": others, "lane": lanes, "warp": own}
        return self.reduction([1 << len(columns)], here, 0, 1, tree)

    def reduction(self, shape, here, axis, steps, tree) -> Program:
        inputs, elements, region, combine = self.combining(shape, here)
        rest = shape[:axis] + shape[axis + 1 :]
        there = sliced(here, shape, axis)
        results = [block_type(rest, e, there) if rest else e for e in elements]
        body = self.call("reduce", f"axis {axis} steps {steps} tree {tree}", inputs, elements)
        body += f"({', '.join(results)}) {{\n{region}}}\n"
        folded = reduce_in_order([a for a, _ in inputs], axis, steps, tree, combine)
        return self.program("reduce", body, inputs, [(c, there if rest else None) for c in folded])

    def integers(self) -> Program:
        """A reduction of integers that is free of order. In most, all lanes lie along the axis."""
        shape = [1 << self.random.randrange(3), 32 << self.random.randrange(4)]
        here = self.layout(shape)
        if self.random.random() < 0.7:
            here = self.with_lanes_along_rows(shape)
        element = self.random.choice(["i8", "i16", "i32", "i32", "i64"])
        name = self.random.choice(list(INTEGER_FUNCTIONS))
        a, there = self.values(shape, element), sliced(here, shape, 1)
        tree = [1 << bit for bit in range(log2(shape[1]))]
        self.random.shuffle(tree)
        body = self.call("reduce", f"axis 1 order_free steps 1 tree {tree}", [(a, here)], [element])
        region = f"^bb0(%x: E, %y: E):\n%s = arith.{name} %x, %y : E\neft.yield %s : E\n"
        body += f"{block_type(shape[:1], element, there)} {{\n{region.replace('E', element)}}}\n"
        numbers = a.view(f"i{a.itemsize}") if name.endswith("si") else a
        c = INTEGER_FUNCTIONS[name].reduce(numbers, axis=1, dtype=numbers.dtype).view(a.dtype)
        return self.program("integers", body, [(a, here)], [(c, there)])

    def with_lanes_along_rows(self, shape: list[int]) -> Layout:
        """A layout for a GPU in which a warp holds 32 elements of a row, or 16 elements twice."""
        row = [1 << bit for bit in range(log2(shape[1]))]
        self.random.shuffle(row)
        lanes = row[:5] if self.random.random() < 0.7 else [*row[:4], 0]
        self.random.shuffle(lanes)
        others = [c for c in row if c not in lanes] + [shape[1] << b for b in range(log2(shape[0]))]
        self.random.shuffle(others)
        warps = log2(self.warps)
        others += [0] * (warps - len(others))
        return {"register": others[warps:], "lane": lanes, "warp": others[:warps]}

    def scan(self) -> Program:
        shape = self.shape()
        layout, axis = self.layout(shape), self.random.randrange(len(shape))
        inputs, elements, region, combine = self.combining(shape, layout)
        is_reverse = self.random.random() < 0.4
        how = f"axis {axis}{' reverse' if is_reverse else ''}"
        body = self.call("scan", how, inputs, elements)
        types = ", ".join(block_type(shape, element, layout) for element in elements)
        body += f"({types}) {{\n{region}}}\n"
        scanned = scan_in_order([a for a, _ in inputs], axis, is_reverse, combine)
        return self.program("scan", body, inputs, [(c, layout) for c in scanned])

    def call(self, name, how, inputs, elements) -> str:
        types = ", ".join(
            block_type(list(a.shape), element, layout)
            for (a, layout), element in zip(inputs, elements, strict=True)
        )
        results, sources = ("%c, %d", "%a, %b") if len(inputs) == 2 else ("%c", "%a")
        return f"{results} = eft.{name} {sources} {how} : ({types}) -> "


class LargePrograms(Programs):
    """Draws programs with blocks that are larger than shared memory."""

    def draw(self) -> Program:
        return self.random.choice([self.convert, self.convert, self.trans, self.gather])()

    def shape(self) -> list[int]:
        return self.random.choice([[128, 128], [64, 256], [16384], [16, 16, 64]])

    def element(self) -> str:
        return self.random.choice(["f32", "f64", "i32", "i64"])


# Functions that give the same integer in every order.
INTEGER_FUNCTIONS = {
    "addi": np.add,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "maxui": np.maximum,
    "minui": np.minimum,
}

# Regions of combiners. E is replaced by the element type.

SUM = "^bb0(%x: E, %y: E):\n%s = arith.addS %x, %y : E\neft.yield %s : E\n"
SHIFTED_SUM = (
    "^bb0(%x: E, %y: E):\n%h = arith.constant H : E\n%m = arith.mulS %x, %h : E\n"
    "%s = arith.addS %m, %y : E\neft.yield %s : E\n"
)
LARGER = (
    "^bb0(%x: E, %i: i32, %y: E, %j: i32):\n%g = arith.cmpf ogt, %y, %x : E\n"
    "%k:2 = scf.if %g -> (E, i32) {\nscf.yield %y, %j : E, i32\n} else {\n"
    "scf.yield %x, %i : E, i32\n}\neft.yield %k#0, %k#1 : E, i32\n"
)


def add(lower: list, higher: list) -> list:
    return [lower[0] + higher[0]]


def shifted_add(lower: list, higher: list) -> list:
    half = lower[0].dtype.type(0.5 if lower[0].dtype.kind == "f" else 3)
    return [lower[0] * half + higher[0]]


def larger(lower: list, higher: list) -> list:
    is_higher = higher[0] > lower[0]
    return [np.where(is_higher, high, low) for low, high in zip(lower, higher, strict=True)]


def reduce_in_order(sources, axis, steps, tree, combine) -> list[np.ndarray]:
    """Reduces in the order that the description of `eft.reduce` defines."""
    sources = [np.moveaxis(source, axis, 0) for source in sources]
    length = sources[0].shape[0] // steps
    parts = [[s[k * length : (k + 1) * length] for s in sources] for k in range(steps)]
    left = parts[0]
    for part in parts[1:]:
        left = combine(left, part)
    elements = {i: [x[i : i + 1] for x in left] for i in range(length)}
    for bit in tree:
        elements = {i: combine(x, elements[i | bit]) for i, x in elements.items() if i & bit == 0}
    return [x[0] for x in elements[0]]


def scan_in_order(sources, axis, is_reverse, combine) -> list[np.ndarray]:
    """Scans in the order that the description of `eft.scan` defines."""
    sources = [np.moveaxis(source, axis, 0).copy() for source in sources]
    order = slice(None, None, -1 if is_reverse else 1)
    sources = [source[order] for source in sources]
    length, bit = sources[0].shape[0], 1
    while bit < length:
        before = [source.copy() for source in sources]
        for i in range(length):
            if i & bit:
                last = (i & -2 * bit) | (bit - 1)
                combined = combine(
                    [x[last : last + 1] for x in before], [x[i : i + 1] for x in before]
                )
                for source, value in zip(sources, combined, strict=True):
                    source[i : i + 1] = value
        bit *= 2
    return [np.moveaxis(source[order], 0, axis) for source in sources]
