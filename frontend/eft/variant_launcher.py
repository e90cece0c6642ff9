# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches one variant of a kernel, whatever its arguments are: see `eft.kernel.OneVariant`."""

from __future__ import annotations

from functools import partial
from math import copysign, frexp, isinf, isnan, ldexp

from eft import _runtime
from eft.language.constexpr import unwrap
from eft.parameters import UNSPECIALIZED


class VariantLauncher(_runtime.KernelBase):
    """Launches one variant of a kernel, whatever the arguments are.

    Args:
        name: the kernel's name.
        target: the name of the target that it was compiled for: "cuda:90", "compute_90", "cpu".
        names: the names of all parameters.
        types: their types in the signature; None for those that the code does not have.
        load: a function of a device's number that gives the loaded kernel.
    """

    def __init__(self, name: str, target: str, names, types, load):
        self.name = name
        self.target = target
        self.names = names
        self.types = types
        self.load = load
        self._dropped = [number for number, type in enumerate(types) if type is None]
        self._floats = [(n, _FLOATS[type]) for n, type in enumerate(types) if type in _FLOATS]
        super().__init__(name, list(map(_parameter, names, types)))

    def run(self, x, y, z, stream, function, packed, metadata, enter, leave, *args):
        self.launch((x, y, z), metadata, enter, leave, args)

    def launch(self, grid, metadata, enter, leave, args):
        """Launches the kernel between two hooks, each a function of `metadata` or None."""
        if len(args) != len(self.names):
            return self._launch(grid, *args)  # raises an error for the number of arguments
        args = list(args)
        for number in self._dropped:
            args[number] = None
        for number, convert in self._floats:
            value = args[number]
            args[number] = convert(value) if type(value) is float else _convert(value, convert)
        if enter is not None:
            enter(metadata)
        self._launch(grid, *args)
        if leave is not None:
            leave(metadata)

    def find_extents(self, grid, args):
        """The grid itself, or what it gives for the arguments by name if it is a function."""
        if not callable(grid) or len(args) != len(self.names):
            return grid
        return grid(dict(zip(self.names, args, strict=True)))

    # -- what the runtime calls --------------------------------------------------------------------

    def _address_parameters(self, target, types, constexprs, options):
        return [], None

    def _compile(self, target, device, types, constexprs, options, specialization, known):
        if (target == "cpu") != (self.target == "cpu"):
            raise ValueError(
                f"kernel {self.name!r} was compiled for {self.target}, and its arrays are on "
                f"{target}"
            )
        for name, known, given in zip(self.names, self.types, types, strict=True):
            if not _fits(given, known):
                raise TypeError(
                    f"kernel {self.name!r} was compiled for {known} as {name!r}, got {given}"
                )
        return self.load(device)


def _fits(given: str | None, known: str | None) -> bool:
    """Whether an argument of the type `given` reaches the code in the same form as one of the type
    `known`. PTX has one type, "b64", for addresses and for integers of 64 bits."""
    return _kind(given) in (("*", "int") if known == "b64" else (_kind(known),))


def _kind(type: str | None) -> str:
    """The form in which an argument of a type reaches the code: an address, an int of any width, a
    float, or a descriptor."""
    if type is None or type[0] == "*":
        return "None" if type is None else "*"
    return type if type in ("fp32", "fp64") or type.startswith("tensordesc<") else "int"


def _parameter(name: str, type: str | None):
    """A parameter of the kernel, for the runtime."""
    return name, UNSPECIALIZED, _runtime.MISSING, "fp64" if type == "fp64" else None


def _convert(value, convert):
    """A number converted by `convert`. Anything else, such as an int of more than 64 bits, stays as
    it is: the runtime says what is wrong with it."""
    number = unwrap(value)
    is_number = isinstance(number, float) or (
        isinstance(number, int) and -(2**63) <= number < 2**64
    )
    return convert(number) if is_number else value


def _round_to_odd(number: int | float) -> float:
    """A float that rounds to a narrower float in the same way as the number itself. If an int needs
    more than the 53 bits of a float, the lowest bit is set if any of the lost bits is."""
    if isinstance(number, float):
        return number
    surplus = max(number.bit_length() - 53, 0)
    lost = number & ((1 << surplus) - 1)
    return ldexp(number >> surplus | (lost != 0), surplus)


def _round_to_bits(number: int | float, digits: int, bias: int) -> int:
    """The bits of the nearest float of a type, ties to even; beyond the type's range, those of an
    infinity. A float of the type has a sign, an exponent from which `bias` is subtracted, and a
    fraction of `digits` bits."""
    value = _round_to_odd(number)
    sign = (2 * bias + 2) << digits if copysign(1, value) < 0 else 0
    infinity = (2 * bias + 1) << digits
    if value == 0:
        return sign
    if isnan(value):
        return infinity | 1 << (digits - 1)
    if isinf(value):
        return sign | infinity
    exponent = max(frexp(value)[1] - 1, 1 - bias)
    units = round(ldexp(abs(value), digits - exponent))
    # The bit in front of a normal number's fraction adds one to the exponent, and so does a carry.
    return sign | min(((exponent + bias - 1) << digits) + units, infinity)


#: By the type of a float parameter, a function that converts a number to what the runtime takes for
#: it: the bits of an fp16 or bf16, a float for others. The number may be an int, as in Triton.
_FLOATS = {
    "fp16": partial(_round_to_bits, digits=10, bias=15),
    "bf16": partial(_round_to_bits, digits=7, bias=127),
    "fp32": _round_to_odd,
    "fp64": float,
}
