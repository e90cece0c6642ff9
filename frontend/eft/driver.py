# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gets the code of a kernel's variant and loads it. The code comes from the disk cache, or from the
compiler (see `eft.compiling`). Only the first launch of a variant needs this module."""

from __future__ import annotations

import os
import sys

from eft import _runtime
from eft.constants import check_constants, find_constants
from eft.kernel import Compilation, CompiledKernel
from eft.stable_text import NotStable, StableText
from eft.version import key_of


class Variant:
    """Everything that the code of a kernel depends on, besides its source.

    Attributes:
        target: the target's name, such as "cuda:90", "compute_90", "cpu" or "host:x86-64-v3".
        types: for each parameter its type in the words of a signature, such as "*fp32"; None for a
            parameter that is known at compile time.
        constexprs: the values of the parameters that are known at compile time, by name.
        options: the values of those launch options that affect the code, by name. With
            `all_grids`, which is no option of a launch, the code is right for any number of
            programs.
        specialization: for each parameter "1" if the argument is 1, else a power of two that
            divides it, such as "16", else "". The attribute is None if the specialization is not
            known yet.
    """

    # This is not a named tuple, because creating such a class takes longer than the rest of this
    # module, and a first launch waits for the module.
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
    """Returns the kernel for `variant`, loaded on a device. `known` is as in `compile_variant`."""
    constants = known.constants if known else find_constants(function)
    check_constants(function, constants)
    compilation = compile_variant(function, variant, device, known)
    try:
        kernel = load_code(compilation, device)
    except Exception as error:
        if "eft._compiler" in sys.modules:  # otherwise the error can't come from the compiler
            from eft import compiling

            compiling.raise_error(error, function, variant)
        raise
    kernel.source = function, variant.types
    function.constants.update(constants)
    return kernel


def load_code(
    compilation: Compilation, device: int, assertions_trap: bool = False
) -> CompiledKernel:
    """Loads a kernel's code on a GPU, or into this process if it is for the host. With
    `assertions_trap`, launches on a GPU don't wait for the kernel's assertions, and a failed one
    ends all work of the process on the GPU."""
    name, is_host = compilation.name, compilation.target == "cpu"
    most = compilation.max_programs
    if is_host:
        kernel = CompiledKernel.load_host(_load_on_host(compilation), None, name, most)
    else:
        shape = compilation.num_warps, compilation.shared, compilation.programs_per_block, most
        kernel = CompiledKernel.load_cuda(device, compilation.binary, name, *shape, assertions_trap)
    kernel.compilation = compilation
    kernel.device = -1 if is_host else device
    return kernel


def _load_on_host(compilation: Compilation) -> int:
    """Loads a kernel's code into this process and returns the address of its function."""
    if compilation.linked is not None and not os.environ.get("EFT_SHOW_CODE"):
        return _runtime.load_code(*compilation.linked)
    from eft import _compiler  # its loader also tells debuggers and profilers about the code

    symbols = _runtime.host_symbols()
    return _compiler.load_host_object(compilation.binary, compilation.name, symbols)


class Examined:
    """The facts that `address_parameters` finds about a variant. They do not depend on the
    specialization.

    Attributes:
        constants: the result of `eft.constants.find_constants`, which ran before `facts` was made.
        facts: the `stable_facts` of the variant; None if it has none.
        lowered: the `eft.compiler.functions.Lowered` of the kernel, which only one variant may
            specialize. None if the answer was in the disk cache, so that nothing was lowered.
    """

    def __init__(self, constants: dict, facts: str | None, lowered):
        self.constants = constants
        self.facts = facts
        self.lowered = lowered


def compile_variant(
    function, variant: Variant, device: int | None, known: Examined | None = None
) -> Compilation:
    """Returns the code of a variant, from the disk cache or from the compiler. Does not call the
    CUDA driver.

    For CUDA the binary is PTX. The driver assembles the PTX when it loads the kernel, and caches
    the result itself.

    Args:
        device: the GPU on which the code will be loaded; None if there is none.
        known: the result of `address_parameters` for this variant. Must be None if code of the user
            has run after `address_parameters`, or if `address_parameters` was not called.
    """
    facts = known.facts if known and known.facts else _facts(function, variant)[0]
    entry = None
    # EFT_PRINT_IR prints the IR after passes, so the passes must run: don't use a cached result.
    if facts and not os.environ.get("EFT_PRINT_IR") and not _always():
        entry = _runtime.cache_get(_key_of_code(facts, variant))
    if entry is not None:
        fields, binary, linked = _unpack(entry)
    else:
        from eft import compiling, left_out, reasons

        reasons.log_reason(function, variant)
        now, reason = _facts(function, variant)
        # Something that the kernel reads may have changed since the kernel was lowered. Then it is
        # lowered again.
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
    """Returns a text of everything that the code of a variant depends on, except its specialization
    and the version of Eft: the kernel with the functions and constants that it reads, the target,
    the host's CPU for the target "cpu", the types, the constexpr values and the options.

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
    """Returns the `stable_facts` and "". If there are none, returns None and the reason."""
    try:
        return stable_facts(function, variant), ""
    except NotStable as error:
        return None, str(error)


def _key_of_code(facts: str, variant: Variant) -> bytes:
    return key_of("code", facts, repr(variant.specialization))


def address_parameters(
    function, target, types, constexprs, options
) -> tuple[list[tuple[int, ...]], Examined]:
    """Finds the address parameters of a kernel. Returns a tuple for each of them: its number, and
    then the divisors on which launches specialize its values, the largest first. The second result
    is the `Examined`, for a compile that follows."""
    variant = Variant(target, types, constexprs, options, None)
    constants = find_constants(function)
    facts, _ = _facts(function, variant)  # the compile that follows reports why there are none
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
    """Returns the divisors on which launches specialize an address parameter for elements of this
    size. On a GPU these are the number of elements in the widest access (16 bytes) and in the
    smallest asynchronous copy (4 bytes); a divisor of 1 is left out. On a CPU the only divisor is
    16, the number of fp32 elements in a vector of 512 bits."""
    if not target.startswith(("cuda:", "compute_")):
        return (16,)
    return tuple(size // element_bytes for size in (16, 4) if size > element_bytes)


def _always() -> bool:
    """Returns whether the environment variable EFT_ALWAYS_COMPILE asks to ignore code in the disk
    cache."""
    return os.environ.get("EFT_ALWAYS_COMPILE", "0") not in ("", "0")


def _pack(fields: tuple, binary: bytes, linked: tuple | None) -> bytes:
    """Returns the contents of a cache entry. The parts are: a line for each of the fields, the last
    of which is a tuple of ints; a line with the offset of the function in the linked code, and the
    places in that code that must hold addresses; a line with the size of the binary; the binary;
    and the linked code."""
    code, entry, addresses = linked or (b"", "", ())
    places = (f"{offset}:{symbol}:{addend}" for offset, symbol, addend in addresses)
    *fields, most = fields
    lines = [
        *map(str, fields),
        " ".join(map(str, most)),
        " ".join([str(entry), *places]),
        str(len(binary)),
        "",
    ]
    return "\n".join(lines).encode() + binary + code


def _unpack(packed: bytes) -> tuple[tuple, bytes, tuple | None]:
    name, target, *numbers, most, places, size, rest = packed.split(b"\n", 9)
    numbers = [None if number == b"None" else int(number) for number in numbers]
    fields = (name.decode(), target.decode(), *numbers, tuple(map(int, most.split())))
    binary, code = rest[: int(size)], rest[int(size) :]
    if not code:
        return fields, binary, None
    entry, *places = places.decode().split(" ")
    addresses = [place.split(":") for place in places]
    addresses = [(int(offset), symbol, int(addend)) for offset, symbol, addend in addresses]
    return fields, binary, (code, int(entry), addresses)
