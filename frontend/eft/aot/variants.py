# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a kernel for each target."""

from __future__ import annotations

import re
from collections import namedtuple

from eft import compiling, driver
from eft.aot import ptxas
from eft.aot.errors import AheadError
from eft.aot.signature import Signature
from eft.aot.targets import Target, needed_words

#: The kernel for one target. `kind` is "cubin", "ptx" or "host". `symbol` is the function's name in
#: `code`. `suffix` is the part of file names that tells targets apart. `capability` and `exact` say
#: on which GPUs the code runs, `words` on which CPUs (see needed_words in targets.py). `how`
#: describes the code for the user.
Code = namedtuple(
    "Code", "target kind symbol suffix code num_warps shared capability exact words how"
)


def compile_variants(
    function, name: str, signature: Signature, options: dict, targets: list[Target]
) -> list[Code]:
    """Compiles a kernel for every target. Returns the best code first, because a program takes the
    first code that its device can run."""
    tool = None
    if any(not target.is_host and not target.is_ptx for target in targets):
        tool = ptxas.find_ptxas()
    found = []
    for target in targets:
        if target.is_host:
            found.append(_host(function, name, signature, options, target))
        else:
            found.append(_cuda(function, signature, options, target, tool))
    return sorted(found, key=_rank)


def _rank(code: Code):
    """Returns the sort key of a code: newer GPUs first, for one capability the cubin before the
    PTX, then CPUs with more features first."""
    if code.kind == "host":
        return (1, -sum(bin(word).count("1") for word in code.words))
    return (0, -code.capability, code.kind != "cubin")


def _compile(function, signature: Signature, options: dict, target: str, symbol: str | None):
    variant = driver.Variant(
        target, signature.types, signature.constexprs, options, signature.specialization
    )
    return compiling.compile_ahead(function, variant, symbol)


def _host(function, name: str, signature, options: dict, target: Target) -> Code:
    suffix = re.sub(r"\W", "_", target.text)
    compiled = _compile(function, signature, options, target.compiler, f"{name}_{suffix}")
    if b"eft$print" in compiled.binary:
        raise AheadError(
            f"{function.__name__!r} prints, which code for {target.text} that is compiled ahead of "
            "time can't do: what prints is a part of Eft's runtime"
        )
    cpu = target.text.partition(":")[2] or "the CPU at hand"
    words, how = needed_words(target), f"machine code for {cpu}"
    return Code(target, "host", compiled.name, suffix, compiled.binary, 0, 0, 0, False, words, how)


def _cuda(function, signature, options: dict, target: Target, tool: str | None) -> Code:
    is_cubin = tool is not None and not target.is_ptx
    # A cubin for 8.0 must run on 8.6 too, so its code is portable. Compute capability 9.0 is the
    # only one with 9 as its major number, so its cubin may use what only 9.0 has.
    is_exact = is_cubin and target.capability // 10 == 9
    name = target.compiler if is_exact else f"compute_{target.capability}"
    compiled = _compile(function, signature, options, name, None)
    ptx = compiled.binary.decode()
    own = ptxas.architecture(ptx)
    exact = not own[-1].isdigit()
    if not is_cubin:
        why = "" if target.is_ptx else "no ptxas of CUDA 12.5 or later was found: "
        how = f"PTX, {why}the driver assembles it at load"
        # PTX runs on GPUs from the capability that it names, which may be lower than the one of the
        # target.
        kind, code, capability = "ptx", ptx.encode() + b"\0", int(re.search(r"\d+", own)[0])
    else:
        code = ptxas.assemble(tool, ptx, own if exact else target.text)
        how = f"cubin, by {ptxas.describe_ptxas(tool)}"
        kind, capability = "cubin", target.capability
    warps, shared = compiled.num_warps, compiled.shared_bytes
    return Code(
        target, kind, compiled.name, target.text, code, warps, shared, capability, exact, None, how
    )
