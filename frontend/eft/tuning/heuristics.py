# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@eft.heuristics`: meta-parameters that are computed from the other arguments."""

from __future__ import annotations

from eft.tuning.wrapper import Wrapper


class Heuristics(Wrapper):
    """A kernel for which each launch computes some of the meta-parameters.

    Attributes:
        values: the functions that compute the meta-parameters, by the name of the parameter.
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
        for name, value in self.values.items():  # may read earlier results
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
        values: a dict of functions, by the name of the meta-parameter that the function computes. A
            function takes one dict of arguments by name: those of the call, and those that the
            functions before it have computed.

    Raises:
        TypeError: `values` is not a dict of functions; at a launch: the kernel has no parameter of
            that name.
    """
    return lambda fn: Heuristics(fn, getattr(fn, "arg_names", None), values)
