# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads a Python file and finds a kernel in it."""

from __future__ import annotations

import os
import sys
from types import ModuleType

from eft.aot.errors import AheadError
from eft.jit import JITFunction


def load_module(file: str) -> ModuleType:
    """Runs a file as a module in which `import triton` imports Eft. Exceptions that the file raises
    are passed on."""
    from eft.triton.finder import install

    try:
        with open(file, "rb") as stream:
            text = stream.read()
    except OSError as error:
        raise AheadError(f"can't open {file!r}: {error.strerror}") from None
    name = os.path.splitext(os.path.basename(file))[0]
    module = ModuleType(name)
    module.__file__ = file
    sys.path.insert(0, os.path.dirname(os.path.realpath(file)))
    sys.modules[name] = module
    install()
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module


def find_kernel(module: ModuleType, name: str) -> JITFunction:
    """Returns the kernel with this name in a module. Raises an AheadError if there is none."""
    found = getattr(module, name, None)
    if isinstance(found, JITFunction):
        return found
    others = [key for key, value in vars(module).items() if isinstance(value, JITFunction)]
    known = f"its kernels are {', '.join(map(repr, others))}" if others else "it has no kernel"
    if found is None:
        raise AheadError(f"{module.__file__} has no kernel {name!r}; {known}")
    raise AheadError(
        f"{name!r} in {module.__file__} is no function under @eft.jit, but of type "
        f"{type(found).__name__!r}; {known}"
    )
