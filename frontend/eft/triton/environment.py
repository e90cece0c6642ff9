# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's environment variables that mean something to Eft, under Eft's own names.

They are read when `triton` is imported; `triton.knobs` changes them later.
"""

from __future__ import annotations

import os

#: Eft's name for each of Triton's that has one.
OWN_NAMES = {
    "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS": "EFT_ALLOW_NON_CONSTEXPR_GLOBALS",
    "TRITON_ALWAYS_COMPILE": "EFT_ALWAYS_COMPILE",
    "TRITON_CACHE_DIR": "EFT_CACHE_DIR",
    "TRITON_DEBUG": "EFT_DEBUG",
}

#: Those of the others that `triton` reads.
_READ = {
    "TRITON_CACHE_AUTOTUNING", "TRITON_CACHE_MANAGER", "TRITON_CUOBJDUMP_PATH", "TRITON_DUMP_DIR",
    "TRITON_HOME", "TRITON_INTERPRET", "TRITON_KERNEL_DUMP", "TRITON_OVERRIDE_DIR",
    "TRITON_PRINT_AUTOTUNING", "TRITON_PROTON_DISABLE", "TRITON_REDIS_HOST",
    "TRITON_REDIS_KEY_FORMAT", "TRITON_REDIS_PORT", "TRITON_REMOTE_CACHE_BACKEND",
}  # fmt: skip

_DUMP = "EFT_DUMP_DIR"


def adopt(again: bool = False):
    """Sets Eft's variables from Triton's, where Eft's are not set or with `again`, and says once
    which of Triton's have no effect."""
    for name, own in OWN_NAMES.items():
        if name in os.environ and (again or own not in os.environ):
            set_own(name, os.environ[name])
    if is_true(os.environ.get("TRITON_KERNEL_DUMP", "")) and (again or _DUMP not in os.environ):
        from eft.triton import knobs

        set_dump_folder(knobs.cache.dump_dir)
    others = [name for name in os.environ if name.startswith("TRITON_")]
    others = sorted(set(others) - OWN_NAMES.keys() - _READ)
    if others and not again:
        import warnings

        warnings.warn(f"no effect in Eft: {', '.join(others)}", stacklevel=2)


def set_own(name: str, value: str | None):
    """Sets the variable of Eft's that corresponds to one of Triton's, if there is one. The value
    None removes it."""
    own = OWN_NAMES.get(name)
    if own is None:
        return
    if value is None:
        os.environ.pop(own, None)
    elif own == "EFT_CACHE_DIR":
        os.environ[own] = value
    else:
        os.environ[own] = "1" if is_true(value) else "0"


def set_dump_folder(folder: str | None):
    """Has Eft write its stages into a folder; None for no more."""
    if folder is None:
        os.environ.pop(_DUMP, None)
    else:
        os.environ[_DUMP] = folder


def is_true(value: str) -> bool:
    """Whether the text of a variable means yes, as Triton reads it."""
    return value.lower() in ("1", "true", "on", "y", "yes")
