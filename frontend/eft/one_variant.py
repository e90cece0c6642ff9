# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of one variant of a kernel, by the protocol of Triton's compiled kernels.

A launch of a kernel under `jit` chooses among its variants. These have one, and take all arguments
of the kernel, of which those that are known at compile time are passed over.
"""

from __future__ import annotations

from operator import itemgetter
from struct import pack

from eft import _runtime
from eft.parameters import UNSPECIALIZED


class OneVariant:
    """The base of compiled kernels that can be launched by themselves. A subclass has the
    attributes `name`, `function`, and `packed_metadata`, and the methods `_init_handles`,
    `_kernel` and `_make_launcher`."""

    _launcher = None

    @property
    def run(self):
        """A function that launches the kernel: of the extents of the grid, the stream, `function`,
        `packed_metadata`, what `launch_metadata` gave, the hooks before and after, and the kernel's
        arguments. The stream is the current one of the arrays' library, whichever is given."""
        if self._launcher is None:
            self._init_handles()
            self._launcher = self._make_launcher()
        return self._launcher.run

    def launch_metadata(self, grid, stream, *args):
        """The `eft.hooks.LaunchMetadata` that a launch hook gets; None if there is no hook."""
        from eft import hooks

        if hooks.launch_enter is None:
            return None
        self._init_handles()
        facts = {"name": self.name, "function": self.function, "stream": stream}
        metadata = hooks.LaunchMetadata(facts)
        kernel = self._kernel()
        if kernel.launch_metadata is not None:
            bound = dict(zip(kernel.arg_names, args, strict=False))
            metadata.add(kernel.launch_metadata, (grid, self.metadata, bound))
        return metadata

    def __getitem__(self, grid):
        """A function that launches the kernel with all of its arguments."""
        from eft import hooks

        extents = (*grid, 1, 1)[:3]

        def launch(*args, stream=None):
            metadata = self.launch_metadata(grid, stream, *args)
            around = metadata, hooks.launch_enter, hooks.launch_exit
            self.run(*extents, stream, self.function, self.packed_metadata, *around, *args)

        return launch


class VariantLauncher(_runtime.KernelBase):
    """Launches one variant of a kernel, whatever the arguments are.

    Args:
        name: the kernel's name.
        target: what it was compiled for: "cuda:90", "cpu".
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
        kept = [number for number, type in enumerate(types) if type is not None]
        self._kept = kept
        self._floats = [(n, _FLOATS[types[n]]) for n in kept if types[n] in _FLOATS]
        self._choose = itemgetter(*kept) if len(kept) > 1 else lambda args: [args[n] for n in kept]
        super().__init__(name, [_parameter(names[n], types[n]) for n in kept])

    def run(self, x, y, z, stream, function, packed, metadata, enter, leave, *args):
        if self._floats:
            args = list(args)
            for number, convert in self._floats:
                args[number] = convert(args[number])
        if enter is not None:
            enter(metadata)
        self._launch((x, y, z), *self._choose(args))
        if leave is not None:
            leave(metadata)

    # -- what the runtime calls --------------------------------------------------------------------

    def _address_parameters(self, target, types, constexprs, options):
        return []

    def _compile(self, target, device, types, constexprs, options, specialization):
        if (target == "cpu") != (self.target == "cpu"):
            raise ValueError(
                f"kernel {self.name!r} was compiled for {self.target}, and its arrays are on "
                f"{target}"
            )
        for number, given in zip(self._kept, types, strict=True):
            known = self.types[number]
            if _kind(given) != _kind(known):
                raise TypeError(
                    f"kernel {self.name!r} was compiled for {known} as {self.names[number]!r}, "
                    f"got {given}"
                )
        return self.load(device)


def _kind(type: str | None) -> str:
    """The form in which an argument of a type reaches the code: an address, an int of any width, or
    a float."""
    if type is None or type[0] == "*":
        return "None" if type is None else "*"
    return type if type in ("fp32", "fp64") else "int"


def _parameter(name: str, type: str):
    """A parameter of the compiled code, for the runtime."""
    return name, UNSPECIALIZED, _runtime.MISSING, "fp64" if type == "fp64" else None


def _half_bits(value) -> int:
    return int.from_bytes(pack("<e", value), "little")


def _bfloat_bits(value) -> int:
    bits = int.from_bytes(pack("<f", value), "little")
    if bits & 0x7FFFFFFF > 0x7F800000:  # NaN, which rounding might make an infinity
        return bits >> 16 | 1 << 6
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16  # to nearest, ties to even


#: By type, how a launch reads a number: an int may stand for a float, as in Triton.
_FLOATS = {"fp16": _half_bits, "bf16": _bfloat_bits, "fp32": float, "fp64": float}
