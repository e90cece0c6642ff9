# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft cache`: lists, verifies and clears the entries of the disk cache."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections import Counter, namedtuple

from eft import _runtime

#: A file of the cache. `kind` is "kernel", "choice" (a result of autotuning), "other" (further
#: facts about kernels, and notes), or "damaged". `name` is the kernel's name. `about` is a text
#: that tells the entry from other entries with that name.
File = namedtuple("File", "file size last_use kind name about")

_METADATA_LINES = 5  # before a kernel's code, one for each field of `eft.metadata.Metadata`
_TARGET = rb"cpu|host:.*|cuda:\d+|compute_\d+"  # the forms of `eft::Target::name`


def list_entries(name: str | None) -> int:
    """Prints a line for each kernel and each autotuning choice, the most recently used last. `name`
    restricts the list to kernels of this name; None lists all. Returns the exit status."""
    from time import localtime, strftime

    if reason := _unusable():
        return _fail("list", reason)
    files = _files()
    for each in sorted(files, key=lambda each: each.last_use):
        if each.kind in ("kernel", "choice") and name in (None, each.name):
            used = strftime("%Y-%m-%d %H:%M", localtime(each.last_use))
            print(f"{used}  {each.size / 1e3:7.1f} KB  {each.kind}  {each.name}  {each.about}")
    if name is None:
        print(_summary(files))
    return 0


def verify() -> int:
    """Reads every entry and prints the damaged ones. Returns the exit status: 1 if an entry is
    damaged, or if the cache can't use its folder."""
    if reason := _unusable():
        return _fail("verify", reason)
    files = _files()
    damaged = [each for each in files if each.kind == "damaged"]
    for each in damaged:
        print(f"damaged: {_runtime.cache_folder()}/{each.file}")
    print(_summary(files))
    return 1 if damaged else 0


def clear(name: str | None) -> int:
    """Removes all entries if `name` is None; otherwise the kernels and the autotuning choices of
    this name. Returns the exit status."""
    removed = [each for each in _files() if name in (None, each.name)]
    for each in removed:
        try:
            _runtime.cache_remove(each.file)
        except OSError as error:
            return _fail("clear", str(error))
    count, size = len(removed), sum(each.size for each in removed)
    print(f"removed {count} {'entry' if count == 1 else 'entries'}, {size / 1e6:.1f} MB")
    return 0


def _unusable() -> str:
    """Returns the reason why the cache can't use its folder. Returns "" if the cache can use the
    folder, if the folder does not exist yet, or if the cache is off."""
    folder = _runtime.cache_folder()
    if not folder:
        return ""
    try:
        os.scandir(folder).close()
    except FileNotFoundError:  # the first entry creates it
        return ""
    except OSError as error:
        return f"{folder!r} can't be read: {error.strerror}"
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "the compile cache is not used")
        try:
            _runtime.cache_get("")  # warns if the cache can't use the folder
        except RuntimeWarning as warning:
            return str(warning)
    return ""


def _fail(action: str, reason: str) -> int:
    print(f"python -m eft cache {action}: {reason}", file=sys.stderr)
    return 1


def _summary(files: list[File]) -> str:
    folder = _runtime.cache_folder()
    if not folder:
        return "the cache is off"
    counts = Counter(each.kind for each in files)
    words = [
        f"{counts[kind]} {one if counts[kind] == 1 else many}"
        for kind, one, many in (
            ("kernel", "kernel", "kernels"),
            ("choice", "choice", "choices"),
            ("other", "other entry", "other entries"),
            ("damaged", "damaged entry", "damaged entries"),
        )
        if counts[kind] or kind == "kernel"
    ]
    return f"{folder}: {', '.join(words)}, {sum(each.size for each in files) / 1e6:.1f} MB"


def _files() -> list[File]:
    found = []
    for file, size, last_use in _runtime.cache_files():
        entry = _runtime.cache_inspect(file)
        facts = ("damaged", None, "") if entry is None else _describe(entry[1])
        found.append(File(file, size, last_use, *facts))
    return found


def _describe(data: bytes) -> tuple[str, str | None, str]:
    """Returns the fields `kind`, `name` and `about` of a `File` whose contents are `data`."""
    from eft.tuning.results import FORM, summary

    if data.startswith(f"{FORM}\n".encode()):
        return "choice", *summary(data)
    lines = data.split(b"\n", _METADATA_LINES)
    if len(lines) > _METADATA_LINES and re.fullmatch(_TARGET, lines[1]):
        name, target, warps = (line.decode(errors="replace") for line in lines[:3])
        return "kernel", name, f"{target}, num_warps {warps}"
    return "other", None, ""
