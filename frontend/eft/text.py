# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts that kernels stand in, as they are when the kernels are decorated.

A file may change while a process runs: an editor saves it, `git checkout` or `pip install` replaces
it. A kernel does not change with it, as other functions don't. So its file is read when Python
defines the kernel, once for all kernels in it, and is split at the first launch of one.
"""

from __future__ import annotations

import math
import os
import sys
import time

#: More nanoseconds than lie between two times that a file system tells apart.
_CLOCK_STEP = 100_000_000
#: By the name of a file: what told its contents from others, and its text.
_texts: dict = {}
#: When this process began; None until somebody asks.
_start: int | None = None


class Text:
    """The text of a file, or of a notebook's cell.

    Attributes:
        changed_at: when the file last changed, in nanoseconds since 1970.
    """

    def __init__(self, contents: bytes | str | list[str], changed_at: float):
        self._contents = contents
        self.changed_at = changed_at

    @property
    def is_settled(self) -> bool:
        """Whether it is certainly the text that Python compiled, because it has not changed since
        this process began."""
        return self.changed_at < _start_of_process()

    def __bool__(self) -> bool:
        return len(self._contents) > 0

    def lines(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Its lines from index `start` to `stop` or to its end, each with its end. What is behind
        `stop` is not split."""
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
            if not found[-1]:  # after the end of the last line
                found.pop()
        else:
            found.pop()  # what is behind
        return [f"{line}\n" for line in found[start:]]


_NOTHING = Text([], changed_at=0)


def indentation(line: str) -> int:
    """The number of blanks in front of a line. A form feed starts the count anew, as in Python."""
    blanks = line[: len(line) - len(line.lstrip())]
    return len(blanks) - 1 - blanks.rfind("\f")


def may_follow(line: str, margin: int) -> bool:
    """Whether a line may be the first one after a function whose first line starts at `margin`."""
    return bool(line.strip()) and line.lstrip()[0] != "#" and indentation(line) <= margin


def text_of(function) -> Text:
    """The text that a function is defined in, as it is now; without lines if there is none."""
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
            # A file that was written just now may be written again without that its times tell it.
            if status.st_ctime_ns < read_at - _CLOCK_STEP:
                _texts[file] = stamp, text
        return text
    except (OSError, ValueError):
        return _text_of_loader(file, function.__globals__)


def _registered_lines(function) -> list[str] | None:
    """The lines that somebody gave to linecache: notebooks do it with their cells, doctest with its
    examples, and later versions of Python with what was typed in."""
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
    """The text of a module that is no file, such as one in a zip archive."""
    spec = names.get("__spec__")
    loader = getattr(spec, "loader", None) or names.get("__loader__")
    read = getattr(loader, "get_source", None)
    if read is None or file.startswith("<string"):
        return _NOTHING
    known, text = _texts.get(file, (None, None))
    if known is None or known is not (spec or loader):  # to load a module anew makes a new spec
        try:
            contents = read(getattr(spec, "name", None) or names.get("__name__"))
        except (ImportError, OSError, UnicodeError, SyntaxError):
            contents = None
        text = _NOTHING if contents is None else Text(contents, changed_at=0)
        _texts[file] = spec or loader, text
    return text


def _decode(contents: bytes) -> str:
    """The text of a Python file. UTF-8, if it does not say that it is something else."""
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
    """When this process began, in nanoseconds since 1970 and a little too early: the system tells
    it to the hundredth of a second. 0 if it does not tell it."""
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
