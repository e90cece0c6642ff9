# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that the disk cache does not keep, with the reason: said at level INFO as it happens,
and remembered for `python -m eft info` in an entry of the cache itself."""

from __future__ import annotations

import sys

from eft import _runtime

_KEY = "kernels that are left out"
_MOST = 32  # the latest


def note(function, target: str, reason: str):
    """Says that a kernel was compiled and is not kept."""
    logging = sys.modules.get("logging")  # if it is not there, nobody listens
    if logging is not None:
        logging.getLogger("eft").info(
            "not keeping %s for %s in the cache: %s", function.__name__, target, reason
        )
    line = f"{_name(function)}: {' '.join(reason.split())}"
    lines = read()
    if line not in lines:
        _write([each for each in lines if not _is_of(each, function)] + [line])


def forget(function):
    """Notes that a kernel was kept, whatever was said of it before."""
    lines = read()
    others = [line for line in lines if not _is_of(line, function)]
    if others != lines:
        _write(others)


def read() -> list[str]:
    """A line for each kernel that is left out, the latest last."""
    return (_runtime.cache_get(_KEY) or b"").decode(errors="replace").splitlines()


def _write(lines: list[str]):
    _runtime.cache_put(_KEY, "\n".join(lines[-_MOST:]).encode(errors="replace"))


def _name(function) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _is_of(line: str, function) -> bool:
    return line.startswith(f"{_name(function)}: ")
