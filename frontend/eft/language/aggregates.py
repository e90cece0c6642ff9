# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of values that kernels make of others: `@aggregate` above a class whose fields are
annotated.

    @eft.aggregate
    class Interval:
        low: tl.tensor
        high: tl.tensor

        @eft.jit
        def width(self):
            return self.high - self.low

A value of such a class does not change: `aggregate_replace` makes another one. Methods are under
@eft.jit, or are functions of Python's, which run while the kernel is compiled.
"""

from __future__ import annotations

import sys
from types import MethodType

from eft.annotations import annotations_of
from eft.errors import Mistake
from eft.language.builtin import builtin
from eft.language.constants import to_tensor
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import describe
from eft.language.tensor import is_number, structure, tensor

_MISSING = object()


class BoundKernel:
    """A function under @eft.jit as a method of a value."""

    def __init__(self, function, owner):
        self.function = function
        self.owner = owner
        self.__name__ = function.__name__


class Method:
    """A function under @eft.jit in a class of aggregates."""

    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind=None):
        return self.function if owner is None else BoundKernel(self.function, owner)


class Aggregate(structure):
    """The base of all classes of aggregates.

    Attributes:
        _types: by field, the class of its values; it may be `tensor` or `constexpr`.
        _defaults: the values of fields that a call of the class need not give.
    """

    _eft_aggregate = True
    _types: dict = {}
    _defaults: dict = {}

    def __setattr__(self, name: str, value):
        if name not in self._types:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        if vars(self).get("_is_made"):
            raise AttributeError(
                f"the field {name!r} of {type(self).__name__} can't be changed: "
                "aggregate_replace makes another value"
            )
        vars(self)[name] = _checked(type(self).__name__, name, unwrap(value), self._types[name])

    def parts(self) -> tuple:
        return tuple(vars(self)[name] for name in self._types if not self._is_fixed(name))

    def with_parts(self, parts) -> Aggregate:
        made, rest = object.__new__(type(self)), iter(parts)
        for name in self._types:
            vars(made)[name] = vars(self)[name] if self._is_fixed(name) else next(rest)
        vars(made)["_is_made"] = True
        return made

    def static(self) -> tuple:
        return type(self), tuple(vars(self)[name] for name in self._types if self._is_fixed(name))

    def _is_fixed(self, name: str) -> bool:
        return self._types[name] is constexpr

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(self._types)})"


def aggregate(cls: type) -> type:
    """Makes a class one of aggregates: of values with the fields that it annotates, each with the
    class of its values, such as `tl.tensor`, `tl.constexpr` or that of other aggregates.

    It is called with the fields in order or by name, or as its `__init__` says, which runs while
    the kernel is compiled and sets all of them.

    Raises:
        NameError: an annotation names nothing.
        TypeError: an annotation is no class, or a base is no class of aggregates.
    """
    bases = tuple(base for base in cls.__bases__ if base is not object)
    for base in bases:
        if not getattr(base, "_eft_aggregate", False):
            raise TypeError(f"an aggregate can only derive from aggregates, got {base!r}")
    own = _resolved(cls, sys._getframe(1).f_locals)
    members = {name: _member(each) for name, each in vars(cls).items() if name not in _SILENT}
    defaults = {name: members.pop(name) for name in own if name in members}
    inherited = {"_types": {}, "_defaults": {}}
    for base in reversed(bases):
        for kind in inherited:
            inherited[kind].update(getattr(base, kind))
    members["_types"] = inherited["_types"] | own
    members["_defaults"] = inherited["_defaults"] | defaults
    members["__module__"], members["__qualname__"] = cls.__module__, cls.__qualname__
    members["__doc__"] = cls.__doc__
    made = type(cls.__name__, bases or (Aggregate,), members)
    for each in vars(cls).values():
        _rebind(each, made)
    return made


def _rebind(member, made: type) -> None:
    """Makes `super()` work in a method of the class from which `made` was made. The method holds
    its class in a closure, which gets the new one."""
    functions = (getattr(member, name, None) for name in ("__func__", "fget", "fset", "fdel"))
    for function in (member, *functions):
        code = getattr(function, "__code__", None)
        if code is not None and "__class__" in code.co_freevars:
            function.__closure__[code.co_freevars.index("__class__")].cell_contents = made


_SILENT = (
    *("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__annotations__"),
    *("__annotate__", "__annotate_func__", "__annotations_cache__"),
)


def _member(value):
    return Method(value) if hasattr(value, "_eft_jit") else value


def _resolved(cls: type, around: dict) -> dict:
    """The annotations of a class. Those that are texts are evaluated, with the names of its module
    and those `around` the class."""
    names = {**vars(sys.modules.get(cls.__module__, object)), **around}
    found = dict(annotations_of(cls))
    for name, annotation in found.items():
        if isinstance(annotation, str):
            try:
                found[name] = eval(annotation, names, dict(vars(cls)))
            except (NameError, AttributeError, SyntaxError) as error:
                raise NameError(
                    f"the field {name!r} of {cls.__name__} is annotated with {annotation!r}, which "
                    f"names nothing: {error}"
                ) from None
        if not _has_values(found[name]):
            raise TypeError(
                f"the field {name!r} of {cls.__name__} must be annotated with a class, such as "
                f"tl.tensor or tl.constexpr, got {annotation!r}"
            )
    return found


def _has_values(kind) -> bool:
    """Whether `isinstance` takes `kind`: whether it is a class, or stands for several."""
    try:
        isinstance(None, kind)
    except TypeError:
        return False
    return True


def _checked(owner: str, name: str, value, kind):
    """The value for a field. Refuses one that is not of the field's class, `kind`."""
    if kind is constexpr:
        if isinstance(value, tensor | structure):
            raise Mistake(
                f"the field {name!r} of {owner} must be known at compile time, got "
                f"{describe(value)}"
            )
        return value
    if kind is tensor and is_number(value):
        return to_tensor(value)
    if not isinstance(value, kind):
        expected = getattr(kind, "__name__", str(kind))
        raise Mistake(f"the field {name!r} of {owner} must be a {expected}, got {describe(value)}")
    return value


def is_method_of_aggregate(value) -> bool:
    """Whether a value is a method of an aggregate that is a plain function of Python's, which runs
    at compile time."""
    return isinstance(value, MethodType) and isinstance(value.__self__, Aggregate)


def make(kind: type, args, kwargs) -> Aggregate:
    """A value of a class of aggregates."""
    made = object.__new__(kind)
    own = kind.__init__
    if isinstance(own, Method) or hasattr(own, "_eft_jit"):
        raise Mistake(f"{kind.__name__}.__init__ can't be under @eft.jit: it runs at compile time")
    if own is object.__init__:
        _set_fields(made, args, kwargs)
    else:
        own(made, *args, **kwargs)
    for name in kind._types:
        if name not in vars(made):
            raise Mistake(f"{kind.__name__}.__init__ did not set the field {name!r}")
    vars(made)["_is_made"] = True
    return made


def _set_fields(made: Aggregate, args, kwargs):
    kind = type(made)
    names = list(kind._types)
    if len(args) > len(names):
        raise Mistake(f"{kind.__name__}() takes {len(names)} arguments, got {len(args)}")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name in given or name not in names:
            what = "multiple values for" if name in given else "an unexpected keyword"
            raise Mistake(f"{kind.__name__}() got {what} argument {name!r}")
        given[name] = value
    for name in names:
        value = given.get(name, kind._defaults.get(name, _MISSING))
        if value is _MISSING:
            raise Mistake(f"{kind.__name__}() is missing the argument {name!r}")
        setattr(made, name, value)


@builtin
def aggregate_replace(instance, **changes):
    """Another value of the class of `instance`, an aggregate, with some of its fields changed."""
    if not isinstance(instance, Aggregate):
        raise Mistake(f"aggregate_replace needs an aggregate, got {describe(instance)}")
    for name in changes:
        if name not in instance._types:
            raise Mistake(f"{type(instance).__name__} has no field {name!r}")
    fields = {name: vars(instance)[name] for name in instance._types}
    return make(type(instance), (), fields | changes)
