# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a page of docs/ with its tables generated anew from the code. Each table is between two
comments with its name.

    scripts/tables.py docs/design.md
"""

from __future__ import annotations

import difflib
import inspect
import os
import pathlib
import re
import subprocess
import sys

import eft
import eft.language as tl
from eft.language import elementary
from eft.language.extra import elementary as libdevice
from eft.language.extra import special

ROOT = pathlib.Path(__file__).parents[1]
OPTIMIZER = pathlib.Path(eft.__file__).parents[2] / "bin" / "eft-opt"


def page_with_tables(page: str) -> str:
    """The page with its tables generated anew."""
    return re.sub(
        r"(<!-- scripts/docs generates: ([^\n]*) -->\n).*?(<!-- end of \2 -->)",
        lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n{found[3]}",
        page,
        flags=re.DOTALL,
    )


def table(*rows: tuple[str, ...]) -> str:
    """A table in Markdown. The first row is its head."""
    cells = ((cell.replace("|", r"\|") for cell in row) for row in rows)
    head, *others = ("".join(f"| {cell} " if cell else "| " for cell in row) for row in cells)
    return "".join(f"{line}|\n" for line in (head, "|---" * len(rows[0]), *others))


# -- passes ----------------------------------------------------------------------------------------

#: Targets that together run every pass. The host comes first, so that its own passes are listed
#: before those of GPUs.
TARGETS = ("host", "sm_80", "sm_90")


def passes() -> str:
    """The table of passes, in the order in which they run. Its first column has the sections of
    docs/passes.md, each at the first pass of that section."""
    order: list[tuple[str, tuple[str, ...]]] = []
    for target in TARGETS:
        order = merged(order, [(name, (target,)) for name in pipeline(target)])
    described = descriptions()
    parts = list(dict.fromkeys(part for part, _ in described.values()))
    rows = []
    for name, targets in order:
        part, summary = described.get(name, (None, ""))
        begins = part in parts
        if begins:
            parts = parts[parts.index(part) + 1 :]
        page = "passes.md" if summary else "https://mlir.llvm.org/docs/Passes/"
        link = f"[`{name}`]({page}#-{name})"
        rows.append((part if begins else "", link, where(targets), summary))
    return table(("part", "pass", "target", "what it does"), *rows)


def pipeline(target: str) -> list[str]:
    """The names of the passes that a compile for the target runs, in their order."""
    done = subprocess.run(
        [OPTIMIZER, "-", f"--eft-pipeline=target={target}", "--dump-pass-pipeline"],
        input="module {}",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LD_PRELOAD": ""},  # a preloaded sanitizer library is only for Python
    )
    text = done.stderr.split("builtin.module(", 1)[1].replace("func.func", "")
    return re.findall(r"[a-z][\w-]+", re.sub(r"\{[^{}]*\}", "", text))


def merged(left: list, right: list) -> list:
    """Merges two lists of (pass, targets). The result keeps the order of both."""
    names = [[name for name, _ in passes] for passes in (left, right)]
    result = []
    for kind, i, i_end, j, j_end in difflib.SequenceMatcher(None, *names).get_opcodes():
        if kind == "equal":
            both = zip(left[i:i_end], right[j:j_end], strict=True)
            result += [(name, targets + others) for (name, targets), (_, others) in both]
        else:
            result += left[i:i_end] + right[j:j_end]
    return result


def where(targets: tuple[str, ...]) -> str:
    """A short name for a set of targets; empty for all targets."""
    words = {TARGETS: "", TARGETS[1:]: "GPU", TARGETS[:1]: "CPU"}
    return words[targets] if targets in words else ", ".join(targets)


def descriptions() -> dict[str, tuple[str, str]]:
    """For each pass: its section of docs/passes.md, and its summary."""
    page = (ROOT / "docs" / "passes.md").read_text()
    part, result = "", {}
    for heading, name, summary in re.findall(r"^## (.*)|^### `-(.*)`\n\n_(.*)_$", page, re.M):
        if heading:
            part = heading.lower()
        else:
            result[name] = (part, summary)
    return result


# -- functions -------------------------------------------------------------------------------------


def functions() -> str:
    """The table of the elementary functions of `tl`: signatures, and summaries from docstrings."""
    rows = []
    for name, function in offered(elementary).items():
        meaning = inspect.getdoc(function).split("\n\n")[0].replace("\n", " ")
        rows.append((f"`{name}{inspect.signature(function)}`", meaning.removesuffix(".")))
    return table(("", ""), *rows)


def offered(module) -> dict:
    """The functions in a module's `__all__`, by their names, in the order of the file."""
    return {name: value for name, value in vars(module).items() if name in module.__all__}


def measured() -> dict:
    """The elementary functions, including those of libdevice, whose errors were measured."""
    functions = {**offered(libdevice), **offered(elementary)}
    return {name: each for name, each in functions.items() if hasattr(each, "errors")}


def errors() -> str:
    rows = []
    for name, function in measured().items():
        found = [f"{error:.2f}" for error in function.errors]
        costs = [operations(function, dtype) for dtype in (tl.float32, tl.float64)]
        rows.append((f"`{name}`", *found, "{} / {}".format(*costs)))
    return table(("", "f32", "f64", "operations, f32 / f64"), *rows)


@eft.jit
def of_one(x_ptr, out_ptr, FUNCTION: tl.constexpr):
    tl.store(out_ptr, FUNCTION(tl.load(x_ptr)))


@eft.jit
def of_two(x_ptr, out_ptr, FUNCTION: tl.constexpr):
    tl.store(out_ptr, FUNCTION(tl.load(x_ptr), tl.load(x_ptr + 1)))


@eft.jit
def itself(x):
    return x


def operations(function, dtype) -> int:
    """The number of instructions in the PTX of a function with one or two parameters."""
    kernel = of_one if len(inspect.signature(function).parameters) == 1 else of_two
    return instructions(kernel, function, dtype) - instructions(of_one, itself, dtype)


def instructions(kernel, function, dtype) -> int:
    """The number of instructions in a kernel's PTX, without moves and loads."""
    array = eft.MockTensor(dtype)
    compiled = kernel.warmup(array, array, FUNCTION=function, grid=(1,), target="sm_90")
    return len(re.findall(r"^\t(?!mov|ld)[a-z@].*;$", compiled.asm["ptx"], re.M))


def special_errors() -> str:
    names: dict[str, list[str]] = {}  # the functions with each error
    for name, function in offered(special).items():
        if hasattr(function, "error"):
            names.setdefault(function.error, []).append(f"`{name}`")
    return table(("", "error"), *((", ".join(those), error) for error, those in names.items()))


TABLES = {
    "the passes": passes,
    "the elementary functions": functions,
    "the errors of elementary functions": errors,
    "the errors of special functions": special_errors,
}

if __name__ == "__main__":
    print(page_with_tables(pathlib.Path(sys.argv[1]).read_text()), end="")
