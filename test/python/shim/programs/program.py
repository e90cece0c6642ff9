# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for compilers of Triton's language. A program is a kernel with its arguments, or a
function, and has expected outcomes.

A module of programs imports `triton`, which is Triton or Eft, and nothing else of Eft.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Outcome:
    """A result of a program.

    Attributes:
        found: an array, or a value of Python's.
        expected: an array or a value like `found`; None if only the two compilers are compared.
        bound: for arrays of floats, the largest relative difference, or the largest absolute
            difference for expected numbers below 1. 0 if the numbers must be the same.
    """

    found: Any
    expected: Any
    bound: float = 0.0


#: By name, a function that takes the device and returns the outcomes of the program.
PROGRAMS: dict[str, Callable[[Any], list[Outcome]]] = {}


def program(function):
    """Makes a program from a function that takes the device, and returns an outcome or a list of
    outcomes. A tuple is an outcome, too: the arguments of `Outcome`."""

    def run(device) -> list[Outcome]:
        returned = function(device)
        outcomes = returned if isinstance(returned, list) else [returned]
        return [each if isinstance(each, Outcome) else Outcome(*each) for each in outcomes]

    _add(function.__name__, run)
    return function


def launched(*arguments, expected, grid=(1,), bound=0.0, case="", **named):
    """Makes a program from a kernel: a launch with these arguments. NumPy arrays are copied to the
    device.

    Args:
        expected: a function of the arrays before the launch. It returns the contents of the last
            array after the launch, or a tuple for several of the last arrays.
        grid, named: the grid and the keyword arguments of the launch.
        bound: see `Outcome`.
        case: the part of the program's name after the kernel's name.
    """

    def add(kernel):
        def run(device) -> list[Outcome]:
            arrays = [each for each in arguments if isinstance(each, np.ndarray)]
            wanted = expected(*arrays)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            found = launch(device, kernel, grid, *arguments, **named)[-len(wanted) :]
            return [Outcome(*pair, bound) for pair in zip(found, wanted, strict=True)]

        _add("_".join(filter(None, (_name(kernel), case))), run)
        return kernel

    return add


def fails(kind: type, phrase: str, *arguments, grid=(1,), case="", **named):
    """Makes a program from a kernel whose launch with these arguments must raise an error of the
    class `kind`, with `phrase` in its text."""

    def add(kernel):
        def run(device) -> list[Outcome]:
            return [raised(kind, phrase, lambda: launch(device, kernel, grid, *arguments, **named))]

        _add("_".join(filter(None, (_name(kernel), case))), run)
        return kernel

    return add


def launch(device, kernel, grid, *arguments, **named) -> list[np.ndarray]:
    """Launches a kernel with copies of arrays, and returns the copies' contents afterwards."""
    values = [device.put(each) if isinstance(each, np.ndarray) else each for each in arguments]
    kernel[grid](*values, **named)
    pairs = zip(arguments, values, strict=True)
    return [device.get(value) for each, value in pairs if isinstance(each, np.ndarray)]


def raised(kind: type, phrase: str, call: Callable[[], Any]) -> Outcome:
    """The outcome of a call that must raise an error of a class, with a phrase in the text of the
    error or of its causes."""
    try:
        call()
    except Exception as error:
        texts, cause = [], error
        while cause is not None:
            texts.append(str(cause))
            cause = cause.__cause__
        is_kind, has_phrase = isinstance(error, kind), any(phrase in text for text in texts)
        if is_kind and has_phrase:
            return Outcome((kind.__name__, phrase), (kind.__name__, phrase))
        return Outcome((type(error).__name__, texts), (kind.__name__, phrase))
    return Outcome("no error", (kind.__name__, phrase))


def _name(kernel) -> str:
    while hasattr(kernel, "fn"):
        kernel = kernel.fn
    return kernel.__name__


def _add(name: str, run):
    if name in PROGRAMS:
        raise ValueError(f"there are two programs named {name!r}")
    PROGRAMS[name] = run
