# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources of values in random kernels: memory, arguments, literals."""

from __future__ import annotations

import math

import exact
import ml_dtypes
import numpy as np
from random_values import PROGRAMS, Value, long_name
from support import DTYPES

#: Types and values of arguments whose parameters have no annotation.
PLAIN = [
    ("int1", True),
    ("int32", -7),
    ("int32", 16),
    ("int64", 2**40 + 3),
    ("int64", -(2**63)),
    ("uint64", 2**64 - 1),
    ("fp32", 0.1),
    ("fp32", -3.5),
    ("fp32", 1e20),
    ("fp32", 7.0),
]
#: Literals. Some types can hold only a few of them.
FLOATS = [0.5, -2.0, 3.0, 0.1, 1e-3, 1e4, 1e-7, 1e-40, 1e10, -1e39, 1e300]
INTEGERS = [1, 3, 7, 0, -1, 100, 2**31 - 1, 2**31, 2**63 - 1]


class Sources:
    """The part of the generator that makes values from loads, arguments and literals."""

    def argument(self, prefix: str, table: dict, value) -> str:
        name = f"{prefix}{len(table)}"
        table[name] = value
        return name

    def array(self, dtype: str, count: int) -> np.ndarray:
        """Random elements of many magnitudes. Some arrays also contain corner cases: the ends of
        the type's range, denormals, infinities and NaN."""
        wanted = DTYPES[dtype]
        if wanted == np.bool_:
            return self.data.integers(0, 2, count).astype(wanted)
        if wanted.kind in "iu":
            limits = np.iinfo(wanted)
            low, high = self.random.choice([(limits.min, limits.max), (max(limits.min, -9), 9)])
            x = self.data.integers(low, high, count, wanted, endpoint=True)
            corners = [limits.min, limits.max, 0, 1]
        else:
            limits = ml_dtypes.finfo(wanted)
            ends = self.random.choice([(-12, 12), (-12, 12), (limits.minexp - 8, limits.maxexp)])
            with np.errstate(over="ignore"):
                x = self.data.standard_normal(count) * 2.0 ** self.data.integers(*ends, count)
                x = (np.round(x) if self.random.random() < 0.3 else x).astype(wanted)
            tiny = float(limits.smallest_subnormal)
            corners = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, tiny, -7 * tiny]
        places = self.data.random(count) < self.random.choice([0.0, 0.05, 0.5])
        with np.errstate(invalid="ignore"):  # the cast of NaN to a narrow type
            x[places] = self.data.choice(np.array(corners).astype(wanted), places.sum())
        return x

    def load(self):
        dtype = self.random.choice(list(DTYPES))
        shape = self.random.choice(self.shapes)
        if self.random.random() < 0.2:
            dtype, shape = self.random.choice([dtype, "bf16", "fp16"]), ()
        numel = math.prod(shape)
        name = self.argument("x", self.kernel.inputs, self.array(dtype, PROGRAMS * numel))
        offset = f"pid * {numel} + offsets({shape})" if shape else "pid"
        index = np.arange(numel).reshape(shape)
        operands = [self.values[0], Value(name, dtype, ())]
        if self.random.random() < 0.4:
            text = f"tl.load({name} + {offset})"
            self.define(text, lambda pid, x: x[pid * numel + index], operands, dtype, shape)
            return
        bound = self.random.randint(0, PROGRAMS * numel)
        limit = self.argument("n", self.kernel.scalars, np.int32(bound))
        other = self.random.choice([None, 0, 1])

        def masked(pid, x):
            places = pid * numel + index
            rest = np.asarray(other or 0).astype(x.dtype)
            return np.where(places < bound, x[places], rest).astype(x.dtype)

        keyword = "" if other is None else f", other={other}"
        text = f"tl.load({name} + {offset}, mask={offset} < {limit}{keyword})"
        self.define(text, masked, operands, dtype, shape)

    def scalar(self):
        """A scalar argument. In half of the cases, the parameter is annotated with its type."""
        if self.random.random() < 0.5:
            dtype, number = self.random.choice(PLAIN)
            name = self.argument("s", self.kernel.scalars, np.asarray(number, DTYPES[dtype])[()])
        else:
            dtype = self.random.choice([name for name in DTYPES if name != "int1"])
            name = self.argument("s", self.kernel.scalars, self.array(dtype, 1)[0])
            self.kernel.annotations[name] = f"tl.{long_name(dtype)}"
        self.values.append(Value(name, dtype, ()))

    def range(self):
        shape = self.random.choice(self.shapes)
        self.define(
            f"offsets({shape})",
            lambda: np.arange(math.prod(shape), dtype=np.int32).reshape(shape),
            [],
            "int32",
            shape,
        )

    def literal(self, x: Value, symbol: str = "+") -> tuple[str, np.ndarray]:
        """The text of a Python number, and the number in its common type with `x`."""
        numbers = INTEGERS
        if symbol in ("<<", ">>"):
            numbers = [0, 1, 5, 8 * DTYPES[x.dtype].itemsize - 1, 100]
        elif symbol not in ("&", "|", "^", "//"):
            numbers = INTEGERS + 2 * FLOATS
        while True:
            number = self.random.choice(numbers)
            operand = exact.literal(number, x.dtype, symbol)
            if operand is not None:
                return str(number), operand
