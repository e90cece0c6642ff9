# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of Eft, and a fingerprint that is different for different builds of Eft."""

from __future__ import annotations

import os
import sys

from eft import _runtime

__version__ = "0.1.0"

_fingerprint = None


def fingerprint() -> str:
    """Returns a text with the facts about Eft and Python on which compiled code depends: their
    versions, Eft's folder, and the size and time of every Python file and library in this folder
    and in its folders `compiler` and `language`."""
    global _fingerprint
    if _fingerprint is None:
        folder = os.path.dirname(os.path.abspath(__file__))
        folders = (os.path.join(folder, name) for name in (".", "compiler", "language"))
        files = map(_runtime.code_files, folders)
        _fingerprint = "\n".join([__version__, sys.version, os.path.realpath(folder), *files])
    return _fingerprint


def key_of(kind: str, *parts: str) -> bytes:
    """Returns the key of an entry of the disk cache. `kind` names the kind of entry. The contents
    of the entry depend on `parts` and on this build of Eft. The key is the concatenation of `kind`,
    the fingerprint and `parts`, not a hash: the cache names its files by a hash of the key, and
    stores the whole key in the file."""
    return "\0".join((kind, fingerprint(), *parts)).encode(errors="surrogatepass")
