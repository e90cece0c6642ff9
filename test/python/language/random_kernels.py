# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels: their text, and what they must compute.

A seed makes a kernel: loads with and without masks, elementwise operations over every type, blocks
of several shapes, moves of elements, reductions and scans, loops, conditionals, stores. While the
text is written, so is a list of steps that compute the same in NumPy, one program of the grid at a
time. Only what is exact by definition is generated, so results must agree to the bit; with one
exception: values that come from `exp` and its like are `rough`, and only compared between devices.

Products of floats are never added: the sum might be fused, which is documented but would have to be
repeated here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
from random_control import ControlFlow
from random_operations import Combinations, Elementwise, Moves
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
def kernel("""


class Generator(Elementwise, Moves, Combinations, ControlFlow):
    """Writes one kernel."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.kernel = Kernel(seed)
        self.lines = []
        self.steps = self.kernel.steps
        self.indent = "    "
        self.values = [Value("pid", "int32", ())]
        self.count = 0
        self.shapes = self._shapes()
        self.depth = 0
        self.rough_allowed = self.random.random() < 0.2

    def _shapes(self) -> list[tuple[int, ...]]:
        """The shapes that this kernel favours."""
        rank = self.random.choice([1, 1, 2, 2, 2, 3])
        bits = [self.random.randint(0, 12 // rank) for _ in range(rank)]
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
        """`v = text`; `compute` takes the operands' arrays."""
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
        """One of the values, rather a late one."""
        found = [value for value in self.values if accept(value)]
        if not found:
            return None
        recent = found[-6:]
        return self.random.choice(recent if self.random.random() < 0.7 else found)

    def argument(self, prefix: str, table: dict, value) -> str:
        name = f"{prefix}{len(table)}"
        table[name] = value
        return name

    # -- where values come from --------------------------------------------------------------------

    def array(self, dtype: str, count: int) -> np.ndarray:
        wanted = DTYPES[dtype]
        if wanted == np.bool_:
            return self.data.integers(0, 2, count).astype(wanted)
        if wanted.kind in "iu":
            limits = np.iinfo(wanted)
            low, high = self.random.choice([(limits.min, limits.max), (max(limits.min, -9), 9)])
            x = self.data.integers(low, high, count, wanted, endpoint=True)
            corners = [limits.min, limits.max, 0, 1]
        else:
            x = self.data.standard_normal(count) * 2.0 ** self.data.integers(-12, 12, count)
            x = np.round(x) if self.random.random() < 0.3 else x
            x = x.astype(wanted)
            corners = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
        places = self.data.random(count) < self.random.choice([0.0, 0.05])
        with np.errstate(invalid="ignore"):  # NaN in a narrow type
            x[places] = self.data.choice(np.array(corners).astype(wanted), places.sum())
        return x

    def load(self) -> Value:
        dtype = self.random.choice(list(DTYPES))
        shape = self.random.choice(self.shapes)
        numel = math.prod(shape)
        name = self.argument("x", self.kernel.inputs, self.array(dtype, PROGRAMS * numel))
        offset = f"pid * {numel} + offsets({shape})"
        index = np.arange(numel).reshape(shape)
        if self.random.random() < 0.4:
            return self.define(
                f"tl.load({name} + {offset})",
                lambda pid, x: x[pid * numel + index],
                [self.values[0], Value(name, dtype, ())],
                dtype,
                shape,
            )
        bound = self.random.randint(0, PROGRAMS * numel)
        limit = self.argument("n", self.kernel.scalars, np.int32(bound))
        other = self.random.choice([None, 0, 1])

        def masked(pid, x):
            places = pid * numel + index
            rest = np.asarray(other or 0).astype(x.dtype)
            return np.where(places < bound, x[places], rest).astype(x.dtype)

        keyword = "" if other is None else f", other={other}"
        return self.define(
            f"tl.load({name} + {offset}, mask={offset} < {limit}{keyword})",
            masked,
            [self.values[0], Value(name, dtype, ())],
            dtype,
            shape,
        )

    def scalar(self) -> Value:
        dtype, value = self.random.choice(
            [
                ("int32", np.int32(self.random.randint(-100, 100))),
                ("fp32", np.float32(self.random.choice([0.1, -3.5, 1e20, 7.0]))),
            ]
        )
        name = self.argument("s", self.kernel.scalars, value)
        result = Value(name, dtype, ())
        self.values.append(result)
        return result

    def range(self) -> Value:
        shape = self.random.choice(self.shapes)
        return self.define(
            f"offsets({shape})",
            lambda: np.arange(math.prod(shape), dtype=np.int32).reshape(shape),
            [],
            "int32",
            shape,
        )

    # -- the whole ---------------------------------------------------------------------------------

    def step(self):
        """One more value, or a few."""
        makers = [
            (self.binary, 10),
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
            (self.scalar, 0.5),
            (self.range, 0.5),
            (self.loop, 1),
            (self.conditional, 1),
        ]
        functions, weights = zip(*makers, strict=True)
        self.random.choices(functions, weights)[0]()

    def store(self, value: Value):
        """Writes a value to an array of its own."""
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
        self.kernel.num_warps = self.random.choice([1, 2, 4, 4, 4, 8])
        self.line("pid = tl.program_id(0)")
        for _ in range(self.random.randint(1, 3)):
            self.load()
        for _ in range(self.random.randint(3, 14)):
            self.step()
        last = [value for value in self.values[1:] if value.name.startswith("v")]
        for value in last[-self.random.randint(1, 3) :]:
            self.store(value)
        parameters = [*self.kernel.inputs, *self.kernel.scalars, *self.kernel.outputs]
        body = "\n".join(self.lines)
        self.kernel.source = f"{HEADER}{', '.join(parameters)}):\n{body}\n"
        return self.kernel


def generate(seed: int) -> Kernel:
    """The kernel that a seed makes."""
    return Generator(seed).generate()
