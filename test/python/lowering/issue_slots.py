# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Issue slots measure how long a GPU's schedulers are busy with the code of a thread.

On Hopper, an integer product of 64 bits (or its upper 32 bits) takes three slots, arithmetic in
fp64 two, and any other instruction one. The slots bound the speed of a kernel that computes much.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

from eft.aot.ptxas import assemble, find_ptxas


@dataclass
class Instruction:
    """An instruction of PTX or SASS. `guard` is the predicate under which it executes, or ""."""

    guard: str
    name: str
    operands: str

    def slots(self) -> int:
        if re.match(r"IMAD\.(WIDE|HI)|(mul|mad)\.(wide|hi)\.", self.name):
            return 3
        return 2 if re.match(r"D(FMA|MUL|ADD)\b|(fma|mul|add|sub)\.rn\.f64", self.name) else 1

    def bytes_of_global_memory(self) -> int:
        """The number of bytes of global memory that the instruction loads or stores."""
        if re.match(r"(LDG|STG)\b", self.name):
            narrow = re.search(r"\.[US](8|16)\b", self.name)
            wide = re.search(r"\.(64|128)\b", self.name)
            return int((narrow or wide or [0, 32])[1]) // 8
        access = re.fullmatch(r"(?:ld|st)\.global\S*?(?:\.v(\d))?\.\D(\d+)", self.name)
        return int(access[1] or 1) * int(access[2]) // 8 if access else 0

    def target(self, labels: dict[str, int]) -> int | None:
        """The number of the instruction to which a branch jumps; None if this is no branch."""
        if not re.match(r"BRA\b|bra\b", self.name):
            return None
        label = re.search(r"(\.L\w+|\$L\w+)", self.operands)
        return labels[label[1]]


@dataclass
class Code:
    """The instructions of a kernel, and for each label the number of the instruction after it."""

    instructions: list[Instruction]
    labels: dict[str, int]

    def usual_slots(self, size: int) -> int:
        """The fewest slots of a path from the beginning to the end on which a thread accesses at
        least `size` bytes of global memory, and calls no function. A loop counts once."""
        count = len(self.instructions)
        # ways[i][bytes] is the fewest slots from instruction i to the end that access the bytes.
        ways: list[dict[int, int]] = [{} for _ in range(count + 1)]
        for number in reversed(range(count)):
            at = self.instructions[number]
            for accessed, slots in self.ways_behind(number, ways):
                total = min(accessed + at.bytes_of_global_memory(), size)
                best = ways[number].get(total, slots + at.slots())
                ways[number][total] = min(best, slots + at.slots())
        return ways[0][size]

    def ways_behind(self, number: int, ways: list[dict[int, int]]):
        at = self.instructions[number]
        is_end = re.match(r"EXIT\b|ret\b", at.name) is not None
        found = [(0, 0)] if is_end else []
        target = at.target(self.labels)
        if target is not None and target > number:
            found += ways[target].items()
        is_call = re.match(r"CALL\b|RET\b|call\b", at.name) is not None
        if at.guard or not (is_end or is_call or target is not None):
            found += ways[number + 1].items()
        return found


def read_ptx(text: str) -> Code:
    """The code of the only kernel in a module."""
    code = Code([], {})
    body = re.search(r"\.entry .*?\n\{(.*?)\n\}", text, re.DOTALL)[1]
    for line in re.split(r"[;\n]", re.sub(r"//.*", "", body)):
        words = re.sub(r"^[{}\s]*", "", line).strip()
        if label := re.fullmatch(r"(\$\w+):", words):
            code.labels[label[1]] = len(code.instructions)
        elif found := re.fullmatch(r"(?:@(!?%\w+)\s+)?([a-z][\w.:]*)(.*)", words):
            code.instructions.append(Instruction(found[1] or "", found[2], found[3]))
    return code


def read_sass(text: str) -> Code:
    """The code in the output of `nvdisasm -c`."""
    code = Code([], {})
    instruction = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)(.*?)\s*;")
    for line in text.splitlines():
        if label := re.fullmatch(r"(\.L\w+):", line.strip()):
            code.labels[label[1]] = len(code.instructions)
        elif found := instruction.search(line):
            code.instructions.append(Instruction(found[1] or "", found[2], found[3]))
    return code


def find_nvdisasm() -> str | None:
    """The path of nvdisasm: on PATH, beside ptxas, or in Triton's package; None without it."""
    folders = [os.path.dirname(find_ptxas() or "")]
    if triton := importlib.util.find_spec("triton"):
        folders += [
            os.path.join(folder, "backends", "nvidia", "bin")
            for folder in triton.submodule_search_locations or ()
        ]
    return shutil.which("nvdisasm") or shutil.which("nvdisasm", path=os.pathsep.join(folders))


def sass_of(ptx: str, target: str) -> Code:
    """The machine code that ptxas makes of PTX."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(assemble(find_ptxas(), ptx, target))
        file.flush()
        command = [find_nvdisasm(), "-c", file.name]
        return read_sass(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
