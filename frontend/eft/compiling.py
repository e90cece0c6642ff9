# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compiler on a variant of a kernel (an `eft.driver.Variant`)."""

from __future__ import annotations

import os

from eft import _compiler, _runtime, host
from eft.compiler.functions import lower
from eft.errors import CompilationError, InternalError


def compile_here(function, variant, lowered=None) -> tuple[tuple, bytes, tuple | None]:
    """Compiles a kernel that this machine will run.

    Args:
        lowered: the kernel's `eft.compiler.functions.Lowered`, or None if the kernel has not been
            lowered yet.

    Returns:
        Three values: the fields of the kernel's `eft.metadata.Metadata`; the code, which is PTX or
        an object file for the host; and the linked form of an object file, or None (see `linked` of
        `eft.kernel.Compilation`).
    """
    compiled = _run(function, variant, lowered=lowered)
    limit = variant.options.get("maxnreg")
    shape = compiled.num_warps, compiled.shared_bytes, limit, compiled.programs_per_block
    fields = (compiled.name, variant.target, *shape, compiled.max_programs)
    linked = None
    # The runtime can load linked code only on processors that it can describe. On other processors
    # the compiler loads the object file.
    if variant.target == "cpu" and _runtime.processor_description():
        with _errors(function, variant):
            linked = _compiler.link_host_object(compiled.binary, compiled.name)
    return fields, compiled.binary, linked


def compile_ahead(function, variant, symbol: str | None):
    """Compiles a kernel without the disk cache, for this machine or another one. Returns the result
    of `_compiler.compile`, whose binary is PTX for CUDA. `symbol` is the name of the function in
    the code; None means the kernel's name. The code is right for all grids. It does not support
    ending a launch early, because that needs Eft's runtime."""
    try:
        return _run(function, variant, symbol=symbol, stoppable=False, all_grids=True)
    except CompilationError as error:
        raise error.with_traceback(None) from None


def elements_of_addresses(function, variant) -> tuple[list[tuple[int, int]], object]:
    """Lowers a kernel to find its address parameters. Returns a list with a pair for each of them,
    and the lowered IR. A pair is the parameter's number and the size in bytes of the smallest
    elements at the addresses that the parameter reaches."""
    with _errors(function, variant) as errors:
        lowered = errors.lowered = _lower(function, variant)
        arguments = _compiler.address_parameters(lowered.module)
    numbers = [number for number, type in enumerate(variant.types) if type is not None]
    # The extents and strides of tensor descriptors follow all other arguments. They are left out,
    # because their alignment is known.
    result = [
        (numbers[argument], element_bytes)
        for argument, element_bytes in arguments
        if argument < len(numbers)
    ]
    return result, lowered


def stages(function, variant) -> dict[str, str]:
    """Compiles a variant again and returns the text of every stage by name. The texts belong to the
    code from the first compile, because the same input gives the same code."""
    return _run(function, variant, keep_stages=True).stages


def dump(kernel, folder: str):
    """Writes one file for each stage of a kernel. The files go to a subfolder of `folder` whose
    name is a hash of the kernel's metadata and code."""
    from hashlib import sha256

    facts = f"{tuple(kernel.metadata)}".encode()
    key = sha256(facts + kernel.compilation.binary).hexdigest()[:32]
    place = os.path.join(folder, key)
    os.makedirs(place, exist_ok=True)
    for stage, text in kernel.asm.items():
        contents = text if isinstance(text, bytes) else text.encode()
        with open(os.path.join(place, f"{kernel.name}.{stage}"), "wb") as file:
            file.write(contents)


def raise_error(error: Exception, function, variant):
    """Raises the exception that the user sees, if `error` comes from the compiler. Otherwise
    returns."""
    _errors(function, variant).translate(error)


def _lower(function, variant, symbol: str | None = None, prints: bool = True):
    debug = bool(variant.options.get("debug"))
    num_warps = variant.options.get("num_warps", 4)
    types, constexprs = variant.types, variant.constexprs
    return lower(function, types, constexprs, symbol, debug, prints, variant.target, num_warps)


def _run(
    function,
    variant,
    keep_stages: bool = False,
    symbol: str | None = None,
    stoppable: bool = True,
    all_grids: bool = False,
    lowered=None,
):
    with _errors(function, variant) as errors:
        if lowered is None:
            # For the texts of stages the kernel is compiled a second time. The first compile has
            # already executed its `static_print`s.
            lowered = _lower(function, variant, symbol, prints=not keep_stages)
        errors.lowered = lowered
        lowered.specialize(variant.specialization)
        num_warps = variant.options.get("num_warps", 4)
        stages = variant.options.get("num_stages", 3)
        registers = variant.options.get("maxnreg", 0)
        target = host.target() if variant.target == "cpu" else variant.target
        print_ir = "" if keep_stages else os.environ.get("EFT_PRINT_IR", "")
        lines = variant.options.get("lines", True)
        all_grids |= variant.options.get("all_grids", False)
        options = num_warps, stages, keep_stages, registers, stoppable, print_ir, lines, all_grids
        return _compiler.compile(lowered.module, target, *options)


class _errors:
    """A context that turns the compiler's errors into the frontend's exceptions. An error with a
    position in the kernel becomes a `CompilationError`, which is the user's mistake. Any other
    error becomes an `InternalError`, which is a bug in Eft.

    Attributes:
        lowered: the IR that is compiled; None until the kernel has been lowered.
    """

    def __init__(self, function, variant):
        self.function = function
        self.variant = variant
        self.lowered = None

    def __enter__(self):
        return self

    def __exit__(self, kind, raised, traceback):
        self.translate(raised)

    def translate(self, error: BaseException | None):
        """Raises the frontend's exception for an error of the compiler. Does nothing for any other
        error and for None."""
        if not isinstance(error, _compiler.IRError):
            return
        text, diagnostics = error.args
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
