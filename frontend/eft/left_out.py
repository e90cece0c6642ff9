# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records which kernels the disk cache does not keep, and why. Each case is logged at level INFO
when it happens. `python -m eft info` shows the latest cases, which are kept in an entry of the
cache itself."""

from __future__ import annotations

import sys

from eft import _runtime

_KEY = "kernels that are left out"
_MOST = 32  # the number of kernels that are recorded: the latest ones


def note(function, target: str, reason: str):
    """Logs and records that a kernel was compiled and that the cache does not keep it."""
    logging = sys.modules.get("logging")  # if it was never imported, no handler is set
    if logging is not None:
        logging.getLogger("eft").info(
            "not keeping %s for %s in the cache: %s", function.__name__, target, reason
        )
    line = f"{_name(function)}: {' '.join(reason.split())}"
    lines = read()
    if line not in lines:
        _write([each for each in lines if not _is_of(each, function)] + [line])


def forget(function):
    """Removes the record of a kernel, because the cache keeps it now."""
    lines = read()
    others = [line for line in lines if not _is_of(line, function)]
    if others != lines:
        _write(others)


def read() -> list[str]:
    """Returns a line for each recorded kernel: its name and the reason. The latest comes last."""
    return (_runtime.cache_get(_KEY) or b"").decode(errors="replace").splitlines()


def _write(lines: list[str]):
    _runtime.cache_put(_KEY, "\n".join(lines[-_MOST:]).encode(errors="replace"))


def _name(function) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _is_of(line: str, function) -> bool:
    return line.startswith(f"{_name(function)}: ")
