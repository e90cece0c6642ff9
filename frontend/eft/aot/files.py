# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a set of files: all of them, or none if a write fails."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

from eft.aot.errors import AheadError


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Writes files into a folder, and makes the folder if there is none. All files are first
    written under temporary names and then renamed, so a full disk leaves the old files as they are.
    Nothing is written if the name of one of the files is the name of a folder. Only an error while
    the files are renamed can leave some of them changed.

    Raises:
        AheadError: the folder can't be made, or a file can't be written.
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise AheadError(f"can't make the folder {folder!r}: {error.strerror}") from None
    for name in files:
        if os.path.isdir(path := os.path.join(folder, name)):
            raise AheadError(f"can't write {path!r}: Is a directory; no file was changed")
    written = {}
    try:
        for name, content in files.items():
            try:
                written[name] = _write_beside(folder, content)
            except OSError as error:
                path = os.path.join(folder, name)
                raise AheadError(
                    f"can't write {path!r}: {error.strerror}; no file was changed"
                ) from None
        for name in files:
            path = os.path.join(folder, name)
            try:
                os.replace(written[name], path)
            except OSError as error:
                raise AheadError(f"can't write {path!r}: {error.strerror}") from None
            del written[name]
    finally:
        for path in written.values():
            with suppress(OSError):
                os.unlink(path)


def _write_beside(folder: str, content: bytes) -> str:
    """Writes a temporary file in `folder`, flushed to the disk, and returns its path."""
    handle, path = tempfile.mkstemp(prefix=".eft-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(path, 0o666 & ~_umask())
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise
    return path


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
