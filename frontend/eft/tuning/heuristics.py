# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@eft.heuristics`: meta-parameters that are computed from the other arguments."""

from __future__ import annotations

from eft.tuning.wrapper import Wrapper


class Heuristics(Wrapper):
    """A kernel some of whose meta-parameters are computed at each launch.

    Attributes:
        values: by the name of the parameter, the function that computes it.
    """

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        if not isinstance(values, dict):
            raise TypeError(f"heuristics takes a dict of functions by name, got {values!r}")
        for name, value in values.items():
            if not callable(value):
                raise TypeError(
                    f"the heuristic for {name!r} must be a function of the arguments, got {value!r}"
                )
        self.values = values

    def complete(self, args, kwargs: dict) -> dict:
        named = dict(zip(self.arg_names, args, strict=False)) | kwargs
        for name, value in self.values.items():  # each may read those before it
            named[name] = kwargs[name] = value(named)
        return kwargs

    def run(self, *args, grid=None, warmup=False, **kwargs):
        if warmup:
            return self.fn.warmup(*args, grid=grid, **self.complete(args, kwargs))
        return self._launch(grid, *args, **kwargs)

    def _launch(self, grid, /, *args, **kwargs):
        return self.fn[grid](*args, **self.complete(args, kwargs))


def heuristics(values):
    """Computes meta-parameters of a kernel from its other arguments, at each launch.

    Args:
        values: by the name of the parameter, a function of the arguments by name (those that the
            call gives, and what the heuristics before this one have computed).

    Raises:
        TypeError: one of them is no function; at a launch: the kernel has no such parameter.
    """
    return lambda fn: Heuristics(fn, getattr(fn, "arg_names", None), values)
