# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of objects that wrap a kernel. `wrapper[grid](...)` launches the kernel."""

from __future__ import annotations

from functools import partial
from types import FunctionType

from eft import _runtime
from eft.jit import KernelInterface


class Wrapper(KernelInterface):
    """Wraps a kernel and adds keyword arguments to its launches.

    Attributes:
        fn: the wrapped object: a `JITFunction`, another wrapper, or a Python function that becomes
            a kernel later.
        arg_names: the names of the kernel's parameters.
        base_fn: the Python function of the kernel.
    """

    def __init__(self, fn, arg_names=None):
        self.fn = fn
        self.base_fn = fn
        while not isinstance(self.base_fn, FunctionType):
            if not hasattr(self.base_fn, "fn"):
                raise TypeError(f"expected a kernel, or a function that will be one, got {fn!r}")
            self.base_fn = self.base_fn.fn
        code = self.base_fn.__code__
        if arg_names is None:
            arg_names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self.arg_names = list(arg_names)
        self.__name__ = self.base_fn.__name__
        self.__qualname__ = self.base_fn.__qualname__
        self.__module__ = self.base_fn.__module__
        self.__doc__ = self.base_fn.__doc__

    def __init_subclass__(cls, **kwargs):
        """Makes launches of a subclass call its `_launch`, which is faster than `run`. If the
        subclass defines `run` but not `_launch`, its launches call `run`."""
        super().__init_subclass__(**kwargs)
        if "run" in vars(cls) and "_launch" not in vars(cls):
            cls.__getitem__ = Wrapper.__getitem__
        elif "_launch" in vars(cls):
            cls.__getitem__ = _by_launch

    def __getitem__(self, grid):
        return partial(self.run, grid=grid, warmup=False)

    def __reduce__(self):
        """Pickles the wrapper by its qualified name, as kernels are pickled."""
        return self.__qualname__

    def __repr__(self):
        return f"<{type(self).__name__} of {self.fn!r}>"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__}() runs on a grid: call {self.__name__}[grid](...)")

    def complete(self, args, kwargs: dict) -> dict:
        """Returns `kwargs` together with the keyword arguments that this wrapper adds to a launch.
        May change `kwargs`."""
        raise NotImplementedError

    def put_kernel(self, make) -> Wrapper:
        """Replaces the Python function inside the wrappers by the kernel `make(function)`. `jit`
        calls this method, so `@eft.jit` may also stand above the other decorators."""
        inner = self
        while isinstance(inner.fn, Wrapper):
            inner = inner.fn
        inner.fn = make(self.base_fn)
        return self

    @property
    def kernel(self) -> _runtime.KernelBase:
        """The kernel inside this wrapper and any further wrappers."""
        inner = self.fn
        while not isinstance(inner, _runtime.KernelBase):
            if isinstance(inner, FunctionType):
                raise TypeError(
                    f"{self.__name__}() is no kernel yet: put @eft.jit above or below the "
                    "decorators that are there"
                )
            inner = inner.fn
        return inner

    def resolve(self, args, kwargs: dict) -> dict:
        """Returns the keyword arguments that the kernel gets if the wrapped object is launched with
        `kwargs`: further wrappers inside this one add theirs."""
        inner = self.fn
        while not isinstance(inner, _runtime.KernelBase):
            if isinstance(inner, Wrapper):
                kwargs = inner.complete(args, dict(kwargs))
            inner = inner.fn
        return kwargs


def _by_launch(wrapper: Wrapper, grid):
    return partial(wrapper._launch, grid)


def check_names(option: str, names, arg_names: list[str]):
    """Raises a ValueError if one of `names` is not in `arg_names`."""
    fault = unknown_names(option, names, arg_names)
    if fault is not None:
        raise ValueError(fault)


def unknown_names(option: str, names, arg_names: list[str]) -> str | None:
    """Returns an error message if one of `names` is not in `arg_names`; otherwise None. `option` is
    the option that has these names."""
    unknown = [name for name in names if name not in arg_names]
    if not unknown:
        return None
    from eft.compiler.suggestions import did_you_mean

    return (
        f"{option} contains names that are not kernel arguments: {', '.join(map(str, unknown))}"
        f"{did_you_mean(unknown[0], arg_names)}; expected some of {', '.join(arg_names)}"
    )
