# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ranges that a kernel's `for` runs over."""

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

#: The most iterations that a loop is unrolled to. Many more would be code that takes minutes to
#: compile, and is slower than a loop.
_MOST_TURNS = 10_000


@constexpr_function
class static_range:
    """`range` for a loop that is unrolled while the kernel is compiled; its variable is known at
    compile time, and so are its bounds. It runs at most 10000 times.

    Args:
        arg1: the first value; the end if there is no `arg2`.
        arg2: the end.
        step: from one value to the next; may be negative.
    """

    def __init__(self, arg1, arg2=None, step=None):
        bounds = _bounds("static_range", arg1, arg2, step)
        for bound in bounds:
            if type(bound) is not int:
                raise Mistake(
                    f"static_range needs ints that are known at compile time, got {describe(bound)}"
                )
        self._range = builtins.range(*bounds)
        turns = -((bounds[0] - bounds[1]) // bounds[2])  # not len(), which has a limit of its own
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
    """Start, stop and step, as Python's `range` takes them."""
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
    """The numbers of a `for` loop that runs at run time, as in Python's `range`.

    Args:
        arg1: the first value; the end if there is no `arg2`.
        arg2: the end.
        step: from one value to the next; may be negative. A step that is known only at run time
            and is zero makes no iterations.
        num_stages: how many iterations of a loop with matrix products are under way at a time on a
            GPU; the launch's option if it is None.
        flatten, warp_specialize: of a loop around one with matrix products, either says that no
            iteration reads what an earlier one has written. Then a GPU loads the next iteration's
            first factors before it stores this one's results.
        loop_unroll_factor, disallow_acc_multi_buffer, disable_licm: other hints on how to compile
            the loop, known at compile time like those. Nothing uses these yet.
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
    """The condition of a `while` loop, with a hint on how to compile the loop, which nothing uses
    yet."""
    if not isinstance(disable_licm, bool | int):
        raise Mistake(f"a hint of tl.condition must be True or False, got {describe(disable_licm)}")
    return arg1


class Range:
    """The numbers that a loop's variable runs through at run time.

    Attributes:
        type: the type of the variable, in which bounds and step meet; of at least 32 bits.
        hints: attributes of the loop in the IR.
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
            # The step does not make the variable a wider one.
            if bound is not step or isinstance(step, tensor):
                self.type = promote_integers(
                    self.type, bound.dtype if isinstance(bound, tensor) else number_dtype(bound)
                )

    def counter(self):
        """The numbers with which an `scf.for` counts: a signed lower bound, the upper bound, the
        step, and a function that makes the loop's variable of its counter.

        The variable itself is counted where it can't pass the end of its type. Otherwise the
        number of iterations is found out first, and they are counted.
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
        range if there was none."""
        start, stop = (materialize(bound, self.type, ()) for bound in (self.start, self.stop))
        number = self._number(start, stop)
        steps = where(number > 0, number - 1, 0)
        return start + cast_to(steps, self.type) * self._step()

    def _step(self) -> tensor:
        if type(self.step) is not int:
            return cast_to(self.step, self.type)
        # Like the product, the step counts up to multiples of the type's numbers.
        least, most = self.type.int_range()
        return constant((self.step - least) % (most - least + 1) + least, self.type)

    def _counts_itself(self) -> bool:
        if type(self.step) is not int or self.step < 1 or not self.type.is_int_signed():
            return False
        last = self.type.int_range()[1]
        return self.step == 1 or (type(self.stop) is int and self.stop - 1 + self.step <= last)

    def _number(self, start: tensor, stop: tensor) -> tensor:
        """The number of iterations, as a signed number."""
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
            # Of the least number too, as an unsigned one.
            size = where(is_up, step, 0 - step).retyped(unsigned)
        distance = (high - low).retyped(unsigned)
        number = where(is_any, (distance - 1) // size + 1, 0)
        if self._fits_in_32_bits():
            return number.retyped(dtypes.int32)
        if unsigned == dtypes.uint32:
            return cast_to(number, dtypes.int64)
        return minimum(number, 2**63 - 1).retyped(dtypes.int64)

    def _fits_in_32_bits(self) -> bool:
        """Whether the number of iterations is known to be a signed number of 32 bits."""
        if type(self.step) is not int or self.type.primitive_bitwidth != 32:
            return False
        low = self.start if self.step > 0 else self.stop
        starts_at_zero = self.type.is_int_signed() and type(low) is int and low >= 0
        return starts_at_zero or builtins.abs(self.step) > 2


def _is_integer(bound) -> bool:
    return isinstance(bound, tensor) and not bound.shape and bound.dtype.is_int()
