# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a variant of a kernel to code that is loaded: through the disk cache, or through the
compiler."""

from __future__ import annotations

import json
import logging
from collections import namedtuple

from eft import _runtime
from eft.errors import CompilationError, InternalError
from eft.kernel import Asm, Compilation, CompiledKernel, Metadata
from eft.keys import cache_key

_log = logging.getLogger("eft")

#: One compile of a kernel: `types` and `specialization` have one entry per parameter, as in PLAN
#: the runtime asks.
Variant = namedtuple("Variant", "target types constexprs options specialization")


def load(function, variant: Variant, device: int) -> CompiledKernel:
    """The kernel for `variant`, loaded on a device."""
    compilation = compile_variant(function, variant, device)
    if variant.target == "cpu":
        from eft import _compiler

        address = _compiler.load_host_object(compilation.binary, compilation.metadata.name)
        kernel = CompiledKernel.load_host(CompiledKernel, address, None, compilation.metadata.name)
    else:
        metadata = compilation.metadata
        kernel = CompiledKernel.load_cuda(
            CompiledKernel,
            device,
            compilation.binary,
            metadata.name,
            metadata.num_warps,
            metadata.shared,
        )
    kernel.compilation = compilation
    return kernel


def compile_variant(function, variant: Variant, device: int | None) -> Compilation:
    """Compiles, or finds in the cache. For CUDA the binary is a cubin; with `device` None it is
    PTX, and nothing is asked of a driver."""
    key = cache_key(function, variant) if device is not None or variant.target == "cpu" else None
    entry = _runtime.cache_get(key) if key else None
    if entry is not None:
        metadata, binary = _unpack(entry)
        return Compilation(
            metadata, binary, Asm(lambda: _stages(function, variant), variant.target, binary)
        )
    _log_reason(function, variant)
    compiled = _run_compiler(function, variant, keep_stages=False)
    binary = compiled.binary
    if variant.target != "cpu" and device is not None:
        binary = _runtime.link_ptx(device, binary.decode(), compiled.name)
    metadata = Metadata(compiled.name, variant.target, compiled.num_warps, compiled.shared_bytes)
    if key:
        _runtime.cache_put(key, _pack(metadata, binary))
    cubin = binary if device is not None else None
    return Compilation(
        metadata, binary, Asm(lambda: _stages(function, variant), variant.target, cubin)
    )


def address_parameters(function, target, types, constexprs, options) -> list[int]:
    """The numbers of the parameters whose values reach an address."""
    variant = Variant(target, types, constexprs, options, None)
    key = cache_key(function, variant)
    entry = _runtime.cache_get(key) if key else None
    if entry is not None:
        return json.loads(entry)
    with _compiler_errors(function, variant):
        module = _lower(function, variant)
        from eft import _compiler

        arguments = _compiler.address_parameters(module)
    numbers = [number for number, type in enumerate(types) if type is not None]
    result = [numbers[argument] for argument in arguments]
    if key:
        _runtime.cache_put(key, json.dumps(result).encode())
    return result


def _lower(function, variant: Variant):
    from eft.compiler.functions import lower

    return lower(function, variant.types, variant.constexprs, variant.specialization)


def _run_compiler(function, variant: Variant, keep_stages: bool):
    with _compiler_errors(function, variant):
        module = _lower(function, variant)
        from eft import _compiler

        num_warps = variant.options.get("num_warps", 4)
        return _compiler.compile(module, variant.target, num_warps, keep_stages)


def _stages(function, variant: Variant) -> dict[str, str]:
    """The text of every stage, by compiling again: the same input gives the same code."""
    return _run_compiler(function, variant, keep_stages=True).stages


class _compiler_errors:
    """Turns what the compiler reports into the frontend's exceptions: what it can say a place of is
    the kernel's mistake, everything else is ours."""

    def __init__(self, function, variant: Variant):
        self.function = function
        self.variant = variant

    def __enter__(self):
        pass

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
        import linecache

        place, callers = positions[0], positions[1:]
        source = linecache.getline(place.file, place.line).rstrip("\n") or None
        calls = [(each.file, each.line, each.column, "a kernel") for each in callers]
        return CompilationError(text, place.file, place.line, place.column, source, calls)


def _pack(metadata: Metadata, binary: bytes) -> bytes:
    header = json.dumps(metadata._asdict()).encode()
    return len(header).to_bytes(4, "little") + header + binary


def _unpack(entry: bytes) -> tuple[Metadata, bytes]:
    size = int.from_bytes(entry[:4], "little")
    return Metadata(**json.loads(entry[4 : 4 + size])), entry[4 + size :]


def _log_reason(function, variant: Variant):
    """Says at level INFO why a compile happens: what no earlier variant of the kernel has had."""
    if not _log.isEnabledFor(logging.INFO):
        function._variants[len(function._variants)] = variant
        return
    earlier = list(function._variants.values())
    function._variants[len(function._variants)] = variant
    _log.info(
        "compiling %s for %s: %s", function.__name__, variant.target, _reason(variant, earlier)
    )


def _reason(variant: Variant, earlier: list[Variant]) -> str:
    if not earlier:
        return "first use"
    closest = min((_differences(variant, each) for each in earlier), key=len)
    return "; ".join(closest) or "the earlier one is for another device or is gone"


def _differences(variant: Variant, other: Variant) -> list[str]:
    found = []
    for field in Variant._fields:
        mine, theirs = getattr(variant, field), getattr(other, field)
        if mine == theirs:
            continue
        if isinstance(mine, dict):
            found += [f"{key} = {mine[key]!r}" for key in mine if mine[key] != theirs.get(key)]
        else:
            found.append(f"{field} {mine!r}, not {theirs!r}")
    return found
