# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@eft.jit`: a Python function as a kernel.

`kernel[grid](...)` goes to the driver in C++ (`_runtime.KernelBase`). C++ calls back here for what
it has not met before: which parameters reach an address, and a new variant of the kernel.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import GenericAlias

from eft import _runtime, parameters
from eft.errors import CompilationError
from eft.language.constexpr import constexpr
from eft.reflection import Reflection
from eft.source import Source
from eft.text import text_of

_runtime.register_constexpr(constexpr)


class KernelInterface:
    """The base of all that `kernel[grid](...)` launches. A subclass has a method `run`, which gets
    the launch's arguments, its grid as `grid`, and as `warmup` whether the kernel is only
    compiled."""

    __class_getitem__ = classmethod(GenericAlias)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles what a launch with these arguments would run."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no method run")


class JITFunction(Reflection, _runtime.KernelBase, KernelInterface):
    """A function that runs on a grid of programs, or that kernels call. A subclass may have a
    method `run` of its own: `kernel[grid](...)` calls it.

    Args:
        fn: the Python function, or a `JITFunction` of it.
        The others are those of `jit`.

    Attributes:
        fn: the Python function. Programs that send a kernel to another process set it to None.
        variants: what it was compiled for, see `eft.driver.Variant`.
        constants: what it read of its surroundings then, see `eft.constants`.
        kernels_of_elements: what launches with tuples run, see `eft.tuple_arguments`.
        parameters: its parameters, see `eft.parameters.Parameter`.
        debug: whether assertions are checked; None: if the environment says so.
        noinline, version, launch_metadata: as they were given to `jit`.
    """

    _eft_jit = True

    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
    ):
        unspecialized = (
            *_names("do_not_specialize", do_not_specialize),
            *_names("do_not_specialize_on_alignment", do_not_specialize_on_alignment),
        )
        while isinstance(fn, JITFunction):
            fn = fn.fn
        self.fn = fn
        self.parameters = parameters.read(fn, unspecialized)
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self.noinline = noinline
        self.debug = debug
        self.version = version
        self.launch_metadata = launch_metadata
        self._repr = repr
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__wrapped__ = fn
        self._text = text_of(fn)
        self._source = None
        self.variants = []
        self.constants = {}
        self.compiled = {}
        self.kernels_of_elements = {}
        self.pre_run_hooks = []
        self._hash = None
        self._initialize()

    def _initialize(self):
        """Tells the runtime of the parameters."""
        # Of a kernel that takes `*args`, `run` makes a tuple of these.
        is_variadic = any(each.is_variadic for each in self.parameters)
        self._launches_by_run = is_variadic or type(self).run is not JITFunction.run
        _runtime.KernelBase.__init__(
            self,
            self.__name__,
            [
                (each.name, each.kind, each.default, each.dtype and each.dtype.signature)
                for each in self.parameters
            ],
        )

    @property
    def source(self) -> Source:
        """The function's source, as it was when the function was decorated, or what `src` was set
        to since."""
        if self._source is None:
            self._source = self._original_source()
        elif isinstance(self._source, str):
            from eft.source import ReplacedSource

            self._source = ReplacedSource(self.fn, self._source)
        return self._source

    @property
    def parameter_nodes(self) -> list:
        """The syntax nodes of the parameters."""
        return self.source.parameters

    def assemble(self, values: dict) -> dict:
        """The values of the function's parameters, from those of the kernel's."""
        return values

    def _original_source(self) -> Source:
        if self.fn is None:
            raise RuntimeError(
                f"{self.__name__}() came from another process without its function: it has no "
                "source, and can't be compiled"
            )
        return Source(self.fn, self._text)

    def _replace_source(self, text: str):
        self._source = text  # to be parsed where an error can be told

    def __repr__(self):
        return f"<eft kernel {self.__module__}.{self.__qualname__}>"

    def __reduce__(self):
        """Pickles a kernel as Python does its functions: by the name under which it is found. So a
        copy is the kernel itself. One without a function is pickled with what tells it apart."""
        if self.fn is None:
            from eft.reflection import restore, without_function

            return restore, (type(self), without_function(self))
        return self.__qualname__

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f"{self.__name__}() runs on a grid: call {self.__name__}[grid](...), or call it from a "
            "kernel"
        )

    def bind(self, args, kwargs: dict) -> dict:
        """The value of each parameter in a call, by name."""
        return parameters.bind(self.__name__, self.parameters, args, kwargs)

    def warmup(self, *args, grid=None, target: str | None = None, **kwargs):
        """Compiles the kernel for these arguments without running it.

        Args:
            args, kwargs: as in a launch; instead of an array, also a dtype or an `eft.MockTensor`.
            grid: as in a launch; it does not matter.
            target: "sm_90" or "cuda:90", "gpu", "cpu", …: what to compile for, as `python -m eft
                compile` takes it. Nothing is loaded then, and no device of that kind is needed. By
                default what a launch with these arguments would run on.

        Returns:
            A `CompiledKernel`; a `Compilation` if `target` is given.
        """
        from eft.warmup import stands_for_array, warmup

        args, kwargs = parameters.collect(self.parameters, args, kwargs)
        if target is None and not any(map(stands_for_array, (*args, *kwargs.values()))):
            return super().warmup(*args, **kwargs)
        return warmup(self, args, kwargs, target)

    def run(self, *args, grid, warmup, **kwargs):
        """Launches the kernel, or with `warmup` only compiles it. `kernel[grid](...)` comes through
        here if the kernel, its class or the process has hooks.

        Returns:
            The compiled kernel.
        """
        from eft import hooks

        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        args, kwargs = parameters.collect(self.parameters, args, kwargs)
        if warmup:
            return self.warmup(*args, **kwargs)
        if hooks.launch_enter is None and hooks.launch_exit is None:
            return self._launch(grid, *args, **kwargs)
        return hooks.launch(self, grid, args, kwargs)

    def add_pre_run_hook(self, hook):
        """Calls `hook` with the arguments of each launch before it."""
        if not callable(hook):
            raise TypeError(f"a hook must be a function, got {hook!r}")
        self.pre_run_hooks.append(hook)
        self._launches_by_run = True

    # -- what the runtime calls --------------------------------------------------------------------

    def effective(self, options: dict) -> dict:
        """The options of a launch, with `debug` if the function or the environment asks for it."""
        if "debug" in options:
            return options
        debug = self.debug
        if debug is None:
            debug = os.environ.get("EFT_DEBUG", "0") not in ("", "0")
        return {**options, "debug": True} if debug else options

    def _call_with_tuples(self, how: str, grid, *args, **kwargs):
        """Launches, warms up or places, as `how` says, a call with tuples among its arguments. The
        grid of a launch gets the tuples, too."""
        from eft.tuple_arguments import flatten

        given = {each.name for each in self.parameters}
        options = {name: value for name, value in kwargs.items() if name not in given}
        named = {name: value for name, value in kwargs.items() if name in given}
        values = self.bind(args, named)
        kernel, elements = flatten(self, values)
        if how == "launch":
            grid = grid(values) if callable(grid) else grid
            return kernel._launch(grid, **elements, **options)
        method = _runtime.KernelBase.warmup if how == "warmup" else _runtime.KernelBase.place
        return method(kernel, **elements, **options)

    def _address_parameters(self, target, types, constexprs, options):
        from eft import driver

        try:
            options = self.effective(options)
            return driver.address_parameters(self, target, types, constexprs, options)
        except CompilationError as error:
            raise error.with_traceback(None) from None

    def _compile(self, target, device, types, constexprs, options, specialization, known=None):
        from eft import driver

        options = self.effective(options)
        variant = driver.Variant(target, types, constexprs, options, specialization)
        if self._call_hook("before_compile", device, variant):
            known = None  # a hook may change what the kernel reads
        try:
            kernel = driver.load(self, variant, device, known)
        except CompilationError as error:
            raise error.with_traceback(None) from None
        self.compiled.setdefault(device, {})[id(kernel)] = kernel
        if folder := os.environ.get("EFT_DUMP_DIR"):
            from eft import compiling

            compiling.dump(kernel, folder)
        self._call_hook("after_compile", device, variant)
        return kernel

    def _call_hook(self, name: str, device: int, variant) -> bool:
        """Calls a hook of `eft.hooks`; returns whether there is one."""
        hooks = sys.modules.get("eft.hooks")  # if it is not there, nobody has set one
        if hooks is None or (hook := getattr(hooks, name)) is None:
            return False
        hooks.call_compile_hook(hook, self, device, variant)
        return True


def _names(option: str, value):
    """Names and numbers of parameters. A text by itself would be taken for a list of letters."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{option} must be a list of parameters' names or numbers, got {value!r}")
    return value


TYPE_CHECKING = False  # typing's own takes milliseconds to import
if TYPE_CHECKING:
    # Type checkers and editors see a kernel as a `JITFunction`.
    from typing import overload

    @overload
    def jit(fn: Callable) -> JITFunction: ...
    @overload
    def jit(
        *,
        version: str | None = None,
        do_not_specialize: Iterable[int | str] | None = None,
        do_not_specialize_on_alignment: Iterable[int | str] | None = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: Callable | None = None,
        launch_metadata: Callable | None = None,
    ) -> Callable[[Callable], JITFunction]: ...


def jit(fn=None, **options):
    """Makes a Python function a kernel, or a function that kernels call.

    Args:
        do_not_specialize: names or numbers of parameters for whose values no code of their own is
            compiled.
        do_not_specialize_on_alignment: the same.
        debug: check assertions (`tl.device_assert`) in kernels; by default if EFT_DEBUG is set to
            anything but 0. The option `debug` of a launch goes first.
        repr: a function of a compiled kernel that gives the name under which tools show it.
        launch_metadata: a function of (grid, the kernel's metadata, its arguments by name) that
            gives a dict, which launch hooks get.
        noinline, version: accepted, without effect.

    Returns:
        A `JITFunction`: `kernel[grid](args, META=...)` compiles it at its first use and runs it on
        the grid, which is an int, a tuple of one to three, or a function of the arguments by name.

    Raises:
        TypeError: `fn` is no function of Python's, or takes `**` parameters; an option is
            of the wrong type.

    A name or number that no parameter has is ignored in `do_not_specialize`, with a warning.
    """
    if fn is None:
        return lambda fn: jit(fn, **options)
    if hasattr(fn, "put_kernel"):  # a decorator that stands below this one
        return fn.put_kernel(lambda fn: JITFunction(fn, **options))
    return JITFunction(fn, **options)
