# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the texts that contain kernels, at the time when the kernels are decorated.

A file may change while a process runs: an editor saves it, or `git checkout` or `pip install`
replaces it. Python functions that were loaded from the file keep their old code, and so must
kernels. For this reason a file is read when Python defines a kernel in it. All kernels that are
defined before the file changes share one text. The text is split into lines at the first launch of
one of these kernels.
"""

from __future__ import annotations

import math
import os
import sys
import time

#: A number of nanoseconds larger than the resolution of a file system's times.
_CLOCK_STEP = 100_000_000
#: By the name of a file, a pair: the stamp of the contents that were read, and their `Text`. The
#: stamp is different if the contents have changed.
_texts: dict = {}
#: The cached result of `_start_of_process`; None until the first call.
_start: int | None = None


class Text:
    """The text of a file, or of a notebook's cell.

    Attributes:
        changed_at: the time of the file's last change, in nanoseconds since 1970. For lines that a
            program has registered it is infinite, and for the text of a loader it is 0.
    """

    def __init__(self, contents: bytes | str | list[str], changed_at: float):
        self._contents = contents
        self.changed_at = changed_at

    @property
    def is_settled(self) -> bool:
        """Whether this is certainly the text that Python compiled, because the file has not changed
        since the process began."""
        return self.changed_at < _start_of_process()

    def __bool__(self) -> bool:
        return len(self._contents) > 0

    def lines(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Returns the lines with the indices from `start` up to, but not including, `stop`, or up
        to the end of the text. Each line ends with a line break. The text from `stop` on is not
        split, which saves time."""
        contents = self._contents
        if isinstance(contents, list):
            return contents[start:stop]
        if isinstance(contents, bytes):
            contents = _decode(contents)
        if "\r" in contents:
            contents = contents.replace("\r\n", "\n").replace("\r", "\n")
        self._contents = contents
        found = contents.split("\n", -1 if stop is None else stop)
        if stop is None or len(found) <= stop:
            if not found[-1]:  # the empty text after the last line break
                found.pop()
        else:
            found.pop()  # the rest of the text
        return [f"{line}\n" for line in found[start:]]


_NOTHING = Text([], changed_at=0)


def indentation(line: str) -> int:
    """Returns the number of blanks at the beginning of a line. A form feed resets the count, as in
    Python."""
    blanks = line[: len(line) - len(line.lstrip())]
    return len(blanks) - 1 - blanks.rfind("\f")


def may_follow(line: str, margin: int) -> bool:
    """Whether a line may be the first line after a function whose first line has the indentation
    `margin`."""
    return bool(line.strip()) and line.lstrip()[0] != "#" and indentation(line) <= margin


def text_of(function) -> Text:
    """Returns the present text of the file or the notebook's cell that defines a function. The
    `Text` is empty if there is no text."""
    lines = _registered_lines(function)
    if lines is not None:
        return Text(lines, changed_at=math.inf)
    file = function.__code__.co_filename
    try:
        status = os.stat(file)
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        known, text = _texts.get(file, (None, None))
        if known != stamp:
            read_at = time.time_ns()
            with open(file, "rb") as stream:
                text = Text(stream.read(), status.st_ctime_ns)
            # If a file was written very recently, another write may leave its times unchanged. So a
            # text is kept for the file's other kernels only if the last change is old enough.
            if status.st_ctime_ns < read_at - _CLOCK_STEP:
                _texts[file] = stamp, text
        return text
    except (OSError, ValueError):
        return _text_of_loader(file, function.__globals__)


def _registered_lines(function) -> list[str] | None:
    """Returns the lines that a program has registered in `linecache` for a function; None if there
    are none. Notebooks register their cells, doctest registers its examples, and later versions of
    Python register the lines of interactive sessions."""
    linecache = sys.modules.get("linecache")
    if linecache is None:
        return None
    code = function.__code__
    of_code = getattr(linecache, "_getlines_from_code", None)
    if of_code is not None and (lines := of_code(code)):
        return lines
    if code.co_filename.startswith("<"):
        return linecache.getlines(code.co_filename, function.__globals__) or None
    entry = linecache.cache.get(code.co_filename)
    is_no_file = entry is not None and len(entry) == 4 and entry[1] is None
    return entry[2] if is_no_file else None


def _text_of_loader(file: str, names: dict) -> Text:
    """Returns the text of a module that its loader provides, such as a module in a zip archive. The
    `Text` is empty if the loader provides none."""
    spec = names.get("__spec__")
    loader = getattr(spec, "loader", None) or names.get("__loader__")
    read = getattr(loader, "get_source", None)
    if read is None or file.startswith("<string"):
        return _NOTHING
    known, text = _texts.get(file, (None, None))
    if known is None or known is not (spec or loader):  # reloading a module makes a new spec
        try:
            contents = read(getattr(spec, "name", None) or names.get("__name__"))
        except (ImportError, OSError, UnicodeError, SyntaxError):
            contents = None
        text = _NOTHING if contents is None else Text(contents, changed_at=0)
        _texts[file] = spec or loader, text
    return text


def _decode(contents: bytes) -> str:
    """Decodes a Python file. The encoding is UTF-8, unless one of the first two lines names another
    encoding."""
    encoding = "utf-8"
    if b"coding" in b"".join(contents.split(b"\n", 2)[:2]):
        import io
        import tokenize

        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(contents).readline)
        except SyntaxError:
            pass
    return contents.removeprefix(b"\xef\xbb\xbf").decode(encoding, errors="replace")


def _start_of_process() -> int:
    """Returns the time when this process began, in nanoseconds since 1970. The result is about
    `_CLOCK_STEP` (0.1 seconds) too early, so that it is never too late: the system gives the time
    only in hundredths of a second. Returns 0 if the system does not give the time."""
    global _start
    if _start is None:
        try:
            with open("/proc/self/stat", "rb") as stream:
                ticks = int(stream.read().rpartition(b")")[2].split()[19])
            started = ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
            age = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - started
            _start = time.time_ns() - age - _CLOCK_STEP
        except (AttributeError, IndexError, OSError, ValueError):
            _start = 0
    return _start
