# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels: their texts, and the results that they must compute.

A seed makes a kernel: loads with and without masks, elementwise operations over every type, blocks
of several shapes, moves of elements, reductions and scans, loops, conditionals, stores. With each
line of the text, the generator records a step that computes the same in NumPy. The steps run for
one program of the grid at a time. Most operations are exact by definition, so their results must
agree to the bit. Functions such as `exp` are not. Values that depend on their results are marked
`rough`, and are only compared between devices.

Products of floats are never added: Eft fuses some of these sums, and the steps would have to
predict which.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
from random_control import ControlFlow
from random_operations import Combinations, Elementwise, Moves
from random_sources import Sources
from random_values import PROGRAMS, Kernel, Value
from support import DTYPES

HEADER = """import eft
import eft.language as tl
from blocks import offsets


@eft.jit
def multiply(a, b):
    return a * b


@eft.jit
def smaller(a, b):
    return tl.minimum(a, b)


@eft.jit
def add_and_count(a, m, b, n):
    return a + b, m + n


@eft.jit
def spread(a, m, x, b, n, y):
    return a - b / 2, tl.maximum(m, n), x ^ y


@eft.jit
def earlier(condition, a, b):
    if condition:
        return a
    return b


@eft.jit
def kernel("""


class Generator(Sources, Elementwise, Moves, Combinations, ControlFlow):
    """Writes one random kernel."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.kernel = Kernel(seed)
        self.lines = []
        self.steps = self.kernel.steps
        self.indent = "    "
        self.values = [Value("pid", "int32", ())]
        self.count = 0
        self.depth = 0
        self.unrolled = 16
        self.kernel.num_warps = self.random.choice([1, 2, 4, 4, 4, 8, 16, 32])
        self.shapes = self._shapes()
        self.rough_allowed = self.random.random() < 0.2

    def _shapes(self) -> list[tuple[int, ...]]:
        """The shapes of most blocks of this kernel.

        One kernel in eight has a large block. To keep compile times at seconds, a large block has
        at most 512 elements for each thread of a GPU, and loops are unrolled at most twice.
        """
        rank = self.random.choice([1, 1, 2, 2, 2, 3])
        bits = [self.random.randint(0, 12 // rank) for _ in range(rank)]
        self.is_large = self.random.random() < 1 / 8
        if self.is_large:
            total = self.random.randint(14, min(16, 13 + self.kernel.num_warps.bit_length()))
            ends = [0, *sorted(self.random.randint(0, total) for _ in range(rank - 1)), total]
            bits = [high - low for low, high in zip(ends, ends[1:], strict=False)]
            self.kernel.largest = 1 << total
            self.unrolled = 2
        base = tuple(1 << bit for bit in bits)
        shapes = [base]
        if rank > 1:
            dim = self.random.randrange(rank)
            shapes.append(tuple(1 if i == dim else extent for i, extent in enumerate(base)))
            shapes.append(base[1:])
        return shapes

    # -- writing -----------------------------------------------------------------------------------

    def line(self, text: str):
        self.lines.append(self.indent + text)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def define(self, text: str, compute: Callable, operands, dtype: str, shape, **flags) -> Value:
        """Writes `v = text` for a new variable v. `compute` gives v from the operands' arrays."""
        value = Value(
            self.name(),
            dtype,
            tuple(shape),
            flags.get("product", False),
            any(operand.rough for operand in operands) or flags.get("rough", False),
        )
        names = [operand.name for operand in operands]

        def step(values):
            result = np.asarray(compute(*(values[name] for name in names)))
            assert result.dtype == DTYPES[dtype] and result.shape == value.shape, text
            values[value.name] = result

        self.line(f"{value.name} = {text}")
        self.steps.append(step)
        self.values.append(value)
        return value

    def pick(self, accept: Callable[[Value], bool] = lambda value: True) -> Value | None:
        """A random value that is accepted, in most cases a recent one; None if there is none."""
        found = [value for value in self.values if accept(value)]
        if not found:
            return None
        recent = found[-6:]
        return self.random.choice(recent if self.random.random() < 0.7 else found)

    # -- kernels -----------------------------------------------------------------------------------

    def step(self):
        """Writes one random operation, which makes one value or a few."""
        makers = [
            (self.binary, 10),
            (self.integer_division, 1),
            (self.unary, 2),
            (self.cast, 3),
            (self.extremum, 2),
            (self.choice, 3),
            (self.rough, 2),
            (self.move, 4),
            (self.reduction, 3),
            (self.scan, 1),
            (self.sort, 0.3),
            (self.load, 2),
            (self.scalar, 1),
            (self.range, 0.5),
            (self.loop, 1),
            (self.while_loop, 0.5),
            (self.conditional, 1),
            (self.early_return, 0.5),
        ]
        functions, weights = zip(*makers, strict=True)
        self.random.choices(functions, weights)[0]()

    def store(self, value: Value):
        """Writes a store of a value to a new output array."""
        numel = math.prod(value.shape)
        name = f"out{len(self.kernel.outputs)}"
        self.kernel.outputs[name] = np.zeros(PROGRAMS * numel, DTYPES[value.dtype])
        if value.rough:
            self.kernel.rough.add(name)
        place = f"{name} + pid * {numel}"
        masked = value.shape != () and self.random.random() < 0.4
        if value.shape:
            place += f" + offsets({value.shape})"
        bound = self.random.randint(0, numel) if masked else numel
        mask = f", mask=offsets({value.shape}) < {bound}" if masked else ""

        def step(values):
            start = int(values["pid"]) * numel
            values[name][start : start + bound] = values[value.name].reshape(-1)[:bound]

        self.line(f"tl.store({place}, {value.name}{mask})")
        self.steps.append(step)

    def generate(self) -> Kernel:
        self.line("pid = tl.program_id(0)")
        for _ in range(self.random.randint(1, 3)):
            self.load()
        for _ in range(self.random.randint(3, 6 if self.is_large else 14)):
            self.step()
        last = [value for value in self.values[1:] if value.name.startswith("v")]
        for value in last[-self.random.randint(1, 3) :]:
            self.store(value)
        types = self.kernel.annotations
        scalars = [f"{x}: {types[x]}" if x in types else x for x in self.kernel.scalars]
        parameters = [*self.kernel.inputs, *scalars, *self.kernel.outputs]
        body = "\n".join(self.lines)
        self.kernel.source = f"{HEADER}{', '.join(parameters)}):\n{body}\n"
        return self.kernel


def generate(seed: int) -> Kernel:
    """The kernel that a seed makes."""
    return Generator(seed).generate()
