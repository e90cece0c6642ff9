# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader of MLIR's generic form, which turns output of `eft-lower-to-gpu` into Python objects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

OPERATION = re.compile(r'^\s*(?:(%[\w:#, %]+?) = )?"([\w.$]+)"\(([^)]*)\)(.*)$')


@dataclass
class Operation:
    """An operation. `attributes` is text. A region is a pair: arguments, and operations."""

    name: str
    operands: list[str]
    results: list[str]
    attributes: str
    operand_types: list[str] = field(default_factory=list)
    result_types: list[str] = field(default_factory=list)
    regions: list[tuple[list[str], list[Operation]]] = field(default_factory=list)


def split_list(text: str) -> list[str]:
    """The elements of a list. A text without parentheses is a list of one element."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return parts + [part.strip()] if part.strip() else parts


def result_names(text: str | None) -> list[str]:
    """The names of the results in a list. `%0:2` is short for `%0#0, %0#1`."""
    names = []
    for name in (text or "").split(","):
        base, _, count = name.strip().partition(":")
        if count and int(count) > 1:
            names += [f"{base}#{i}" for i in range(int(count))]
        elif base:
            names.append(base)
    return names


class Reader:
    """Reads a module line by line: regions begin and end at the ends of lines."""

    def __init__(self, text: str):
        self.lines = [line.strip() for line in text.splitlines() if line.strip()]
        self.at = 0

    def region(self) -> tuple[list[str], list[Operation]]:
        arguments, operations = [], []
        while not self.lines[self.at].startswith("}"):
            if self.lines[self.at].startswith("^bb"):
                arguments = re.findall(r"(%\w+):", self.lines[self.at])
                self.at += 1
            else:
                operations.append(self.operation())
        return arguments, operations

    def operation(self) -> Operation:
        results, name, operands, rest = OPERATION.match(self.lines[self.at]).groups()
        self.at += 1
        operation = Operation(name, split_list(operands), result_names(results), rest)
        while rest.endswith("({") or rest == "}, {":
            operation.regions.append(self.region())
            rest = self.lines[self.at]
            self.at += 1
        types = rest[rest.rfind(" : (") + 3 :] if " : (" in rest else "() -> ()"
        before, _, after = types.partition(") -> ")
        operation.operand_types = split_list(before + ")")
        operation.result_types = split_list(after)
        return operation


def read_kernel(text: str) -> tuple[list[str], list[Operation]]:
    """The arguments and the operations of a module's function."""
    reader = Reader(text)
    (module,) = [reader.operation()]
    for operation in module.regions[0][1]:
        if operation.name == "func.func":
            return operation.regions[0]
    raise ValueError("the module has no function")
