# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version, and what tells one build of Eft from another."""

from __future__ import annotations

import os
import sys

from eft import _runtime

__version__ = "0.1.0"

_fingerprint = None


def fingerprint() -> str:
    """The facts of Eft itself and of Python on which compiled code depends: their versions, where
    Eft is, and the size and the time of every file of the frontend and of the compiler."""
    global _fingerprint
    if _fingerprint is None:
        folder = os.path.dirname(os.path.abspath(__file__))
        folders = (os.path.join(folder, name) for name in (".", "compiler", "language"))
        files = map(_runtime.code_files, folders)
        _fingerprint = "\n".join([__version__, sys.version, os.path.realpath(folder), *files])
    return _fingerprint


def key_of(kind: str, *parts: str) -> bytes:
    """The key of an entry of the disk cache: `kind` names what the entry says, `parts` are the
    texts on which that depends, beside this build of Eft. A key is those texts themselves: the
    cache's files are named for a hash, and have the whole key in them."""
    return "\0".join((kind, fingerprint(), *parts)).encode(errors="surrogatepass")
