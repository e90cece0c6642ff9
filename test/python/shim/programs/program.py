# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that a compiler of Triton's language runs: a kernel with its arguments, or a function,
and what is expected of each.

A module of programs imports `triton`, whichever that is, and nothing of Eft.
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
        expected: the same kind of thing; None if there is only the other compiler to compare with.
        bound: for arrays of floats the largest difference, as a share of the expected number or,
            below 1, as such; 0 if the bits must be the same.
    """

    found: Any
    expected: Any
    bound: float = 0.0


#: By name, a function of the device that gives the program's outcomes.
PROGRAMS: dict[str, Callable[[Any], list[Outcome]]] = {}


def program(function):
    """Makes a program of a function of the device, which returns an outcome or a list of them. A
    tuple has the arguments of `Outcome`."""

    def run(device) -> list[Outcome]:
        returned = function(device)
        outcomes = returned if isinstance(returned, list) else [returned]
        return [each if isinstance(each, Outcome) else Outcome(*each) for each in outcomes]

    _add(function.__name__, run)
    return function


def launched(*arguments, expected, grid=(1,), bound=0.0, case="", **named):
    """Makes a program of a kernel: a launch with these arguments. The arrays of NumPy are copied to
    the device.

    Args:
        expected: a function of the arrays as they were, which gives what the last of them are
            afterwards: an array, or a tuple of several.
        grid, named: those of the launch.
        bound: see `Outcome`.
        case: the name of this program among those of the kernel.
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
    """Makes a program of a kernel whose launch with these arguments is an error of the class
    `kind`, which says `phrase`."""

    def add(kernel):
        def run(device) -> list[Outcome]:
            return [raised(kind, phrase, lambda: launch(device, kernel, grid, *arguments, **named))]

        _add("_".join(filter(None, (_name(kernel), case))), run)
        return kernel

    return add


def launch(device, kernel, grid, *arguments, **named) -> list[np.ndarray]:
    """Launches a kernel with copies of arrays. Returns what the arrays are afterwards."""
    values = [device.put(each) if isinstance(each, np.ndarray) else each for each in arguments]
    kernel[grid](*values, **named)
    pairs = zip(arguments, values, strict=True)
    return [device.get(value) for each, value in pairs if isinstance(each, np.ndarray)]


def raised(kind: type, phrase: str, call: Callable[[], Any]) -> Outcome:
    """The outcome of a call that must be an error of a class, with a phrase in its text or in that
    of its causes."""
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
