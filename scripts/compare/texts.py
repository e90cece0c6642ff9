# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts compiled code to text, such that equal code gives equal text.

The text has no source locations, which are not code, no addresses of instructions, and no names
that a compiler numbers.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

_PLACES = re.compile(
    r"^\s*\.(?:loc|file)\b.*\n"
    r"|^\$L__(?:tmp|func_begin|func_end)\d+:\n"
    r"|^\s*\.section\s+\.debug_\w+\s*\{[^}]*\}\n?",
    re.MULTILINE,
)


def text_of(file: Path) -> str:
    """The text for a code file that record.py has written."""
    if file.suffix == ".o":
        return assembly(file)
    return _PLACES.sub("", file.read_text())


def assembly(file: Path) -> str:
    """The instructions of an object file, a checksum of their bytes, and the constants."""
    listing = _objdump("--syms", "--full-contents", "--reloc", file).rstrip("\n")
    symbols = re.findall(r"^(\w+) l.{6} (\S+)\s+\w+ (\.L\S+)$", listing, re.MULTILINE)
    places = {name: f"{section}+{int(address, 16):#x}" for address, section, name in symbols}
    code = _objdump(
        *("--disassemble", "--reloc", "--no-leading-addr", "--no-show-raw-insn"),
        *("--symbolize-operands", file),
    )
    texts = [re.sub(r" <\S+\+0x[0-9a-f]+>", "", code.split("\n", 4)[-1])]
    for part in re.split(r"^(?=Contents of section |RELOCATION RECORDS FOR )", listing, flags=re.M):
        head, _, body = part.partition("\n")
        section = head.rstrip(":").split(" ")[-1].strip("[]")
        if section.startswith((".rodata", ".data", ".lrodata", ".ldata")):
            texts.append(part)
        elif section.startswith((".text", ".ltext")) and head.startswith("Contents"):
            texts.append(f"{section}: {hashlib.sha256(body.encode()).hexdigest()}\n")
    return re.sub(r"\.L\w+", lambda match: places.get(match[0], match[0]), "".join(texts))


def _objdump(*arguments) -> str:
    command = ["llvm-objdump-19", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
