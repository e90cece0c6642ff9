# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version, and what tells one build of Eft from another."""

from __future__ import annotations

import os
import sys

__version__ = "0.1.0"

_fingerprint = None


def fingerprint() -> str:
    """The facts of Eft itself and of Python on which compiled code depends: their versions, where
    Eft is, and the size and the time of every file of the frontend and of the compiler."""
    global _fingerprint
    if _fingerprint is None:
        folder = os.path.dirname(os.path.abspath(__file__))
        parts = [__version__, sys.version, os.path.realpath(folder)]
        for name in (".", "compiler", "language"):
            with os.scandir(os.path.join(folder, name)) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    is_code = entry.name.endswith((".py", ".so")) and entry.is_file()
                    if is_code and not entry.name.startswith("_runtime"):
                        status = entry.stat()
                        parts.append(f"{name}/{entry.name} {status.st_size} {status.st_mtime_ns}")
        _fingerprint = "\n".join(parts)
    return _fingerprint
