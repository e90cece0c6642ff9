# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples as arguments of a launch.

A launch with tuples among its arguments launches another kernel, the *kernel of elements*. It has a
parameter for each element of a tuple, such as `pair[0]` or `pair[1].x`. It has the source of the
original kernel, and its code first builds the tuples from their elements. So launches and compiled
code need not know tuples, and a launch without tuples is not slowed down.

An element is known at compile time if its field is annotated as `tl.constexpr`, or if it is a
`tl.constexpr`, a dtype, a string or a function under `jit`. Any other element is an ordinary
argument.
"""

from __future__ import annotations

from sys import intern

from eft import _runtime
from eft.jit import JITFunction
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import dtype
from eft.language.tuples import constant_elements, is_named_class
from eft.parameters import Parameter

#: A pattern describes the structure of an argument. What is known at compile time, such as an
#: element of a field that is annotated as constexpr, has the pattern `_CONSTANT`. The pattern of a
#: tuple or list is its class (`tuple` if it has no named fields) and the patterns of its elements.
#: Everything else has `_VALUE`. So has the argument of a constexpr parameter: the kernel of
#: elements keeps this parameter as it is.
_VALUE, _CONSTANT = "value", "constant"


class KernelOfElements(JITFunction):
    """A kernel that takes the elements of the tuples that another kernel takes.

    Attributes:
        kernel: the kernel that takes tuples.
        patterns: the pattern of the argument for each parameter of `kernel`.
    """

    def __init__(self, kernel: JITFunction, patterns: tuple):
        vars(self).update(vars(kernel))
        self.kernel = kernel
        self.patterns = patterns
        self._parameter_nodes = []
        self.parameters = []
        nodes = kernel.source.parameters
        for parameter, node, pattern in zip(kernel.parameters, nodes, patterns, strict=True):
            elements = list(_elements(parameter, parameter.name, pattern))
            self.parameters += elements
            self._parameter_nodes += [node] * len(elements)
        self.variants, self.constants, self._hash = [], {}, None
        self._initialize()

    @property
    def source(self):
        return self.kernel.source

    @property
    def debug(self) -> bool | None:
        return self.kernel.debug

    @property
    def parameter_nodes(self) -> list:
        return self._parameter_nodes

    def assemble(self, values: dict) -> dict:
        """Returns the values of the parameters of `kernel` by name, built from the values of the
        elements."""
        rest = iter(values.values())
        names = [each.name for each in self.kernel.parameters]
        return {
            name: _rebuilt(pattern, rest)
            for name, pattern in zip(names, self.patterns, strict=True)
        }


def has_tuples(function: JITFunction, values) -> bool:
    """Whether a launch with these values of the parameters needs a kernel of elements."""
    return any(
        isinstance(value, tuple | list) and not parameter.is_constexpr
        for parameter, value in zip(function.parameters, values, strict=True)
    )


def flatten(
    function: JITFunction, values: dict, constants=(constexpr, dtype, str)
) -> tuple[KernelOfElements, dict]:
    """Returns the kernel of elements for a launch with these values of the parameters, and its
    arguments by name. Elements whose type is one of `constants` are known at compile time."""
    patterns = tuple(
        _VALUE if parameter.is_constexpr else _pattern(values[parameter.name], constants)
        for parameter in function.parameters
    )
    if patterns not in function.kernels_of_elements:
        function.kernels_of_elements[patterns] = KernelOfElements(function, patterns)
    kernel = function.kernels_of_elements[patterns]
    names = [each.name for each in kernel.parameters]
    leaves = []
    for pattern, value in zip(patterns, values.values(), strict=True):
        _collect(pattern, value, leaves)
    return kernel, dict(zip(names, leaves, strict=True))


def _pattern(value, constants):
    if isinstance(value, tuple | list):
        kind = type(value) if is_named_class(type(value)) else tuple
        fixed = constant_elements(value) if kind is not tuple else [False] * len(value)
        return kind, tuple(
            _CONSTANT if keep else _pattern(each, constants)
            for each, keep in zip(value, fixed, strict=True)
        )
    is_constant = isinstance(value, constants) or hasattr(value, "_eft_jit")
    return _CONSTANT if is_constant else _VALUE


def _elements(parameter: Parameter, name: str, pattern):
    """Yields a parameter for each element of a tuple. Yields the parameter itself if its argument
    is an ordinary value."""
    if not isinstance(pattern, tuple):
        if name == parameter.name and pattern is _VALUE:
            yield parameter
            return
        element = Parameter(intern(name), None, _runtime.MISSING, parameter.specialize)
        element.is_constexpr = pattern is _CONSTANT
        element.is_const = parameter.is_const
        yield element
        return
    kind, patterns = pattern
    for number, each in enumerate(patterns):
        place = f"[{number}]" if kind is tuple else f".{kind._fields[number]}"
        yield from _elements(parameter, f"{name}{place}", each)


def _collect(pattern, value, leaves: list):
    if not isinstance(pattern, tuple):
        leaves.append(unwrap(value) if pattern is _CONSTANT else value)
        return
    for each, element in zip(pattern[1], value, strict=True):
        _collect(each, element, leaves)


def _rebuilt(pattern, leaves):
    if not isinstance(pattern, tuple):
        return next(leaves)
    kind, patterns = pattern
    elements = [_rebuilt(each, leaves) for each in patterns]
    return tuple(elements) if kind is tuple else tuple.__new__(kind, elements)
