# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters of a function under @eft.jit, and how the arguments of a call meet them."""

from __future__ import annotations

from types import FunctionType

from eft import _runtime
from eft.annotations import annotations_of
from eft.errors import Mistake
from eft.language.constexpr import const, constexpr, unwrap
from eft.language.dtypes import dtype, from_name, pointer_type

#: The kinds of parameters that the runtime tells apart.
VALUE, UNSPECIALIZED, CONSTEXPR = 0, 1, 2
_VAR_POSITIONAL, _VAR_KEYWORD = 0x04, 0x08
_COROUTINE, _ASYNC_GENERATOR = 0x80, 0x200


class Parameter:
    """One parameter.

    Attributes:
        name: its name.
        default: what it is without an argument, or `_runtime.MISSING`.
        is_constexpr: whether it is known at compile time.
        is_const: whether it points to memory that is only read.
        is_keyword_only: whether it stands behind `*` or `*args`.
        is_variadic: whether it is a tuple of what is left of the arguments, as `*args` is.
        dtype: the type that its annotation names, or None.
        specialize: whether code may be compiled for its value being 1 or divisible by something.
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
    """The words of an annotation that is a string, without the module in front: `tl.const` gives
    const."""
    if not isinstance(annotation, str):
        return []
    return [word.split(".")[-1] for word in annotation.replace("*", " * ").split()]


def _named_dtype(words: list[str]) -> dtype | None:
    names = [word for word in words if word not in ("*", "const")]
    found = from_name(names[0].removesuffix("_t")) if len(names) == 1 else None
    return pointer_type(found, const="const" in words) if found and "*" in words else found


def parameter_names(code) -> tuple[str, ...]:
    """The names of the parameters of a code object, that of `*args` last."""
    is_variadic = bool(code.co_flags & _VAR_POSITIONAL)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + is_variadic]


def read(function, unspecialized) -> list[Parameter]:
    """The parameters of a Python function. `unspecialized` holds names or numbers of those whose
    values no code is compiled for."""
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
    """Raises an error for what can't be a kernel."""
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
    """The defaults of the parameters that have one. That of `*args` is no argument."""
    code = function.__code__
    defaults = dict(function.__kwdefaults__ or {})
    positional = names[: code.co_argcount]
    values = function.__defaults__ or ()
    defaults.update(zip(positional[len(positional) - len(values) :], values, strict=True))
    if code.co_flags & _VAR_POSITIONAL:
        defaults[names[-1]] = ()
    return defaults


def collect(parameters: list[Parameter], args, kwargs) -> tuple:
    """The arguments of a call of a function that takes `*args`, with a tuple for these; those of
    another function as they are."""
    if not parameters or not parameters[-1].is_variadic or parameters[-1].name in kwargs:
        return args, kwargs
    positional = sum(not each.is_keyword_only for each in parameters[:-1])
    return args[:positional], {**kwargs, parameters[-1].name: tuple(args[positional:])}


def match(function: str, names, required, args, kwargs) -> dict:
    """The arguments of a call by the names of the parameters.

    Args:
        function: its name, for the error.
        names: its parameters, all of which take an argument by place or by name.
        required: those of them that have no default.

    Raises:
        Mistake: there are too many arguments, too few, one twice, or one of an unknown name.
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
    """The value of each parameter of a function under @eft.jit in a call, in order."""
    args, kwargs = collect(parameters, args, kwargs)
    names = [each.name for each in parameters]
    required = [each.name for each in parameters if each.default is _runtime.MISSING]
    values = match(function, names, required, args, kwargs)
    return {each.name: values.get(each.name, each.default) for each in parameters}
