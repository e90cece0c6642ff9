# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up the results of GoogleTest, lit and pytest, for scripts/test: `totals.py FOLDER`.

The folder has NAME.xml (JUnit's format) and NAME.status ("<exit status> <seconds>") for every
runner, and sanitizer.PID for each process in which a sanitizer wrote a report.

Prints the reasons for skipped tests, the failed tests, and one line of totals. Exits with 1 if
anything failed.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree


@dataclass
class Totals:
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, other: Totals) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failed)} failed, {self.skipped.total()} skipped"


def reason_of(skipped: ElementTree.Element) -> str:
    """Why a test was skipped: the first line of its message that is not a source location."""
    text = skipped.get("message") or skipped.text or ""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.endswith(": Skipped")]
    places = (".cpp:", ".py:")
    return next((line for line in lines if not any(p in line for p in places)), "no reason given")


def read_results(path: Path, runner: str) -> Totals:
    totals = Totals()
    for case in ElementTree.parse(path).iter("testcase"):
        name = f"{runner}: {case.get('classname', '')}.{case.get('name', '')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            totals.failed.append(name)
        elif skipped is not None:
            totals.skipped[f"{runner}: {reason_of(skipped)}"] += 1
        elif case.get("status") != "notrun":  # GoogleTest's status of a disabled test
            totals.passed += 1
    return totals


def read_runner(status: Path) -> tuple[Totals, int]:
    """The totals of one runner, and its seconds. A runner that exits with an error although no test
    failed counts as one failure."""
    runner = status.stem
    code, seconds = (int(word) for word in status.read_text().split())
    totals = Totals()
    results = status.with_suffix(".xml")
    try:
        totals = read_results(results, runner)
    except (OSError, ElementTree.ParseError) as error:
        totals.failed.append(f"{runner}: wrote no results ({error})")
    if code != 0 and not totals.failed:
        totals.failed.append(f"{runner}: ended with status {code}")
    return totals, seconds


def read_reports(folder: Path) -> Totals:
    """The sanitizers' reports. Each report with a summary is a failure; the others are warnings."""
    totals = Totals()
    for report in sorted(folder.glob("sanitizer.*")):
        text = report.read_text(errors="replace")
        summaries = [line for line in text.splitlines() if line.startswith("SUMMARY: ")]
        if summaries:
            print(text)
        totals.failed += [line.removeprefix("SUMMARY: ") for line in summaries]
    return totals


def main(folder: str) -> int:
    everything = read_reports(Path(folder))
    for status in sorted(Path(folder).glob("*.status")):
        totals, seconds = read_runner(status)
        print(f"{status.stem:<20} {totals}, {seconds} s")
        everything.add(totals)
    for reason, count in everything.skipped.most_common():
        print(f"skipped {count:>4} of {reason}")
    for name in everything.failed:
        print(f"failed  {name}")
    if not everything.passed:
        everything.failed.append("no test ran")
    print(everything)
    return 1 if everything.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
