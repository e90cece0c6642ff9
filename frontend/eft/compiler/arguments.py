# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a kernel in the IR, from the types of its parameters.

A number or an array has one argument. A tensor descriptor also has one argument in the place of its
parameter: the pointer to its array. The extents and strides of all descriptors follow after these
arguments, as a launch passes them.
"""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.descriptors import descriptor_argument, tensor_descriptor
from eft.language.dtypes import pointer_type
from eft.language.tensor import tensor
from eft.language.windows import check_padding


class Arguments:
    """The arguments of a kernel whose parameters have these types.

    Args:
        signature: the type of each parameter, or None if the parameter is known at compile time.

    Attributes:
        types: the types of the arguments.
    """

    def __init__(self, signature):
        self._signature = signature
        nothing = [""] * len(signature)
        self._first_number = sum(type is not None for type in signature)
        self.types = [type for type, _ in self._facts(nothing)]

    def specials(self, specialization) -> list[int]:
        """A fact about the value of each argument: 1 if the value is 1, a power of two if that
        divides it, or 0 if nothing is known.

        Args:
            specialization: for each parameter "", "1", or a power of two that divides it, as a
                text.
        """
        return [int(special or 0) for _, special in self._facts(specialization)]

    def _facts(self, specialization) -> list:
        """A list of pairs: the type of each argument, and the known fact about its value as a
        text."""
        present = [
            (type, special)
            for type, special in zip(self._signature, specialization, strict=True)
            if type is not None
        ]
        facts = [
            (type.pointer, "16") if isinstance(type, descriptor_argument) else (type, special)
            for type, special in present
        ]
        for type, special in present:
            if isinstance(type, descriptor_argument):
                facts += type.numbers(special)
        return facts

    def values(self, handles):
        """Two iterators over the arguments as tensors. The first gives one argument for each
        parameter that is not known at compile time. The second gives the extents and strides of the
        descriptors."""
        typed = [tensor(each, type) for each, type in zip(handles, self.types, strict=True)]
        return iter(typed[: self._first_number]), iter(typed[self._first_number :])


def descriptor_value(type: descriptor_argument, parameter, base, numbers) -> tensor_descriptor:
    """The descriptor that a kernel gets as a parameter. Raises a `Mistake` if the annotation of the
    parameter does not allow one.

    Args:
        base: the pointer to the array.
        numbers: an iterator whose next elements are the extents and strides.
    """
    if parameter.dtype is not None:
        raise Mistake(
            f"the parameter {parameter.name!r} is annotated as {parameter.dtype}, got a tensor "
            "descriptor"
        )
    check_padding(type.padding, type.pointer.element_ty)
    if parameter.is_const:
        base = base.retyped(pointer_type(type.pointer.element_ty, const=True))
    return type.descriptor(base, numbers)
