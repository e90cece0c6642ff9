# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `import triton` gives a script under `python -m eft run`: Triton's names for what Eft has.

`eft.triton.finder.install()` makes the import system answer `triton` with this module,
`triton.language` with `eft.language`, and so on, in this process only.
"""

from __future__ import annotations

from eft import (
    JITFunction,
    MockTensor,
    __version__,
    cdiv,
    constexpr_function,
    jit,
    language,
    next_power_of_2,
    testing,
)
from eft.triton import compiler, missing, runtime
from eft.triton.compiler import CompilationError

__all__ = [
    "CompilationError",
    "Config",
    "JITFunction",
    "MockTensor",
    "autotune",
    "cdiv",
    "compiler",
    "constexpr_function",
    "heuristics",
    "jit",
    "language",
    "next_power_of_2",
    "runtime",
    "testing",
]

#: The version of Triton's language that Eft follows, for scripts that ask, and Eft's own.
__version__ = f"3.6.0+eft{__version__}"


def __getattr__(name: str):
    if name in ("Config", "autotune", "heuristics"):  # only loaded by who asks for them
        import eft.tuning as tuning

        return getattr(tuning, name)
    return missing.attribute("triton", name)
