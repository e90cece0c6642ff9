# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops and conditionals of random kernels."""

from __future__ import annotations

from collections.abc import Callable

import exact
import numpy as np
from random_values import Value, long_name


class ControlFlow:
    """The part of the generator that writes loops and conditionals. A loop or conditional assigns
    new values to variables that exist before it; its body computes these values."""

    def loop(self):
        if self.depth == 2:
            return
        carried = self._start_carrying()
        kind = self.random.choice(["range", "tl.range", "tl.static_range", "bound", "data"])
        low, count, step = (self.random.randint(*ends) for ends in ((-3, 3), (0, 4), (1, 3)))
        if kind == "tl.static_range":
            count = self.random.choice([count, 16])
            count = min(count, self.unrolled)
        step = self.random.choice([step, -step])
        end = low + count * step
        text, last = str(end), lambda values: end
        if kind == "bound":
            text = self.argument("n", self.kernel.scalars, np.int32(end))
        elif kind == "data":
            text, last = self._small_number()
        variable = self.name()
        function = kind if "range" in kind else "range"
        self.line(f"for {variable} in {function}({low}, {text}, {step}):")
        # The variable of an unrolled loop is a Python number, with other promotion rules.
        seen = [] if kind == "tl.static_range" else [Value(variable, "int32", ())]
        body = self._body(carried, seen, copies=count if not seen else 1)

        def run(values):
            for i in range(low, last(values), step):
                values[variable] = np.asarray(np.int32(i))
                for each in body:
                    each(values)

        self.steps.append(run)

    def while_loop(self):
        """A loop that counts up to a bound. In half of the cases, it also ends as soon as a
        condition on another number is false. The body may assign this number."""
        if self.depth == 2:
            return
        carried = self._start_carrying()
        low, step = self.random.randint(-3, 3), self.random.randint(1, 3)
        text, last = self._small_number()
        variable = self.name()
        watched = self._number([v for v in carried if v.shape == ()])
        condition, goes_on = f"{variable} < {text}", lambda x: True
        if self.random.random() < 0.5:
            other, goes_on = self._test(watched)
            condition += f" and {other}"
        self.line(f"{variable} = {low}")
        self.line(f"while {condition}:")
        body = self._body(carried, [Value(variable, "int32", ())], f"{variable} += {step}")

        def run(values):
            i = low
            while i < last(values) and goes_on(values[watched.name]):
                values[variable] = np.asarray(np.int32(i))
                for each in body:
                    each(values)
                i += step

        self.steps.append(run)

    def conditional(self):
        if self.depth == 2:
            return
        carried = self._start_carrying()
        number = self._number()
        text, holds = self._test(number)
        self.line(f"if {text}:")
        then = self._body(carried, [])
        otherwise = []
        if self.random.random() < 0.6:
            self.line("else:")
            otherwise = self._body(carried, [])

        def run(values):
            for each in then if holds(values[number.name]) else otherwise:
                each(values)

        self.steps.append(run)

    def early_return(self):
        """One of two values, from a function that returns early if a condition holds."""
        x = self.pick(lambda v: v.name.startswith(("v", "s")))
        y = self.pick(lambda v: (v.dtype, v.shape) == (x.dtype, x.shape))
        number = self._number()
        text, holds = self._test(number)
        self.define(
            f"earlier({text}, {x.name}, {y.name})",
            lambda number, x, y: x if holds(number) else y,
            [number, x, y],
            x.dtype,
            x.shape,
            product=x.product or y.product,
        )

    def _number(self, preferred: list[Value] = ()) -> Value:
        """A scalar of any type for a condition, if possible one of `preferred`."""
        found = [value for value in preferred if not value.rough]
        return found[0] if found else self.pick(lambda v: v.shape == () and not v.rough)

    def _test(self, x: Value) -> tuple[str, Callable]:
        """The text of a condition on a number, and a function that evaluates it for a value."""
        if x.dtype == "int1":
            return x.name, bool
        symbol = self.random.choice(list(exact.COMPARISONS))
        text, other = self.literal(x, symbol)
        return f"{x.name} {symbol} {text}", lambda x: bool(exact.binary(symbol, x, other))

    def _small_number(self) -> tuple[str, Callable]:
        """The text of a run-time number from 0 to 3, and a function that computes the number."""
        x = self._number()
        text = f"({x.name}.to(tl.int32) & 3)"
        return text, lambda values: int(exact.cast(values[x.name], "int32")) & 3

    def _start_carrying(self) -> list[Value]:
        """Makes new variables, which the body of a loop or conditional will assign."""
        carried = []
        for _ in range(self.random.choice([1, 1, 2])):
            start = self.pick(lambda v: not v.product and v.name.startswith(("v", "s")))
            value = Value(self.name(), start.dtype, start.shape, False, start.rough)
            self.line(f"{value.name} = {start.name}")
            self.steps.append(_assignment(value.name, start.name))
            self.values.append(value)
            carried.append(value)
        return carried

    def _body(self, carried, seen, last: str | None = None, copies: int = 1) -> list:
        """Writes an indented body that assigns the carried variables, and returns its steps. Other
        values of the body are not used after it. Unrolling makes `copies` copies of the body."""
        outer = self.values, self.steps, self.indent, self.unrolled
        self.values, self.steps = [*self.values, *seen], []
        self.indent += "    "
        self.depth += 1
        self.unrolled //= max(copies, 1)
        for _ in range(self.random.randint(0, 3)):
            self.step()
        for value in carried:
            self._update(value)
        if last:
            self.line(last)
        body = self.steps
        self.depth -= 1
        self.values, self.steps, self.indent, self.unrolled = outer
        return body

    def _update(self, value: Value):
        """Writes `value = (value symbol other).to(T)`, where T is the type of `value`."""

        def fits(other):
            is_plain = not other.product and (value.rough or not other.rough)
            shape = self.kernel.broadcast_shape(value.shape, other.shape)
            return is_plain and shape == value.shape

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
