# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes whose objects consist of several values of a kernel. `@aggregate` above a class that
annotates its fields makes such a class.

    @eft.aggregate
    class Interval:
        low: tl.tensor
        high: tl.tensor

        @eft.jit
        def width(self):
            return self.high - self.low

The objects are immutable: `aggregate_replace` makes a changed copy. A method under @eft.jit becomes
part of the kernel. Any other method runs while the kernel is compiled.
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
    """A method under @eft.jit, together with the object on which a kernel calls it."""

    def __init__(self, function, owner):
        self.function = function
        self.owner = owner
        self.__name__ = function.__name__


class Method:
    """The Python descriptor of a method under @eft.jit in an aggregate class: reading the method
    from an object gives a `BoundKernel`, reading it from the class gives the function."""

    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind=None):
        return self.function if owner is None else BoundKernel(self.function, owner)


class Aggregate(structure):
    """The base of all aggregate classes.

    Attributes:
        _types: the class of each field's value, by the name of the field; may be `tensor` or
            `constexpr`.
        _defaults: the default values of fields, by the name of the field.
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
    """Makes an aggregate class from a class that annotates its fields.

    An annotation is the class of the field's value: `tl.tensor`, `tl.constexpr` or another
    aggregate class. A call of the aggregate class makes an object. Its arguments are the values of
    the fields, in order or by name. If the class has an `__init__`, they are the arguments of
    `__init__` instead, which runs while the kernel is compiled and must set all fields.

    Returns:
        The new class.

    Raises:
        NameError: an annotation is a string that can't be evaluated.
        TypeError: an annotation is not a class, or a base class is not an aggregate class.
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
    """Makes `super()` work in `member`, a member of the class from which `made` was made. A method
    that uses `super()` holds its class in a closure cell; this function puts `made` into the
    cell."""
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
    """The annotations of a class, by the name of the field. Strings are evaluated: they may use the
    names of the class, of its module, and of the scope `around` the class."""
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
    """Returns whether `isinstance` accepts `kind` as its second argument: a class or a union of
    classes."""
    try:
        isinstance(None, kind)
    except TypeError:
        return False
    return True


def _checked(owner: str, name: str, value, kind):
    """Returns the value for a field; for a field of the class `tensor`, a number becomes a tensor.
    Raises a `Mistake` if the value does not belong to `kind`, the class of the field."""
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
    """Returns whether a value is a method of an aggregate that is a plain Python function, bound to
    its object. Such a method runs at compile time."""
    return isinstance(value, MethodType) and isinstance(value.__self__, Aggregate)


def make(kind: type, args, kwargs) -> Aggregate:
    """Makes an object of the aggregate class `kind` from the arguments of a call."""
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
    """Returns a copy of `instance`, an object of an aggregate class, in which the fields that
    `changes` names have new values.

    The copy is made by a call of the class with all fields by name. So an `__init__` of the class
    must take the fields as its parameters.
    """
    if not isinstance(instance, Aggregate):
        raise Mistake(f"aggregate_replace needs an aggregate, got {describe(instance)}")
    for name in changes:
        if name not in instance._types:
            raise Mistake(f"{type(instance).__name__} has no field {name!r}")
    fields = {name: vars(instance)[name] for name in instance._types}
    return make(type(instance), (), fields | changes)
