# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a variant of a kernel to code that is loaded: through the disk cache, or through the
compiler."""

from __future__ import annotations

import os

from eft import _runtime, host
from eft.constants import check_constants
from eft.errors import CompilationError, InternalError
from eft.kernel import Asm, Compilation, CompiledKernel, Metadata
from eft.keys import cache_key, stable_facts
from eft.stable_text import NotStable


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


def load(function, variant: Variant, device: int, lowered=None) -> CompiledKernel:
    """The kernel for `variant`, loaded on a device. `lowered` is as for `compile_variant`."""
    constants = check_constants(function)
    compilation = compile_variant(function, variant, device, lowered)
    with _compiler_errors(function, variant):
        kernel = load_code(compilation, device)
    kernel.source = function, variant.types
    function.constants.update(constants)
    return kernel


def load_code(compilation: Compilation, device: int) -> CompiledKernel:
    """Loads a kernel's code on a GPU, or into this process if it is for the host."""
    metadata, binary = compilation.metadata, compilation.binary
    if metadata.target == "cpu":
        kernel = CompiledKernel.load_host(_load_on_host(compilation), None, metadata.name)
    else:
        kernel = CompiledKernel.load_cuda(
            device, binary, metadata.name, metadata.num_warps, metadata.shared
        )
    kernel.compilation = compilation
    kernel.device = -1 if metadata.target == "cpu" else device
    return kernel


def _load_on_host(compilation: Compilation) -> int:
    """The address of a kernel's function."""
    if compilation.linked is not None and not os.environ.get("EFT_SHOW_CODE"):
        return _runtime.load_code(*compilation.linked)
    from eft import _compiler  # which tells debuggers and profilers

    name, symbols = compilation.metadata.name, _runtime.host_symbols()
    return _compiler.load_host_object(compilation.binary, name, symbols)


class LoweredVariant:
    """The results of lowering a variant of any specialization.

    Attributes:
        lowered: the IR, see `eft.compiler.functions.Lowered`. Only one variant may specialize it.
        facts: the `stable_facts` of what was lowered; None if it has none.
    """

    def __init__(self, lowered, facts: str | None):
        self.lowered = lowered
        self.facts = facts


def compile_variant(
    function, variant: Variant, device: int | None, lowered: LoweredVariant | None = None
) -> Compilation:
    """The code of a variant, out of the cache or compiled. No driver is called. `device` is the GPU
    on which the code will be loaded, if there is one. `lowered` is what `address_parameters` has
    lowered for it, if it did.

    For CUDA the binary is PTX: the driver assembles it when it is loaded, and has a cache of its
    own for what comes of it.
    """
    try:
        facts, reason = stable_facts(function, variant), ""
        key = cache_key(facts, "code", variant.specialization)
    except NotStable as error:
        facts, key, reason = None, None, str(error)
    if lowered is not None and lowered.facts != facts:
        lowered = None  # something that the kernel reads has changed since
    # A cached result would show none of the passes at work.
    entry = _runtime.cache_get(key) if key and not _print_ir() and not _always() else None
    if entry is not None:
        metadata, binary, linked = _unpack(entry)
    else:
        from eft import left_out, reasons

        reasons.log_reason(function, variant)
        compiled = _run_compiler(
            function, variant, keep_stages=False, lowered=lowered and lowered.lowered
        )
        metadata = Metadata(
            compiled.name,
            variant.target,
            compiled.num_warps,
            compiled.shared_bytes,
            variant.options.get("maxnreg"),
        )
        binary, linked = compiled.binary, None
        if variant.target == "cpu":
            linked = _link(function, variant, metadata.name, binary)
        reason = reason or _runtime.cache_put(key, _pack(metadata, binary, linked))
        if reason:
            left_out.note(function, variant.target, reason)
        else:
            left_out.forget(function)
    asm = Asm(lambda: _stages(function, variant), metadata, binary, device)
    return Compilation(metadata, binary, asm, linked)


def _link(function, variant: Variant, name: str, binary: bytes) -> tuple | None:
    """What the runtime loads of an object; None on processors on which the compiler has to."""
    if not _runtime.processor_description():
        return None
    from eft import _compiler

    with _compiler_errors(function, variant):
        return _compiler.link_host_object(binary, name)


def address_parameters(
    function, target, types, constexprs, options
) -> tuple[list[tuple[int, ...]], LoweredVariant | None]:
    """The parameters whose values reach an address: the number of each, and the divisors by which
    its values are told apart, the largest first. And what was lowered to find them, if the cache
    did not have them."""
    variant = Variant(target, types, constexprs, options, None)
    found, lowered = _elements_of_addresses(function, variant)
    parameters = [(number, *_divisors(target, element_bytes)) for number, element_bytes in found]
    return parameters, lowered


def _divisors(target: str, element_bytes: int) -> tuple[int, ...]:
    """The divisors by which launches tell apart the values of an integer that reaches addresses of
    elements of this size. For a GPU they are the elements of the widest access, of 16 bytes, and
    those of the least asynchronous copy, of 4 bytes. For a CPU it is the lanes of a vector."""
    if not target.startswith(("cuda:", "compute_")):
        return (16,)
    return tuple(size // element_bytes for size in (16, 4) if size > element_bytes)


def _elements_of_addresses(
    function, variant: Variant
) -> tuple[list[tuple[int, int]], LoweredVariant | None]:
    """The numbers of the parameters whose values reach an address, with the bytes of the smallest
    elements there; and what was lowered to find them."""
    try:
        facts = stable_facts(function, variant)
        key = cache_key(facts, "addresses")
    except NotStable:  # the compile that follows tells of it
        facts, key = None, None
    entry = _runtime.cache_get(key) if key else None
    if entry is not None:
        numbers = [int(number) for number in entry.split()]
        return list(zip(numbers[::2], numbers[1::2], strict=True)), None
    with _compiler_errors(function, variant) as errors:
        lowered = errors.lowered = _lower(function, variant)
        from eft import _compiler

        arguments = _compiler.address_parameters(lowered.module)
    numbers = [number for number, type in enumerate(variant.types) if type is not None]
    # The numbers of descriptors stand behind all other arguments. Their alignment is known.
    result = [
        (numbers[argument], element_bytes)
        for argument, element_bytes in arguments
        if argument < len(numbers)
    ]
    if key:
        _runtime.cache_put(key, " ".join(f"{a} {b}" for a, b in result).encode())
    return result, LoweredVariant(lowered, facts)


def compile_ahead(function, variant: Variant, symbol: str | None):
    """Compiles for a machine that need not be this one, past the cache; `symbol` is the name of the
    function in the code, if not the kernel's. For CUDA the binary is PTX. There is no runtime in
    that machine which could end a launch early."""
    try:
        return _run_compiler(function, variant, False, symbol, stoppable=False)
    except CompilationError as error:
        raise error.with_traceback(None) from None


def _lower(function, variant: Variant, symbol: str | None = None, prints: bool = True):
    from eft.compiler.functions import lower

    debug = bool(variant.options.get("debug"))
    num_warps = variant.options.get("num_warps", 4)
    types, constexprs = variant.types, variant.constexprs
    return lower(function, types, constexprs, symbol, debug, prints, variant.target, num_warps)


def _run_compiler(
    function,
    variant: Variant,
    keep_stages: bool,
    symbol: str | None = None,
    stoppable: bool = True,
    lowered=None,
):
    with _compiler_errors(function, variant) as errors:
        if lowered is None:
            # A kernel whose stages are asked for has printed when its code was made.
            lowered = _lower(function, variant, symbol, prints=not keep_stages)
        errors.lowered = lowered
        lowered.specialize(variant.specialization)
        from eft import _compiler

        num_warps = variant.options.get("num_warps", 4)
        stages = variant.options.get("num_stages", 3)
        registers = variant.options.get("maxnreg", 0)
        target = host.target() if variant.target == "cpu" else variant.target
        print_ir = "" if keep_stages else _print_ir()
        lines = variant.options.get("lines", True)
        options = num_warps, stages, keep_stages, registers, stoppable, print_ir, lines
        return _compiler.compile(lowered.module, target, *options)


def _print_ir() -> str:
    """The passes after which a compile prints its IR; none if it is empty."""
    return os.environ.get("EFT_PRINT_IR", "")


def _always() -> bool:
    """Whether what the disk cache has is compiled again."""
    return os.environ.get("EFT_ALWAYS_COMPILE", "0") not in ("", "0")


def dump(kernel: CompiledKernel, folder: str):
    """Writes every stage of a kernel into a folder of its own in `folder`."""
    from hashlib import sha256

    facts = f"{tuple(kernel.metadata)}".encode()
    key = sha256(facts + kernel.compilation.binary).hexdigest()[:32]
    place = os.path.join(folder, key)
    os.makedirs(place, exist_ok=True)
    for stage, text in kernel.asm.items():
        contents = text if isinstance(text, bytes) else text.encode()
        with open(os.path.join(place, f"{kernel.name}.{stage}"), "wb") as file:
            file.write(contents)


def _stages(function, variant: Variant) -> dict[str, str]:
    """The text of every stage, by compiling again: the same input gives the same code."""
    return _run_compiler(function, variant, keep_stages=True).stages


class _compiler_errors:
    """Turns the compiler's errors into the frontend's exceptions: one with a place in the kernel is
    a mistake of the kernel, any other is a bug of Eft's.

    Attributes:
        lowered: the IR that is compiled, as soon as there is one.
    """

    def __init__(self, function, variant: Variant):
        self.function = function
        self.variant = variant
        self.lowered = None

    def __enter__(self):
        return self

    def __exit__(self, kind, raised, traceback):
        if kind is None or kind.__name__ != "IRError":
            return
        text, diagnostics = raised.args
        places = [
            diagnostic.positions for diagnostic in diagnostics if diagnostic.severity == "error"
        ]
        if places and places[0]:
            raise self._mistake(text, places[0]) from None
        raise InternalError(
            f"compiling {self.function.__name__!r} failed: {text}", f"{self.variant}\n{diagnostics}"
        ) from None

    def _mistake(self, text: str, positions) -> CompilationError:
        place, callers = positions[0], positions[1:]
        source = self.lowered and self.lowered.lines.get((place.file, place.line))
        calls = [(each.file, each.line, each.column, "a kernel") for each in callers]
        return CompilationError(text, place.file, place.line, place.column, source, calls)


def _pack(metadata: Metadata, binary: bytes, linked: tuple | None) -> bytes:
    """An entry of the cache: a line for each of the metadata, one that says where the linked code
    is to hold addresses, the size of the binary, then the binary and the linked code."""
    code, entry, addresses = linked or (b"", "", ())
    places = (f"{offset}:{symbol}:{addend}" for offset, symbol, addend in addresses)
    lines = [*map(str, metadata), " ".join([str(entry), *places]), str(len(binary)), ""]
    return "\n".join(lines).encode() + binary + code


def _unpack(packed: bytes) -> tuple[Metadata, bytes, tuple | None]:
    name, target, *numbers, places, size, rest = packed.split(b"\n", len(Metadata._fields) + 2)
    numbers = [None if number == b"None" else int(number) for number in numbers]
    metadata = Metadata(name.decode(), target.decode(), *numbers)
    binary, code = rest[: int(size)], rest[int(size) :]
    if not code:
        return metadata, binary, None
    entry, *places = places.decode().split(" ")
    addresses = [place.split(":") for place in places]
    addresses = [(int(offset), symbol, int(addend)) for offset, symbol, addend in addresses]
    return metadata, binary, (code, int(entry), addresses)
