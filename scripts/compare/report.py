# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the differences between the code of two builds, which record.py has recorded.

    python scripts/compare/report.py BASE HERE DIFFERENT

reads the folders BASE and HERE, and writes the differing texts and their diffs to DIFFERENT. The
exit status is 0 if all code is equal. It is 1 if code differs between the builds, or between the
two compiles of one build. It is also 1 if the corpus failed with the base, which may lack features
that the corpus uses. It is 2 if the corpus failed with the other build, or if nothing could be
compared.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from eft.aot.ptxas import find_ptxas
from texts import text_of

TARGETS = ("sm_80", "sm_90", "host")
SHOWN = 20
#: Two builds' times to compile count as different if every time of one build is greater than
#: every time of the other, by more than this factor and by more than these seconds.
FACTOR, SECONDS = 1.1, 0.01


@dataclass
class Code:
    """The code that one build has made for a kernel and a target; see record.py.

    Attributes:
        file: the file with the code.
        call: the kernel's name and the description of its arguments.
        shared: the bytes of shared memory.
        digests: the hash of the code of each compile.
        seconds: the time of each compile; empty if there is no code.
    """

    file: Path
    call: str
    shared: int
    digests: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)

    @property
    def least(self) -> float:
        """The time of the fastest compile."""
        return min(self.seconds, default=0)

    @property
    def is_stable(self) -> bool:
        return len(self.digests) == 1


@dataclass(frozen=True)
class Recording:
    """Everything that one build has made: code by target and name, and the logs of failed parts."""

    codes: dict[tuple[str, str], Code]
    failed: list[str]


@dataclass(frozen=True)
class Difference:
    target: str
    name: str
    removed: int
    added: int
    changes: str  # how the registers, the spilled bytes and the shared bytes change


def read(folder: Path) -> Recording:
    codes, failed = {}, []
    for log in sorted(folder.rglob("*.log")):
        lines = log.with_suffix(".jsonl")
        text = lines.read_text() if lines.exists() else ""
        records = [json.loads(line) for line in text.splitlines()]
        if not records or "finished" not in records[-1]:
            failed.append(str(log))
        for record in records:
            if "name" in record:
                path = lines.with_suffix("").relative_to(folder) / record["name"]
                key = record["target"], str(path)
                if key not in codes:
                    file = lines.with_suffix("") / record["file"]
                    codes[key] = Code(file, record["call"], record["shared"])
                codes[key].digests.add(record["digest"])
                if record["seconds"] is not None:
                    codes[key].seconds.append(record["seconds"])
    return Recording(codes, failed)


def is_equal(base: Code, here: Code) -> bool:
    if (base.file.suffix, base.shared) != (here.file.suffix, here.shared):
        return False
    if base.file.read_bytes() == here.file.read_bytes():
        return True
    return text_of(base.file) == text_of(here.file)


def resources(ptxas: str | None, code: Code, target: str) -> tuple:
    """The registers of a thread and the bytes that it spills, as ptxas reports them. None for each
    value that is unknown."""
    if ptxas is None or code.file.suffix != ".ptx":
        return None, None
    command = [ptxas, "-v", f"-arch={target}", "-o", os.devnull, str(code.file)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return "refused by ptxas", None
    found = (re.search(p, done.stderr) for p in (r"Used (\d+) reg", r"(\d+) bytes spill stores"))
    return tuple(int(match[1]) if match else None for match in found)


def difference(key, base: Code, here: Code, folder: Path, ptxas: str | None) -> Difference:
    """Writes both texts and their diff to files in `folder`, and summarises the difference."""
    target, name = key
    place = folder / f"{name}.{target}"
    place.parent.mkdir(parents=True, exist_ok=True)
    files = [place.with_name(f"{place.name}.{build}") for build in ("base", "here")]
    for file, code in zip(files, (base, here), strict=True):
        file.write_text(text_of(code.file))
    done = subprocess.run(["diff", "-u", *map(str, files)], capture_output=True, text=True)
    diff = done.stdout.splitlines()[2:]
    text = "\n".join([here.call, *done.stdout.splitlines(), ""])
    place.with_name(f"{place.name}.diff").write_text(text)
    changes = []
    found = [(*resources(ptxas, code, target), code.shared) for code in (base, here)]
    for what, old, new in zip(("registers", "spilled", "shared"), *found, strict=True):
        if old != new:
            changes.append(f"{what} {old} → {new}")
    removed, added = (sum(line.startswith(sign) for line in diff) for sign in "-+")
    return Difference(target, name, removed, added, ", ".join(changes))


def print_limited(title: str, lines: list[str], limit: int = SHOWN) -> None:
    if lines:
        print(f"\n{title}:")
        print("\n".join(f"  {line}" for line in lines[:limit]))
    if len(lines) > limit:
        print(f"  and {len(lines) - limit} more")


def print_totals(base: Recording, here: Recording, different: set) -> None:
    print("        kernels   equal  different  base only  here only   seconds to compile")
    for target in TARGETS:
        old, new = ({k for k in each.codes if k[0] == target} for each in (base, here))
        both = old & new
        apart = len(both & different)
        counts = (len(old | new), len(both) - apart, apart, len(old - new), len(new - old))
        times = [sum(each.codes[key].least for key in both) for each in (base, here)]
        change = f"{100 * (times[1] / times[0] - 1):+.1f} %" if times[0] else ""
        columns = "{:>7} {:>7} {:>10} {:>10} {:>10}".format(*counts)
        print(f"{target:<7} {columns}   {times[0]:.2f} → {times[1]:.2f}  {change}")


def print_times(base: Recording, here: Recording, keys) -> None:
    """Prints the largest changes of the time to compile, also those of kernels with equal code."""
    found = []
    for key in keys:
        old, new = base.codes[key], here.codes[key]
        fast, slow = sorted((old, new), key=lambda code: code.least)
        most = max(fast.seconds, default=slow.least)
        if slow.least > FACTOR * most and slow.least - most > SECONDS:
            found.append((slow.least - fast.least, key, old, new))
    found.sort(key=lambda each: each[0], reverse=True)
    lines = [
        f"{target:<6} {name}: {1e3 * old.least:.0f} → {1e3 * new.least:.0f} ms"
        for _, (target, name), old, new in found
    ]
    print_limited("time to compile, the largest changes", lines, 5)


def report(base: Recording, here: Recording, folder: Path) -> int:
    both = sorted(base.codes.keys() & here.codes.keys())
    pairs = [(key, base.codes[key], here.codes[key]) for key in both]
    ptxas = find_ptxas()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        equal = list(pool.map(lambda pair: is_equal(*pair[1:]), pairs))
        apart = [pair for pair, same in zip(pairs, equal, strict=True) if not same]
        differences = list(pool.map(lambda pair: difference(*pair, folder, ptxas), apart))
    differing = {pair[0] for pair in apart}
    print_totals(base, here, differing)
    differences.sort(key=lambda each: (-each.removed - each.added, each.name, each.target))
    lines = [
        f"{each.target:<6} {each.name}: −{each.removed} +{each.added} lines"
        + (f", {each.changes}" if each.changes else "")
        for each in differences
    ]
    print_limited("different code", lines)
    for name, recording, other in (("base", base, here), ("here", here, base)):
        only = sorted(recording.codes.keys() - other.codes.keys())
        print_limited(f"only {name}", [f"{target:<6} {path}" for target, path in only], 5)
        changing = sorted(key for key, code in recording.codes.items() if not code.is_stable)
        lines = [f"{target:<6} {path}" for target, path in changing]
        print_limited(f"not the same code when compiled again, {name}", lines, 5)
    refused = [key for key, old, _ in pairs if old.file.suffix == ".error" and key not in differing]
    print_limited("refused by both", [f"{target:<6} {path}" for target, path in refused], 5)
    print_times(base, here, both)
    if lines := [f"base   {log}" for log in base.failed] + [f"here   {log}" for log in here.failed]:
        print_limited("parts that did not run to their end", lines)
    if differences:
        print(f"\nboth texts and their diffs: {folder}")
        if ptxas is None:
            print("there is no ptxas, so nothing is known of registers")
    if here.failed or not here.codes or not base.codes:
        return 2
    stable = all(code.is_stable for each in (base, here) for code in each.codes.values())
    is_same = not differences and base.codes.keys() == here.codes.keys()
    return 0 if stable and is_same and not base.failed else 1


if __name__ == "__main__":
    base, here, folder = map(Path, sys.argv[1:])
    try:
        status = report(read(base), read(here), folder)
    except Exception:
        traceback.print_exc()
        status = 2  # not 1: code that could not be compared is not known to differ
    sys.exit(status)
