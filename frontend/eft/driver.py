# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a variant of a kernel to code that is loaded: through the disk cache, or through the
compiler, see `eft.compiling`. A first launch waits for this module."""

from __future__ import annotations

import os
import sys

from eft import _runtime
from eft.constants import check_constants, find_constants
from eft.kernel import Compilation, CompiledKernel
from eft.stable_text import NotStable, StableText
from eft.version import key_of


class Variant:
    """All that a kernel is compiled for.

    Attributes:
        target: "cuda:90", "compute_90", "cpu", "host:x86-64-v3".
        types: the type of each parameter in the signature; None for those that are known at compile
            time.
        constexprs: a dict of the parameters that are known at compile time, with their values.
        options: a dict of the launch's options that reach the code, with their values.
        specialization: for each parameter "", "1", or a power of two that divides the value, such
            as "16"; None where that does not matter.
    """

    # Not a named tuple: to make such a class takes longer than the rest of this module, and a first
    # launch waits for it.
    __slots__ = ("constexprs", "options", "specialization", "target", "types")

    def __init__(self, target: str, types, constexprs: dict, options: dict, specialization):
        self.target = target
        self.types = types
        self.constexprs = constexprs
        self.options = options
        self.specialization = specialization

    def __repr__(self):
        facts = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"Variant({', '.join(facts)})"


def load(function, variant: Variant, device: int, known=None) -> CompiledKernel:
    """The kernel for `variant`, loaded on a device. `known` is as for `compile_variant`."""
    constants = known.constants if known else find_constants(function)
    check_constants(function, constants)
    compilation = compile_variant(function, variant, device, known)
    try:
        kernel = load_code(compilation, device)
    except Exception as error:
        if "eft._compiler" in sys.modules:  # else it is no error of the compiler's
            from eft import compiling

            compiling.raise_error(error, function, variant)
        raise
    kernel.source = function, variant.types
    function.constants.update(constants)
    return kernel


def load_code(compilation: Compilation, device: int) -> CompiledKernel:
    """Loads a kernel's code on a GPU, or into this process if it is for the host."""
    name, is_host = compilation.name, compilation.target == "cpu"
    if is_host:
        kernel = CompiledKernel.load_host(_load_on_host(compilation), None, name)
    else:
        warps, shared = compilation.num_warps, compilation.shared
        kernel = CompiledKernel.load_cuda(device, compilation.binary, name, warps, shared)
    kernel.compilation = compilation
    kernel.device = -1 if is_host else device
    return kernel


def _load_on_host(compilation: Compilation) -> int:
    """The address of a kernel's function."""
    if compilation.linked is not None and not os.environ.get("EFT_SHOW_CODE"):
        return _runtime.load_code(*compilation.linked)
    from eft import _compiler  # which tells debuggers and profilers

    symbols = _runtime.host_symbols()
    return _compiler.load_host_object(compilation.binary, compilation.name, symbols)


class Examined:
    """The facts that `address_parameters` found of a variant of any specialization.

    Attributes:
        constants: see `eft.constants.find_constants`; not newer than `facts`.
        facts: its `stable_facts`; None if it has none.
        lowered: its IR, see `eft.compiler.functions.Lowered`, which only one variant may
            specialize; None if the cache had what was asked for.
    """

    def __init__(self, constants: dict, facts: str | None, lowered):
        self.constants = constants
        self.facts = facts
        self.lowered = lowered


def compile_variant(
    function, variant: Variant, device: int | None, known: Examined | None = None
) -> Compilation:
    """The code of a variant, out of the cache or compiled. No driver is called. `device` is the GPU
    on which the code will be loaded, if there is one. `known` is what `address_parameters` found of
    it, if it was asked and no code of the user's has run since.

    For CUDA the binary is PTX: the driver assembles it when it is loaded, and has a cache of its
    own for what comes of it.
    """
    facts = known.facts if known and known.facts else _facts(function, variant)[0]
    entry = None
    # A cached result would show none of the passes at work.
    if facts and not os.environ.get("EFT_PRINT_IR") and not _always():
        entry = _runtime.cache_get(_key_of_code(facts, variant))
    if entry is not None:
        fields, binary, linked = _unpack(entry)
    else:
        from eft import compiling, left_out, reasons

        reasons.log_reason(function, variant)
        now, reason = _facts(function, variant)
        # It is lowered anew if something that the kernel reads has changed since it was.
        lowered = known.lowered if known and known.facts == now else None
        fields, binary, linked = compiling.compile_here(function, variant, lowered)
        if now:
            entry = _pack(fields, binary, linked)
            reason = _runtime.cache_put(_key_of_code(now, variant), entry)
        if reason:
            left_out.note(function, variant.target, reason)
        else:
            left_out.forget(function)

    def make_stages():
        from eft import compiling

        return compiling.stages(function, variant)

    return Compilation(fields, binary, make_stages, device, linked)


def stable_facts(function, variant: Variant) -> str:
    """A text that is another one for each kernel, and for all that a variant of it is compiled for
    but its specialization.

    Raises:
        NotStable: the code depends on something that has no stable text.
    """
    text, host = StableText(), ""
    if variant.target == "cpu":
        from eft.host import description

        host = description()
    parts = [
        text.of(function),
        variant.target,
        host,
        repr(variant.types),
        *(f"{name} {text.of(value, name)}" for name, value in sorted(variant.constexprs.items())),
        text.of(sorted(variant.options.items())),
    ]
    return "\0".join(parts)


def _facts(function, variant: Variant) -> tuple[str | None, str]:
    """The `stable_facts`; without them None and the reason."""
    try:
        return stable_facts(function, variant), ""
    except NotStable as error:
        return None, str(error)


def _key_of_code(facts: str, variant: Variant) -> bytes:
    return key_of("code", facts, repr(variant.specialization))


def address_parameters(
    function, target, types, constexprs, options
) -> tuple[list[tuple[int, ...]], Examined]:
    """The parameters whose values reach an address: the number of each, and the divisors by which
    its values are told apart, the largest first. And what else was found."""
    variant = Variant(target, types, constexprs, options, None)
    constants = find_constants(function)
    facts, _ = _facts(function, variant)  # the compile that follows tells of the reason
    key = facts and key_of("addresses", facts)
    entry, lowered = key and _runtime.cache_get(key), None
    if entry is not None:
        numbers = [int(number) for number in entry.split()]
        found = list(zip(numbers[::2], numbers[1::2], strict=True))
    else:
        from eft import compiling

        found, lowered = compiling.elements_of_addresses(function, variant)
        if key:
            _runtime.cache_put(key, " ".join(f"{a} {b}" for a, b in found).encode())
    parameters = [(number, *_divisors(target, element_bytes)) for number, element_bytes in found]
    return parameters, Examined(constants, facts, lowered)


def _divisors(target: str, element_bytes: int) -> tuple[int, ...]:
    """The divisors by which launches tell apart the values of an integer that reaches addresses of
    elements of this size. For a GPU they are the elements of the widest access, of 16 bytes, and
    those of the least asynchronous copy, of 4 bytes. For a CPU it is the lanes of a vector."""
    if not target.startswith(("cuda:", "compute_")):
        return (16,)
    return tuple(size // element_bytes for size in (16, 4) if size > element_bytes)


def _always() -> bool:
    """Whether what the disk cache has is compiled again."""
    return os.environ.get("EFT_ALWAYS_COMPILE", "0") not in ("", "0")


def _pack(fields: tuple, binary: bytes, linked: tuple | None) -> bytes:
    """An entry of the cache: a line for each of the fields, one that says where the linked code
    is to hold addresses, the size of the binary, then the binary and the linked code."""
    code, entry, addresses = linked or (b"", "", ())
    places = (f"{offset}:{symbol}:{addend}" for offset, symbol, addend in addresses)
    lines = [*map(str, fields), " ".join([str(entry), *places]), str(len(binary)), ""]
    return "\n".join(lines).encode() + binary + code


def _unpack(packed: bytes) -> tuple[tuple, bytes, tuple | None]:
    name, target, *numbers, places, size, rest = packed.split(b"\n", 7)
    numbers = [None if number == b"None" else int(number) for number in numbers]
    fields = (name.decode(), target.decode(), *numbers)
    binary, code = rest[: int(size)], rest[int(size) :]
    if not code:
        return fields, binary, None
    entry, *places = places.decode().split(" ")
    addresses = [place.split(":") for place in places]
    addresses = [(int(offset), symbol, int(addend)) for offset, symbol, addend in addresses]
    return fields, binary, (code, int(entry), addresses)
