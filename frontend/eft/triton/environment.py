# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets Eft's environment variables from the variables of Triton that mean the same.

Triton's variables are read when `triton` is imported. Later changes are made through
`triton.knobs`.
"""

from __future__ import annotations

import os

#: By the name of a variable of Triton's, the name of Eft's variable with the same meaning.
OWN_NAMES = {
    "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS": "EFT_ALLOW_NON_CONSTEXPR_GLOBALS",
    "TRITON_ALWAYS_COMPILE": "EFT_ALWAYS_COMPILE",
    "TRITON_CACHE_DIR": "EFT_CACHE_DIR",
    "TRITON_DEBUG": "EFT_DEBUG",
}

#: Further variables of Triton's that have an effect, because Eft's `triton` reads them itself.
_READ = {
    "TRITON_CACHE_AUTOTUNING", "TRITON_CACHE_MANAGER", "TRITON_CUOBJDUMP_PATH", "TRITON_DUMP_DIR",
    "TRITON_HOME", "TRITON_INTERPRET", "TRITON_KERNEL_DUMP", "TRITON_OVERRIDE_DIR",
    "TRITON_PRINT_AUTOTUNING", "TRITON_PROTON_DISABLE", "TRITON_REDIS_HOST",
    "TRITON_REDIS_KEY_FORMAT", "TRITON_REDIS_PORT", "TRITON_REMOTE_CACHE_BACKEND",
}  # fmt: skip

_DUMP = "EFT_DUMP_DIR"


def adopt(again: bool = False):
    """Sets Eft's variables from Triton's. Does not change variables of Eft that are set already,
    unless `again` is true. Without `again`, also warns about variables of Triton that have no
    effect."""
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
    """Sets Eft's variable that has the same meaning as Triton's variable `name`, if there is one.
    The value None removes Eft's variable."""
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
    """Makes Eft write the stages of every kernel that it compiles into a folder. None ends this."""
    if folder is None:
        os.environ.pop(_DUMP, None)
    else:
        os.environ[_DUMP] = folder


def is_true(value: str) -> bool:
    """Whether Triton takes this text of an environment variable as true."""
    return value.lower() in ("1", "true", "on", "y", "yes")
