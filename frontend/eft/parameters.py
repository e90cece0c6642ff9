# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the parameters of a function under @eft.jit, and binds the arguments of a call to them."""

from __future__ import annotations

from types import FunctionType

from eft import _runtime
from eft.annotations import annotations_of
from eft.errors import Mistake
from eft.language.constexpr import const, constexpr, unwrap
from eft.language.dtypes import dtype, from_name, pointer_type

#: The kinds of parameters for the runtime: specialized on their values, not specialized, and known
#: at compile time.
VALUE, UNSPECIALIZED, CONSTEXPR = 0, 1, 2
_VAR_POSITIONAL, _VAR_KEYWORD = 0x04, 0x08
_COROUTINE, _ASYNC_GENERATOR = 0x80, 0x200


class Parameter:
    """One parameter.

    Attributes:
        name: its name.
        default: its default value, or `_runtime.MISSING` if it has none.
        is_constexpr: whether it is known at compile time.
        is_const: whether it points to memory that the kernel only reads.
        is_keyword_only: whether it comes after `*` or `*args`.
        is_variadic: whether it is `*args`, which collects the remaining positional arguments in a
            tuple.
        dtype: the type that its annotation names, or None.
        specialize: whether compiled code may rely on its value being 1 or divisible by a number.
    """

    def __init__(self, name: str, annotation, default, specialize: bool):
        self.name = name
        self.default = unwrap(default)
        words = _words(annotation)
        self.is_constexpr = annotation is constexpr or "constexpr" in words
        self.is_const = annotation is const or "const" in words
        self.dtype = annotation if isinstance(annotation, dtype) else _named_dtype(words)
        if self.dtype is not None and self.dtype.is_ptr():
            self.is_const = self.is_const or self.dtype.is_const()
        self.specialize = specialize and self.dtype is None
        self.is_keyword_only = self.is_variadic = False

    @property
    def kind(self) -> int:
        if self.is_constexpr:
            return CONSTEXPR
        return VALUE if self.specialize else UNSPECIALIZED


def _words(annotation) -> list[str]:
    """Returns the words of an annotation that is a string, each without its module: `tl.const`
    becomes "const". Returns [] for any other annotation."""
    if not isinstance(annotation, str):
        return []
    return [word.split(".")[-1] for word in annotation.replace("*", " * ").split()]


def _named_dtype(words: list[str]) -> dtype | None:
    names = [word for word in words if word not in ("*", "const")]
    found = from_name(names[0].removesuffix("_t")) if len(names) == 1 else None
    return pointer_type(found, const="const" in words) if found and "*" in words else found


def parameter_names(code) -> tuple[str, ...]:
    """Returns the names of the parameters of a code object. The name of `*args` comes last."""
    is_variadic = bool(code.co_flags & _VAR_POSITIONAL)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + is_variadic]


def read(function, unspecialized) -> list[Parameter]:
    """Returns the parameters of a Python function. `unspecialized` contains the names or numbers of
    the parameters on whose values launches don't specialize."""
    _check_kind(function)
    code = function.__code__
    names = parameter_names(code)
    _warn_of_unknown(function, names, unspecialized)
    annotations, defaults = annotations_of(function), _defaults(function, names)
    found = [
        Parameter(
            name,
            annotations.get(name),
            defaults.get(name, _runtime.MISSING),
            name not in unspecialized and number not in unspecialized,
        )
        for number, name in enumerate(names)
    ]
    for parameter in found[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
        parameter.is_keyword_only = True
    if code.co_flags & _VAR_POSITIONAL:
        found[-1].is_variadic = True
    return found


def _check_kind(function):
    """Raises a TypeError if `function` can't be a kernel."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"@eft.jit takes a function that `def` defines, got {function!r}")
    flags = function.__code__.co_flags
    if flags & (_COROUTINE | _ASYNC_GENERATOR):
        raise TypeError(
            f"{function.__name__}() can't be compiled: it is defined by `async def`, and a kernel "
            "by `def`"
        )
    if flags & _VAR_KEYWORD:
        raise TypeError(f"{function.__name__}() can't be compiled: it takes ** parameters")


def _warn_of_unknown(function, names, unspecialized):
    for each in unspecialized:
        if each not in names and not (isinstance(each, int) and 0 <= each < len(names)):
            import warnings

            warnings.warn_explicit(
                f"{function.__name__}() has no parameter {each!r} not to specialize on",
                UserWarning,
                function.__code__.co_filename,
                function.__code__.co_firstlineno,
            )


def _defaults(function, names) -> dict:
    """Returns the default values of the parameters that have one, by name. The default of `*args`
    is the empty tuple."""
    code = function.__code__
    defaults = dict(function.__kwdefaults__ or {})
    positional = names[: code.co_argcount]
    values = function.__defaults__ or ()
    defaults.update(zip(positional[len(positional) - len(values) :], values, strict=True))
    if code.co_flags & _VAR_POSITIONAL:
        defaults[names[-1]] = ()
    return defaults


def collect(parameters: list[Parameter], args, kwargs) -> tuple:
    """Returns the arguments of a call as (args, kwargs). If the function takes `*args`, the
    remaining positional arguments become a tuple in `kwargs`; otherwise the arguments are
    unchanged."""
    if not parameters or not parameters[-1].is_variadic or parameters[-1].name in kwargs:
        return args, kwargs
    positional = sum(not each.is_keyword_only for each in parameters[:-1])
    return args[:positional], {**kwargs, parameters[-1].name: tuple(args[positional:])}


def match(function: str, names, required, args, kwargs) -> dict:
    """Returns the arguments of a call by the names of the parameters, without defaults.

    Args:
        function: the function's name, for the error message.
        names: the parameters' names. Each parameter takes a positional or a keyword argument.
        required: the names of the parameters without a default.

    Raises:
        Mistake: there are too many arguments or too few, two for one parameter, or one with an
            unknown name.
    """
    if len(args) > len(names):
        raise Mistake(f"{function}() takes {len(names)} arguments, got {len(args)}")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            from eft.compiler.suggestions import did_you_mean

            hint = did_you_mean(name, names)
            raise Mistake(f"{function}() got an unexpected keyword argument {name!r}{hint}")
        if name in values:
            raise Mistake(f"{function}() got multiple values for argument {name!r}")
        values[name] = value
    for name in required:
        if name not in values:
            raise Mistake(f"{function}() is missing the argument {name!r}")
    return values


def bind(function: str, parameters: list[Parameter], args, kwargs) -> dict:
    """Returns the value of each parameter of a function under @eft.jit in a call, by name and in
    the order of the parameters. Defaults are included."""
    args, kwargs = collect(parameters, args, kwargs)
    names = [each.name for each in parameters]
    required = [each.name for each in parameters if each.default is _runtime.MISSING]
    values = match(function, names, required, args, kwargs)
    return {each.name: values.get(each.name, each.default) for each in parameters}
