# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@eft.jit`: makes a Python function a kernel.

`kernel[grid](...)` launches in C++ (`_runtime.KernelBase`). For most launches of compiled variants
the C++ code calls no method of this module. It calls one for the address parameters of a kernel,
for the code of a new variant, for a call with tuples among its arguments, and for a launch that
goes through `run`.
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
    """The base of every object that `kernel[grid](...)` launches. A subclass defines the method
    `run`, whose arguments are those of the launch, the keyword `grid`, and the keyword `warmup`. If
    `warmup` is true, `run` compiles the kernel without launching it."""

    __class_getitem__ = classmethod(GenericAlias)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles the kernel for these arguments without launching it."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no method run")


class JITFunction(Reflection, _runtime.KernelBase, KernelInterface):
    """A kernel, or a function that kernels call. If a subclass overrides `run`, `kernel[grid](...)`
    calls that method.

    Args:
        fn: the Python function, or a `JITFunction` of it.
        The other arguments are those of `jit`.

    Attributes:
        fn: the Python function. Programs that send a kernel to another process set it to None.
        variants: each `eft.driver.Variant` that was compiled, in order.
        constants: the constants that the compiled variants have read, see `eft.constants`.
        kernels_of_elements: the kernels that launches with tuples run, see `eft.tuple_arguments`.
        parameters: the parameters, each an `eft.parameters.Parameter`.
        debug: whether assertions are checked. None: only if EFT_DEBUG is set to anything but 0.
        noinline, version, launch_metadata: the values that were given to `jit`.
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
        """Passes the parameters to the runtime."""
        # A kernel that takes `*args` launches through `run`, which collects them in a tuple.
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
        """The function's source: the last text that `src` was set to, or else the text in its file
        when the function was decorated."""
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
        """Returns the values of the Python function's parameters by name. `values` has those of the
        kernel's parameters, which are the same, except in a `KernelOfElements`."""
        return values

    def _original_source(self) -> Source:
        if self.fn is None:
            raise RuntimeError(
                f"{self.__name__}() came from another process without its function: it has no "
                "source, and can't be compiled"
            )
        return Source(self.fn, self._text)

    def _replace_source(self, text: str):
        self._source = text  # `source` parses the text later, where it can report an error

    def __repr__(self):
        return f"<eft kernel {self.__module__}.{self.__qualname__}>"

    def __reduce__(self):
        """Pickles a kernel by its qualified name, as Python pickles functions. So a kernel that is
        unpickled in the same process is the kernel itself. A kernel whose `fn` is None is pickled
        with its attributes."""
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
        """Returns the value of each parameter in a call, by name."""
        return parameters.bind(self.__name__, self.parameters, args, kwargs)

    def warmup(self, *args, grid=None, target: str | None = None, **kwargs):
        """Compiles the kernel for these arguments without running it.

        Args:
            args, kwargs: the arguments of a launch. A dtype or an `eft.MockTensor` can take the
                place of an array.
            grid: ignored.
            target: the target in the words of `python -m eft compile`: "sm_90" or "cuda:90", "gpu",
                "cpu", and so on. With a target, the kernel is not loaded, and the machine need not
                have such a device. By default, the target is the device that a launch with these
                arguments would use, and the kernel is loaded there.

        Returns:
            A `CompiledKernel`; a `Compilation` if `target` is given.
        """
        from eft.warmup import stands_for_array, warmup

        args, kwargs = parameters.collect(self.parameters, args, kwargs)
        if target is None and not any(map(stands_for_array, (*args, *kwargs.values()))):
            return super().warmup(*args, **kwargs)
        return warmup(self, args, kwargs, target)

    def run(self, *args, grid, warmup, **kwargs):
        """Launches the kernel, or with `warmup` only compiles it. `kernel[grid](...)` calls this
        method only if hooks around launches are set, if the kernel has pre-run hooks, or if the
        kernel takes `*args`.

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
        """Makes every launch call `hook` first, with the arguments of the launch."""
        if not callable(hook):
            raise TypeError(f"a hook must be a function, got {hook!r}")
        self.pre_run_hooks.append(hook)
        self._launches_by_run = True

    # -- methods that the runtime calls ------------------------------------------------------------

    def effective(self, options: dict) -> dict:
        """Returns the options of a launch. Adds `debug=True` if they don't contain `debug`, and the
        function's attribute or the environment asks for it."""
        if "debug" in options:
            return options
        debug = self.debug
        if debug is None:
            debug = os.environ.get("EFT_DEBUG", "0") not in ("", "0")
        return {**options, "debug": True} if debug else options

    def _call_with_tuples(self, how: str, grid, *args, **kwargs):
        """Performs a call that has tuples among its arguments. `how` is "launch", "warmup" or
        "place", and names the method of the `KernelOfElements` that is called. If `grid` is a
        function, it gets the arguments with their tuples."""
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
            known = None  # the hook may have changed something that the kernel reads
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
        """Calls the hook `name` of `eft.hooks`, if it is set. Returns whether it is set."""
        hooks = sys.modules.get("eft.hooks")  # if it was never imported, no hook is set
        if hooks is None or (hook := getattr(hooks, name)) is None:
            return False
        hooks.call_compile_hook(hook, self, device, variant)
        return True


def _names(option: str, value):
    """Returns `value`, a list of parameters' names and numbers; () for None. Raises a TypeError for
    a single string, which would otherwise count as a list of one-letter names."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{option} must be a list of parameters' names or numbers, got {value!r}")
    return value


TYPE_CHECKING = False  # type checkers know this name; importing `typing` takes milliseconds
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
        do_not_specialize: the names or numbers of parameters on whose values launches don't
            specialize.
        do_not_specialize_on_alignment: more names or numbers with the same effect.
        debug: whether kernels check assertions (`tl.device_assert`). By default they do if
            EFT_DEBUG is set to anything but 0. The option `debug` of a launch overrides this.
        repr: a function that takes a compiled kernel and returns the name that tools show.
        launch_metadata: a function of (grid, the kernel's metadata, the arguments by name). It
            returns a dict, whose entries are added to the metadata for launch hooks.
        noinline, version: accepted without effect.

    Returns:
        A `JITFunction`. `kernel[grid](args, META=...)` runs it on the grid, and compiles it first
        if necessary. The grid is an int, a tuple of one to three ints, or a function that takes the
        arguments by name in a dict and returns the grid.

    Raises:
        TypeError: `fn` is not a Python function, or takes `**` parameters; or an option is of the
            wrong type.

    A name or number that no parameter has is ignored in `do_not_specialize`, with a warning.
    """
    if fn is None:
        return lambda fn: jit(fn, **options)
    if hasattr(fn, "put_kernel"):  # another decorator, such as `autotune`, below this one
        return fn.put_kernel(lambda fn: JITFunction(fn, **options))
    return JITFunction(fn, **options)
