# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores choices in the disk cache.

An entry consists of lines of text. The first four are the name of this format, the name of the
kernel, the name of the device, and the key as text. Then there is a line for each candidate, with
its times, its configuration, and the reason if the candidate can't run.
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
        key: the key of the entry in the disk cache; None if the choice can't be stored.
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
        """Returns the entry's key in the disk cache. The key has the stable texts of everything
        that affects the times: the kernel, the device, the key of the choice, the way of measuring,
        and for each candidate its arguments and its `pre_hook`, because the hook's run is timed,
        too.

        Raises:
            NotStable: one of these has no stable text.
        """
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
        """Sets the `timing` and the `failure` of the candidates from the entry. Returns false if
        there is no entry or if it is damaged."""
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
        logging = sys.modules.get("logging")  # if it was never imported, no handler is set
        if logging is not None:
            logging.getLogger("eft").info(
                "not keeping the choice for %s in the cache: %s", self.tuner.__name__, reason
            )


def _read(entry: bytes, count: int) -> list[tuple[list[float], str]] | None:
    """Returns the times and the reason of each candidate. Returns None if the entry is not the
    result of a choice among `count` candidates of which at least one can run."""
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
    """Returns two texts about an entry: the kernel's name; and the key, the device without its
    features, and the configuration that was chosen."""
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
