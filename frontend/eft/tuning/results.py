# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices in the disk cache.

An entry has lines of text: the form's name, the kernel's, the device's, the key in words, and then
one for each candidate: its times, the configuration, and the reason if it can't run.
"""

from __future__ import annotations

import math
import re
import sys

from eft import _runtime
from eft.errors import AutotunerError
from eft.stable_text import NotStable, StableText
from eft.tuning.candidates import describe
from eft.tuning.heuristics import Heuristics
from eft.version import key_of

FORM = "autotuning 1"
_LINES_BEFORE = 4


class Kept:
    """The entry for one choice.

    Attributes:
        key: its key; None if there can be no entry.
    """

    def __init__(self, tuner, candidates, key: tuple, device: str):
        self.tuner = tuner
        self.candidates = candidates
        self.head = [
            FORM,
            f"{tuner.__module__}.{tuner.__qualname__}",
            device,
            ", ".join(map(str, key)),
        ]
        try:
            self.key = self._make_key(key)
        except NotStable as error:
            self.key = None
            self._say(str(error))

    def _make_key(self, key: tuple) -> bytes:
        """The key of the choice: the texts of all that the times depend on. That is all that the
        code does, the device, and the arguments that the candidates add. A hook's run is timed,
        too."""
        tuner, text = self.tuner, StableText()
        inner = tuner.fn
        while not isinstance(inner, _runtime.KernelBase):
            if type(inner) is not Heuristics:
                raise NotStable(f"is around a {type(inner).__name__}, which may do anything")
            inner = inner.fn
        parts = [
            FORM,
            self.head[2],
            text.of(tuner.kernel),
            text.of(tuner.kernel.effective({})),
            text.of(key),
            text.of((tuner._do_bench, tuner.use_cuda_graph), ".do_bench"),
        ]
        known = {each.name for each in tuner.kernel.parameters if not each.is_constexpr}
        for each in self.candidates:
            arguments = {**dict(zip(tuner.arg_names, each.args, strict=False)), **each.final}
            parts += (
                f"{name} {text.of(value, name)}"
                for name, value in sorted(arguments.items())
                if name not in known or name in each.config.kwargs
            )
            parts.append(text.of(each.config.pre_hook, ".pre_hook"))
        return key_of("choice", *parts)

    def load(self) -> bool:
        """Fills the candidates with what the cache has. False if that is nothing, or damaged."""
        entry = _runtime.cache_get(self.key) if self.key else None
        found = None if entry is None else _read(entry, len(self.candidates))
        if found is None:
            return False
        for each, (timing, reason) in zip(self.candidates, found, strict=True):
            each.timing = timing
            each.failure = AutotunerError(reason) if reason else None
        return True

    def save(self):
        if self.key is None:
            return
        lines = [_one_line(line) for line in self.head]
        for each in self.candidates:
            reason = describe(each.failure) if each.failure is not None else ""
            facts = (*map(repr, each.timing), _one_line(str(each.config)), _one_line(reason))
            lines.append("\t".join(facts))
        text = "\n".join(lines)
        if reason := _runtime.cache_put(self.key, text.encode(errors="replace")):
            self._say(reason)

    def _say(self, reason: str):
        logging = sys.modules.get("logging")  # if it is not there, nobody listens
        if logging is not None:
            logging.getLogger("eft").info(
                "not keeping the choice for %s in the cache: %s", self.tuner.__name__, reason
            )


def _read(entry: bytes, count: int) -> list[tuple[list[float], str]] | None:
    """The times and the reason of each candidate; None if that is not what is in the entry."""
    lines = entry.decode(errors="replace").split("\n")
    if count < 1 or lines[0] != FORM or len(lines) != _LINES_BEFORE + count:
        return None
    found = []
    for line in lines[_LINES_BEFORE:]:
        try:
            *times, _, reason = line.split("\t")
            times = [float(time) for time in times]
        except ValueError:
            return None
        if not times or any(math.isnan(time) for time in times):
            return None
        found.append((times, reason))
    return found if any(not reason for _, reason in found) else None


def summary(entry: bytes) -> tuple[str, str]:
    """The kernel's name, and the key, the device without its features and the configuration chosen,
    of an entry."""
    _, name, device, key, *_ = lines = entry.decode(errors="replace").split("\n")
    found = _read(entry, len(lines) - _LINES_BEFORE) or []
    times = [math.inf if reason else timing[0] for timing, reason in found]
    best = ""
    if times:
        best = lines[_LINES_BEFORE + times.index(min(times))].split("\t")[-2]
    device = re.sub(r"(; [0-9a-f ]+| [+-]\S+,[+-]\S+)(?=,)", "", device)
    return name.rpartition(".")[2], f"({key}) on {device}: {best}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
