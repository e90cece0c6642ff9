# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples as arguments of a launch.

A kernel that gets some is launched as another one, which has a parameter for each element:
`pair[0]`, `pair[1].x`. That one has the kernel's source, and makes the tuples again before it. So
launches and compiled code know nothing of tuples, and a launch without any is not slower for them.

An element is known at compile time if its field is annotated so or it says so by itself, as
`tl.constexpr(4)` does, a type, a text or a function. Any other is an argument like others.
"""

from __future__ import annotations

from sys import intern

from eft import _runtime
from eft.jit import JITFunction
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import dtype
from eft.language.tuples import constant_elements, is_named_class
from eft.parameters import Parameter

#: The patterns of what is no tuple.
_VALUE, _CONSTANT = "value", "constant"


class KernelOfElements(JITFunction):
    """A kernel whose arguments are the elements of tuples that another kernel gets.

    Attributes:
        kernel: the other one.
        patterns: for each of its parameters the pattern of the argument.
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
        """The values of the kernel's parameters, from those of its elements."""
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
    """The kernel of the elements of a launch with these values of the parameters, and its
    arguments by name. Elements of the types `constants` are known at compile time."""
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
    """The parameters for the elements of a tuple, or the parameter itself if it gets none."""
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
