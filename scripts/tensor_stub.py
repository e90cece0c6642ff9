# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the content of frontend/eft/language/tensor.pyi: the types of that module, for editors and
type checkers. These can't find the methods in the source, since builtins add them at run time.
"""

from __future__ import annotations

import inspect

from eft.language.tensor import tensor

HEADER = """\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/docs has generated this from the builtins that are methods of a tensor.
from typing import Any

from eft.language import dtypes
"""

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "pos", "invert")


def stub() -> str:
    lines = [HEADER, "class tensor:", *_documentation(tensor), *_attributes()]
    for name in (*BINARY, *(f"r{name}" for name in BINARY), *COMPARISONS):
        ignored = "  # type: ignore[override]" if name in ("eq", "ne") else ""
        lines.append(f"    def __{name}__(self, other: Any, /) -> tensor: ...{ignored}")
    lines += [f"    def __{name}__(self) -> tensor: ..." for name in UNARY]
    lines.append("    def __getitem__(self, slices: Any, /) -> tensor: ...")
    lines += sorted(
        f"    from {function.__module__} import {function.__name__} as {name}"
        for name, function in vars(tensor).items()
        if getattr(function, "_eft_builtin", False) and not name.startswith("__")
    )
    return "\n".join([*lines, *_functions()]) + "\n"


def _documentation(member) -> list[str]:
    lines = inspect.getdoc(member).splitlines()
    return [f'    """{lines[0]}', *(f"    {line}".rstrip() for line in lines[1:]), '    """', ""]


def _attributes() -> list[str]:
    return [
        "    is_tensor: bool",
        "    handle: Any",
        "    type: dtypes.dtype",
        "    dtype: dtypes.dtype",
        "    shape: tuple[int, ...]",
        "    def __init__(self, handle: Any, type: dtypes.dtype) -> None: ...",
        "    @property",
        "    def numel(self) -> int: ...",
        "    @property",
        "    def T(self) -> tensor: ...",
        "    def retyped(self, scalar: dtypes.dtype) -> tensor: ...",
    ]


def _functions() -> list[str]:
    """The stubs for the rest of the module, which Eft's own builtins use."""
    return [
        "",
        "class structure: ...",
        "",
        'def emitter(function: str = "") -> Any: ...',
        "def target_of_kernel() -> str | None: ...",
        "",
        "class emitting:",
        "    def __init__(self, emitter: Any) -> None: ...",
        "    def __enter__(self) -> None: ...",
        "    def __exit__(self, *raised: Any) -> None: ...",
        "",
        "def ops(name: str, operands: Any, types: Any, **attributes: Any) -> list[tensor]: ...",
        "def op(name: str, operands: Any, type: dtypes.dtype, **attributes: Any) -> tensor: ...",
        "def enum(enumeration: str, name: str) -> Any: ...",
        "def is_number(value: Any) -> bool: ...",
    ]


if __name__ == "__main__":
    print(stub(), end="")
