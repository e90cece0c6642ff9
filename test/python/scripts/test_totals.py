# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/totals.py: the last lines of scripts/test, and its exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOTALS = Path(__file__).parent.parent.parent.parent / "scripts" / "totals.py"

GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" disabled="1"><testsuite name="Suite">
  <testcase name="Good" status="run" result="completed" classname="Suite" />
  <testcase name="Off" status="notrun" result="suppressed" classname="Suite" />
  <testcase name="Later" status="run" result="skipped" classname="Suite">
    <skipped message="/here/Some.cpp:7&#x0A;there is no GPU"><![CDATA[text]]></skipped>
  </testcase>
  <testcase name="Bad" status="run" result="completed" classname="Suite">
    <failure message="wrong" type=""><![CDATA[wrong]]></failure>
  </testcase>
</testsuite></testsuites>
"""

LIT = """<testsuites><testsuite name="eft" tests="2">
<testcase classname="eft.ir" name="ops.mlir" time="0.02"/>
<testcase classname="eft.ir" name="gpu.mlir"><skipped message="Missing required feature(s): ptxas"/>
</testcase></testsuite></testsuites>
"""

PYTEST = """<testsuites><testsuite name="pytest" errors="1" tests="3">
<testcase classname="test_x" name="test_good" time="0.1"/>
<testcase classname="test_x" name="test_off"><skipped type="pytest.skip"
 message="there is no GPU">/here/conftest.py:73: there is no GPU</skipped></testcase>
<testcase classname="test_x" name="test_broken"><error message="setup">text</error></testcase>
</testsuite></testsuites>
"""


def totals(folder: Path, **runners: tuple[str | None, int]) -> tuple[int, list[str]]:
    """The exit status and the output for test runners, each given as (XML or None, exit status)."""
    for name, (xml, status) in runners.items():
        (folder / f"{name}.status").write_text(f"{status} 3\n")
        if xml is not None:
            (folder / f"{name}.xml").write_text(xml)
    command = [sys.executable, str(TOTALS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_adds_up_all_three(tmp_path):
    status, lines = totals(tmp_path, unit=(GOOGLETEST, 1), lit=(LIT, 0), pytest=(PYTEST, 1))
    assert status == 1
    assert lines == [
        "lit                  1 passed, 0 failed, 1 skipped, 3 s",
        "pytest               1 passed, 1 failed, 1 skipped, 3 s",
        "unit                 1 passed, 1 failed, 1 skipped, 3 s",
        "skipped    1 of lit: Missing required feature(s): ptxas",
        "skipped    1 of pytest: there is no GPU",
        "skipped    1 of unit: there is no GPU",
        "failed  pytest: test_x.test_broken",
        "failed  unit: Suite.Bad",
        "3 passed, 2 failed, 3 skipped",
    ]


def test_succeeds_without_a_failure(tmp_path):
    assert totals(tmp_path, lit=(LIT, 0)) == (
        0,
        [
            "lit                  1 passed, 0 failed, 1 skipped, 3 s",
            "skipped    1 of lit: Missing required feature(s): ptxas",
            "1 passed, 0 failed, 1 skipped",
        ],
    )


def test_crash_is_a_failure(tmp_path):
    status, lines = totals(tmp_path, lit=(LIT, 0), unit=(None, 139))
    assert status == 1
    assert lines[-1] == "1 passed, 1 failed, 1 skipped"
    assert lines[-2].startswith("failed  unit: wrote no results (")


@pytest.mark.parametrize("xml", ["", "<testsuites>"])
def test_broken_results_are_a_failure(tmp_path, xml):
    status, lines = totals(tmp_path, lit=(LIT, 0), unit=(xml, 0))
    assert status == 1
    assert lines[-1] == "1 passed, 1 failed, 1 skipped"


def test_status_without_a_failed_test_is_a_failure(tmp_path):
    status, lines = totals(tmp_path, lit=(LIT, 2))
    assert status == 1
    assert lines[-2:] == ["failed  lit: ended with status 2", "1 passed, 1 failed, 1 skipped"]


def test_reports_of_sanitizers_are_failures(tmp_path):
    report = "WARNING: ThreadSanitizer: data race (pid=7)\nSUMMARY: ThreadSanitizer: data race in f"
    (tmp_path / "sanitizer.7").write_text(report)
    (tmp_path / "sanitizer.8").write_text("WARNING: AddressSanitizer failed to allocate\n")
    status, lines = totals(tmp_path, lit=(LIT, 0))
    assert status == 1
    assert lines[:2] == report.splitlines()
    assert lines[-2:] == [
        "failed  ThreadSanitizer: data race in f",
        "1 passed, 1 failed, 1 skipped",
    ]
    assert not any("failed to allocate" in line for line in lines)


def test_no_test_at_all_is_a_failure(tmp_path):
    assert totals(tmp_path) == (1, ["0 passed, 1 failed, 0 skipped"])
