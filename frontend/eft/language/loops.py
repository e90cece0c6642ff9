# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ranges of a kernel's `for` loops."""

from __future__ import annotations

import builtins

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.builtin import builtin, constexpr_function
from eft.language.casts import cast_to
from eft.language.constants import constant, number_dtype
from eft.language.dtypes import describe
from eft.language.math import minimum, where
from eft.language.promotion import materialize, promote_integers
from eft.language.tensor import emitter, tensor

#: The largest number of iterations of an unrolled loop. Many more would take minutes to compile,
#: and the code would be slower than a loop.
_MOST_TURNS = 10_000


@constexpr_function
class static_range:
    """The values of a `for` loop that is unrolled while the kernel is compiled, as in Python's
    `range`. The bounds and the loop variable are known at compile time. More than 10000 iterations
    are an error.

    Args:
        arg1: the first value. If there is no `arg2`, the first value is 0 and `arg1` is the end.
        arg2: the end, which is not one of the values.
        step: the difference between consecutive values, by default 1; may be negative, but not 0.
    """

    def __init__(self, arg1, arg2=None, step=None):
        bounds = _bounds("static_range", arg1, arg2, step)
        for bound in bounds:
            if type(bound) is not int:
                raise Mistake(
                    f"static_range needs ints that are known at compile time, got {describe(bound)}"
                )
        self._range = builtins.range(*bounds)
        turns = -((bounds[0] - bounds[1]) // bounds[2])  # len() has a limit, sys.maxsize
        if turns > _MOST_TURNS:
            raise Mistake(
                f"static_range unrolls a loop at most {_MOST_TURNS} times, got {describe(turns)}"
            )

    def __len__(self):
        return len(self._range)

    def __getitem__(self, number: int):
        emitter().spend(1)
        return self._range[number]


def _bounds(name: str, arg1, arg2, step):
    """Start, stop and step, from the arguments of Python's `range`."""
    start, stop = (0, arg1) if arg2 is None else (arg1, arg2)
    step = 1 if step is None else step
    if type(step) is int and step == 0:
        raise Mistake(f"{name} needs a step that is not zero")
    return start, stop, step


@builtin
def range(
    arg1,
    arg2=None,
    step=None,
    num_stages=None,
    loop_unroll_factor=None,
    disallow_acc_multi_buffer=False,
    flatten=False,
    warp_specialize=False,
    disable_licm=False,
):
    """The values of a `for` loop that runs at run time, as in Python's `range`.

    All hints, from `num_stages` on, are known at compile time.

    Args:
        arg1: the first value. If there is no `arg2`, the first value is 0 and `arg1` is the end.
        arg2: the end, which is not one of the values.
        step: the difference between consecutive values, by default 1; may be negative. A step of 0
            is an error if it is known at compile time; at run time it makes no iterations.
        num_stages: the number of iterations that a GPU has under way at a time, in a loop with
            matrix products. If it is None, the launch's option applies. In a loop without matrix
            products, a number above 1 lets a GPU load the next iteration's blocks while it computes
            the current iteration.
        flatten, warp_specialize: hints for an outer loop around a loop with matrix products. Either
            one promises that no iteration of the outer loop reads what an earlier iteration has
            written. Then a GPU may load the first factors of the next iteration before it stores
            the results of the current one.
        loop_unroll_factor, disallow_acc_multi_buffer, disable_licm: accepted without effect.
    """
    for hint in (num_stages, loop_unroll_factor):
        if hint is not None and type(hint) is not int:
            raise Mistake(f"a hint of tl.range must be an int or None, got {describe(hint)}")
    for hint in (disallow_acc_multi_buffer, flatten, warp_specialize, disable_licm):
        if not isinstance(hint, bool | int):
            raise Mistake(f"a hint of tl.range must be True or False, got {describe(hint)}")
    bounds = _bounds("range", arg1, arg2, step)
    return Range(*bounds, num_stages, bool(flatten or warp_specialize))


@builtin
def condition(arg1, disable_licm=False):
    """Returns `arg1`, the condition of a `while` loop. The hint `disable_licm` is accepted without
    effect."""
    if not isinstance(disable_licm, bool | int):
        raise Mistake(f"a hint of tl.condition must be True or False, got {describe(disable_licm)}")
    return arg1


class Range:
    """The values of the variable of a loop that runs at run time.

    Attributes:
        type: the type of the variable: the common type of int32, the bounds, and the step unless
            that is known at compile time.
        hints: the attributes of the loop in the IR.
    """

    def __init__(self, start, stop, step, num_stages=None, flatten=False):
        self.start, self.stop, self.step = start, stop, step
        self.hints = {}
        if num_stages is not None:
            self.hints["eft.num_stages"] = f"{num_stages} : i32"
        if flatten:
            self.hints["eft.flatten"] = "unit"
        self.type = dtypes.int32
        for bound in (start, stop, step):
            if type(bound) is not int and not _is_integer(bound):
                raise Mistake(f"range needs integers, got {describe(bound)}")
            # A step that is known at compile time does not affect the type.
            if bound is not step or isinstance(step, tensor):
                self.type = promote_integers(
                    self.type, bound.dtype if isinstance(bound, tensor) else number_dtype(bound)
                )

    def counter(self):
        """The operands of an `scf.for`: a signed lower bound, the upper bound and the step; and a
        function that computes the loop's variable from the `scf.for`'s counter.

        If the variable can't pass the end of its type, it is the counter itself. Otherwise the
        number of iterations is computed before the loop, and the counter counts from 0 to this
        number.
        """
        start, stop = (materialize(bound, self.type, ()) for bound in (self.start, self.stop))
        if self._counts_itself():
            return start, stop, self.step, lambda counter: counter
        number = self._number(start, stop)
        step = self._step()
        return (
            constant(0, number.type),
            number,
            1,
            lambda counter: start + cast_to(counter, self.type) * step,
        )

    def last(self) -> tensor:
        """The variable's value after the loop: that of the last iteration, or the start of the
        range if there was no iteration."""
        start, stop = (materialize(bound, self.type, ()) for bound in (self.start, self.stop))
        number = self._number(start, stop)
        steps = where(number > 0, number - 1, 0)
        return start + cast_to(steps, self.type) * self._step()

    def _step(self) -> tensor:
        if type(self.step) is not int:
            return cast_to(self.step, self.type)
        # The variable wraps around. So the step may be reduced to a value of the type, modulo the
        # number of the type's values.
        least, most = self.type.int_range()
        return constant((self.step - least) % (most - least + 1) + least, self.type)

    def _counts_itself(self) -> bool:
        if type(self.step) is not int or self.step < 1 or not self.type.is_int_signed():
            return False
        last = self.type.int_range()[1]
        return self.step == 1 or (type(self.stop) is int and self.stop - 1 + self.step <= last)

    def _number(self, start: tensor, stop: tensor) -> tensor:
        """The number of iterations, as a signed integer."""
        unsigned = dtypes.uint64 if self.type.primitive_bitwidth == 64 else dtypes.uint32
        if type(self.step) is int:
            low, high = (start, stop) if self.step > 0 else (stop, start)
            size = constant(min(builtins.abs(self.step), unsigned.int_range()[1]), unsigned)
            is_any = low < high
        else:
            step = cast_to(self.step, self.type)
            is_up = step > 0
            low, high = where(is_up, start, stop), where(is_up, stop, start)
            is_any = (low < high) & (step != 0)
            # Read as unsigned, this is also the magnitude of the least number of the type.
            size = where(is_up, step, 0 - step).retyped(unsigned)
        distance = (high - low).retyped(unsigned)
        number = where(is_any, (distance - 1) // size + 1, 0)
        if self._fits_in_32_bits():
            return number.retyped(dtypes.int32)
        if unsigned == dtypes.uint32:
            return cast_to(number, dtypes.int64)
        return minimum(number, 2**63 - 1).retyped(dtypes.int64)

    def _fits_in_32_bits(self) -> bool:
        """Returns whether the number of iterations is known to fit into a signed integer of 32
        bits."""
        if type(self.step) is not int or self.type.primitive_bitwidth != 32:
            return False
        low = self.start if self.step > 0 else self.stop
        starts_at_zero = self.type.is_int_signed() and type(low) is int and low >= 0
        return starts_at_zero or builtins.abs(self.step) > 2


def _is_integer(bound) -> bool:
    return isinstance(bound, tensor) and not bound.shape and bound.dtype.is_int()
