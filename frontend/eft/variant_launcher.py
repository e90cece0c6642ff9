# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a given variant of a kernel instead of choosing a variant by the arguments; see
`eft.kernel.OneVariant`."""

from __future__ import annotations

from functools import partial
from math import copysign, frexp, isinf, isnan, ldexp

from eft import _runtime
from eft.language.constexpr import unwrap
from eft.parameters import UNSPECIALIZED


class VariantLauncher(_runtime.KernelBase):
    """Launches a given variant of a kernel, for any arguments of the right types. The
    specialization of the arguments is not checked.

    Args:
        name: the kernel's name.
        target: the target of the variant, such as "cuda:90", "compute_90" or "cpu".
        names: the names of all parameters of the kernel.
        types: the types of the parameters, in the words of a signature; None for a parameter that
            the compiled code does not have.
        load: a function that takes the number of a device and returns the kernel loaded there.
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
        """Calls `enter(metadata)`, launches the kernel, and calls `leave(metadata)`. Each of these
        hooks may be None."""
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
        """Returns the grid. If it is a function, calls it with the arguments by name, and returns
        its result. If the number of arguments is wrong, returns the function, and the launch raises
        an error."""
        if not callable(grid) or len(args) != len(self.names):
            return grid
        return grid(dict(zip(self.names, args, strict=True)))

    # -- methods that the runtime calls ------------------------------------------------------------

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
    """Whether arguments of the types `given` and `known` are passed to the code in the same form.
    PTX uses the type "b64" both for addresses and for 64-bit integers."""
    return _kind(given) in (("*", "int") if known == "b64" else (_kind(known),))


def _kind(type: str | None) -> str:
    """Returns the form in which an argument of a type is passed to the code: "*" for an address,
    "int" for an integer of any width, the type itself for a float or a tensor descriptor, and
    "None" if the code does not have the argument."""
    if type is None or type[0] == "*":
        return "None" if type is None else "*"
    return type if type in ("fp32", "fp64") or type.startswith("tensordesc<") else "int"


def _parameter(name: str, type: str | None):
    """Returns a parameter of the kernel in the form that the runtime takes."""
    return name, UNSPECIALIZED, _runtime.MISSING, "fp64" if type == "fp64" else None


def _convert(value, convert):
    """Returns `convert(value)` if the value is a float or an int of at most 64 bits. Returns any
    other value unchanged, and the runtime reports what is wrong with it."""
    number = unwrap(value)
    is_number = isinstance(number, float) or (
        isinstance(number, int) and -(2**63) <= number < 2**64
    )
    return convert(number) if is_number else value


def _round_to_odd(number: int | float) -> float:
    """Returns a Python float that rounds to a narrower float in the same way as the number itself.
    An int may need more than the 53 bits that a float has. The result then has the highest 53 bits,
    and its lowest bit is also set if any of the lost bits is set."""
    if isinstance(number, float):
        return number
    surplus = max(number.bit_length() - 53, 0)
    lost = number & ((1 << surplus) - 1)
    return ldexp(number >> surplus | (lost != 0), surplus)


def _round_to_bits(number: int | float, digits: int, bias: int) -> int:
    """Returns the bits of the float of a narrower type that is nearest to a number. Ties round to
    even, and a number beyond the type's range becomes an infinity. A float of the type has a sign
    bit, an exponent that is stored with `bias` added, and a fraction of `digits` bits."""
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
    # `units` contains the leading 1 of a normal number, which lies above the fraction. Adding it
    # increases the exponent by one, and so does a carry from rounding.
    return sign | min(((exponent + bias - 1) << digits) + units, infinity)


#: By the type of a float parameter, the function that converts a number for the runtime: to the
#: bits of an fp16 or bf16, or to a Python float. The number may also be an int, as in Triton.
_FLOATS = {
    "fp16": partial(_round_to_bits, digits=10, bias=15),
    "bf16": partial(_round_to_bits, digits=7, bias=127),
    "fp32": _round_to_odd,
    "fp64": float,
}
