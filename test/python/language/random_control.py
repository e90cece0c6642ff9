# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops and conditionals of random kernels."""

from __future__ import annotations

from collections.abc import Callable

import exact
import numpy as np
from random_values import Value, long_name, meeting_shape


class ControlFlow:
    """The part of the generator that writes loops and conditionals. Each assigns variables that
    were made in front of it, from what its body computes."""

    def loop(self):
        if self.depth == 2:
            return
        carried = self._start_carrying()
        kind = self.random.choice(["range", "tl.range", "tl.static_range", "bound", "while"])
        low, count, step = (self.random.randint(*ends) for ends in ((-3, 3), (0, 4), (1, 3)))
        step = self.random.choice([step, -step]) if kind != "while" else step
        high = low + count * step
        end = str(high)
        if kind == "bound":
            end = self.argument("n", self.kernel.scalars, np.int32(high))
        variable = self.name()
        if kind == "while":
            self.line(f"{variable} = {low}")
            self.line(f"while {variable} < {high}:")
        else:
            function = "range" if kind == "bound" else kind
            self.line(f"for {variable} in {function}({low}, {end}, {step}):")
        # The variable of an unrolled loop is a Python number, which has other rules.
        seen = [] if kind == "tl.static_range" else [Value(variable, "int32", ())]
        last = f"{variable} += {step}" if kind == "while" else None
        body = self._body(carried, seen, last)

        def run(values):
            for i in range(low, high, step):
                values[variable] = np.asarray(np.int32(i))
                for each in body:
                    each(values)

        self.steps.append(run)

    def conditional(self):
        if self.depth == 2:
            return
        carried = self._start_carrying()
        condition = self.pick(lambda v: v.shape == () and not v.rough and v.dtype != "fp16")
        bound = self.random.choice([0, 1, 2])
        self.line(
            f"if {condition.name} > {bound}:"
            if condition.dtype != "int1"
            else f"if {condition.name}:"
        )
        then = self._body(carried, [], None)
        otherwise = []
        if self.random.random() < 0.6:
            self.line("else:")
            otherwise = self._body(carried, [], None)

        def run(values):
            value = values[condition.name]
            for each in (
                then if (value if value.dtype == np.bool_ else value > bound) else otherwise
            ):
                each(values)

        self.steps.append(run)

    def _start_carrying(self) -> list[Value]:
        """New variables, which the body of a loop or a conditional will assign."""
        carried = []
        for _ in range(self.random.choice([1, 1, 2])):
            start = self.pick(lambda v: not v.product and v.name.startswith(("v", "s")))
            value = Value(self.name(), start.dtype, start.shape, False, start.rough)
            self.line(f"{value.name} = {start.name}")
            self.steps.append(_assignment(value.name, start.name))
            self.values.append(value)
            carried.append(value)
        return carried

    def _body(self, carried, seen, last: str | None) -> list:
        """An indented block that assigns what is carried. Its other values end with it."""
        outer = self.values, self.steps, self.indent
        self.values, self.steps = [*self.values, *seen], []
        self.indent += "    "
        self.depth += 1
        for _ in range(self.random.randint(0, 3)):
            self.step()
        for value in carried:
            self._update(value)
        if last:
            self.line(last)
        body = self.steps
        self.depth -= 1
        self.values, self.steps, self.indent = outer
        return body

    def _update(self, value: Value):
        """`value = (value symbol other).to(its type)`."""

        def fits(other):
            is_plain = not other.product and (value.rough or not other.rough)
            return is_plain and meeting_shape(value.shape, other.shape) == value.shape

        other = self.pick(fits) or value
        symbols = ["+", "-"]
        if not exact.is_float(value.dtype) and not exact.is_float(other.dtype):
            symbols += ["^", "&", "*"]
        symbol = self.random.choice(symbols)

        def step(values):
            result = exact.binary(symbol, values[value.name], values[other.name])
            values[value.name] = exact.cast(result, value.dtype)

        text = f"({value.name} {symbol} {other.name}).to(tl.{long_name(value.dtype)})"
        self.line(f"{value.name} = {text}")
        self.steps.append(step)


def _assignment(name: str, source: str) -> Callable:
    def step(values):
        values[name] = values[source]

    return step
