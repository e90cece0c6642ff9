# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the C header and the C source around a kernel's code."""

from __future__ import annotations

import os
import re
import struct
from collections import namedtuple
from string import Template

from eft.aot.errors import AheadError
from eft.aot.signature import Signature
from eft.aot.targets import WORDS
from eft.aot.variants import Code
from eft.compiler.functions import symbol_name
from eft.version import __version__

_TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")

#: The C types for floats that C does not have. The bits of the float are passed as an integer.
_BITS = {
    **dict.fromkeys(("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15"), "uint8_t"),
    **dict.fromkeys(("fp16", "bf16"), "uint16_t"),
}

#: The C types of numbers.
_TYPES = {
    "i1": "bool",
    **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
    **_BITS,
    "fp32": "float",
    "fp64": "double",
}

_KINDS = {
    "cubin": "a cubin",
    "ptx": "PTX, which the driver assembles at load",
    "host": "machine code for the CPU",
}

#: Names that a parameter can't have in a header for both C and C++.
_RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl
    concept const const_cast consteval constexpr constinit continue decltype default delete
    do double dynamic_cast else enum errno explicit export extern false float for friend
    goto gridX gridY gridZ if inline int linux long mutable namespace new noexcept not
    not_eq nullptr NULL operator or or_eq private protected public register reinterpret_cast
    requires restrict return short signed sizeof static static_assert static_cast stream
    struct switch template this thread_local throw true try typedef typeid typename union
    unix unsigned using virtual void volatile wchar_t while xor xor_eq""".split()
)

#: An argument of a launch: its name in the header, its C type, and its type and hint in the
#: signature.
Argument = namedtuple("Argument", "name c_type type hint")


def check_name(name: str) -> None:
    """Raises an AheadError unless the name is an identifier in C. The names of all functions begin
    with it."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in _RESERVED:
        raise AheadError(f"the name must be an identifier of C's, got {name!r}: see --name")


def launch_arguments(function, signature: Signature) -> list[Argument]:
    """Returns the arguments of a launch: one for each parameter that is not a constant."""
    found = []
    for parameter, type, hint in zip(
        function.parameters, signature.types, signature.specialization, strict=True
    ):
        if type is not None:
            name = symbol_name(parameter.name)
            name += "_" if name in _RESERVED or name in [each.name for each in found] else ""
            found.append(Argument(name, _c_type(type), type, hint))
    return found


def _c_type(type: str) -> str:
    if not type.startswith("*"):
        return _TYPES[type]
    const = "const " if type.startswith("*k") else ""
    return f"{const}{_TYPES[type.lstrip('*k')]} *"


def make_files(
    name: str, command: str, arguments: list[Argument], codes: list[Code]
) -> dict[str, bytes]:
    """Returns the contents of the header and the source, by file name."""
    values = _common_values(name, arguments)
    values["targets"] = ", ".join(code.target.text for code in codes)
    cuda = [code for code in codes if code.kind != "host"]
    host = [code for code in codes if code.kind == "host"]
    objects = ",\n * and with the objects beside it" if host else ""
    header = _fill(
        "header.h.in",
        values,
        version=__version__,
        command=re.sub(r"\*/|/\*", "* /", command),
        guard=f"{name.upper()}_H",
        variants="\n".join(f" *     {code.target.text:<20} {_KINDS[code.kind]}" for code in codes),
        objects=objects,
        arguments=_describe(arguments),
    )
    source = _fill(
        "source.c.in",
        values,
        includes=_includes(bool(cuda), bool(host)),
        cuda=_cuda_part(values, cuda),
        host=_host_part(values, host),
    )
    return {f"{name}.h": header.encode(), f"{name}.c": source.encode()}


def _fill(template: str, values: dict, **more) -> str:
    with open(os.path.join(_TEMPLATES, template), encoding="utf-8") as file:
        return Template(file.read()).substitute(values, **more)


def _common_values(name: str, arguments: list[Argument]) -> dict:
    """Returns the values for the placeholders that all templates share. The source names the
    arguments a0, a1 and so on, so that no argument has the name of something else in the source."""
    defined = [f"{_spaced(each.c_type)}a{i}" for i, each in enumerate(arguments)]
    numbers = [f"a{i}" for i in range(len(arguments))]
    return {
        "name": name,
        "declared": "".join(f", {_spaced(each.c_type)}{each.name}" for each in arguments),
        "defined": "".join(f", {each}" for each in defined),
        "defined_or_void": ", ".join(defined) or "void",
        "passed": ", ".join(numbers),
        "addresses": ", ".join(f"(void *)&{each}" for each in numbers) or "NULL",
        "checks": "".join(_check(name, i, each) for i, each in enumerate(arguments)),
        "argument_errors": "".join(
            f'  case ${{name}}_BAD_ARGUMENT - {i}:\n    return "{_expected(each)}";\n'
            for i, each in enumerate(arguments)
            if each.hint
        ).replace("${name}", name),
        "copies": "".join(
            f"  memcpy(&slots[{i}], &a{i}, sizeof(a{i}));\n" for i in range(len(arguments))
        ),
        "num_slots": max(1, len(arguments)),
    }


def _spaced(c_type: str) -> str:
    return c_type if c_type.endswith("*") else f"{c_type} "


def _expected(argument: Argument) -> str:
    what = "be 1" if argument.hint == "1" else f"be divisible by {argument.hint}"
    return f"the argument {argument.name} must {what}, as the signature says"


def _check(name: str, number: int, argument: Argument) -> str:
    value = f"a{number}"
    if argument.hint == "":
        return f"  (void){value};\n"
    if argument.hint == "1":
        wrong = f"{value} != 1"
    elif argument.type.startswith("*"):
        wrong = f"(uintptr_t){value} % {argument.hint} != 0"
    else:
        wrong = f"{value} % {argument.hint} != 0"
    return f"  if ({wrong})\n    return {name}_BAD_ARGUMENT - {number};\n"


def _describe(arguments: list[Argument]) -> str:
    """Returns the comment of the header that lists the types of the arguments."""
    if not arguments:
        return " * The kernel takes no arguments."
    lines = []
    for each in arguments:
        hint = f", divisible by {each.hint}" if each.hint else ""
        hint = ", always 1" if each.hint == "1" else hint
        bits = ", the bits of the number" if each.type in _BITS else ""
        lines.append(f" *     {each.name:<16} {each.type}{bits}{hint}")
    return "\n".join([" * The arguments, by the types of the signature:", " *", *lines])


def _includes(cuda: bool, host: bool) -> str:
    names = set()
    if cuda:
        names |= {"dlfcn.h", "pthread.h", "stdlib.h", "string.h"}
    if host:
        names |= {"pthread.h", "sched.h", "signal.h", "stdlib.h", "string.h", "time.h", "unistd.h"}
    text = "".join(f"#include <{name}>\n" for name in sorted(names))
    return text + ("#if defined(__x86_64__)\n#include <cpuid.h>\n#endif\n" if host else "")


def _cuda_part(values: dict, codes: list[Code]) -> str:
    if not codes:
        return _fill("no_cuda.c.in", values)
    arrays, rows = [], []
    for code in codes:
        array = f"code_{re.sub(r'[^0-9a-z]', '_', code.suffix)}"
        arrays.append(_array(array, code.code))
        flags = ["true" if flag else "false" for flag in (code.kind == "cubin", code.exact)]
        rows.append(
            f'    {{{array}, "{code.symbol}", {code.capability}, {", ".join(flags)}, '
            f"{32 * code.num_warps}, {code.shared}}},\n"
        )
    return _fill("cuda.c.in", values, arrays="\n".join(arrays), rows="".join(rows))


def _host_part(values: dict, codes: list[Code]) -> str:
    if not codes:
        return _fill("no_host.c.in", values)
    function = f"{values['name']}_function"
    rows = "".join(
        f"    {{{code.symbol}, {{{', '.join(hex(word) + 'u' for word in code.words)}}}}},\n"
        for code in codes
    )
    return _fill(
        "host.c.in",
        values,
        num_words=len(WORDS) + 1,
        externs="".join(f"extern {function} {code.symbol};\n" for code in codes),
        places="".join(
            f"    {{{leaf:#x}u, {subleaf}, {'abcd'.index(register)}}},\n"
            for leaf, subleaf, register in WORDS
        ),
        rows=rows,
    )


def _array(name: str, content: bytes) -> str:
    """Returns the definition of a C array with these bytes, and zeros up to a multiple of 8. It is
    aligned to 64 bytes, which is enough for a cubin, an ELF file. A C compiler reads 64-bit words
    five times as fast as single bytes. Their bytes are in order on little-endian machines, the only
    ones that CUDA runs on."""
    content += bytes(-len(content) % 8)
    words = [f"{word:#x}u" for (word,) in struct.iter_unpack("<Q", content)]
    lines = [", ".join(words[first : first + 4]) for first in range(0, len(words), 4)]
    return (
        f"static const uint64_t {name}[] __attribute__((aligned(64))) = {{\n  "
        + ",\n  ".join(lines)
        + "};\n"
    )
