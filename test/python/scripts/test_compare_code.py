# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/compare-code: its records of a build, and the differences that it reports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import eft
import pytest
from eft.aot.ptxas import find_ptxas

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "scripts" / "compare"
BUILD = Path(eft.__file__).parents[1]

KERNELS = """
import eft
import eft.language as tl
import numpy as np


@eft.jit
def total(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y, tl.sum(tl.exp(tl.load(x + offsets, mask=offsets < n, other=0.0))))


@eft.jit
def refused(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


x, y = np.ones(64, np.float32), np.empty(1, np.float32)
total[(1,)](x, y, 60, BLOCK=64)
total[(2,)](x, y, 50, BLOCK=64)
total.warmup(tl.float32, tl.float32, 60, BLOCK=1024, num_warps=8, target="cpu")
try:
    refused[(1,)](x, BLOCK=3)
except eft.CompilationError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def twice(tmp_path_factory) -> Path:
    """Records of the code that one build makes of KERNELS, as if from two builds."""
    folder = tmp_path_factory.mktemp("twice")
    (folder / "kernels.py").write_text(KERNELS)
    builds = [word for name in ("base", "here") for word in ("--build", name, str(BUILD))]
    command = [sys.executable, FOLDER / "record.py", folder, folder / "kernels.py", *builds]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\[1/1\] \S+/kernels\.py\n", done.stdout)
    return folder


@pytest.fixture
def recorded(twice, tmp_path) -> Path:
    """A copy of the records of `twice`, which a test can change."""
    return shutil.copytree(twice, tmp_path / "recorded")


def report(folder: Path) -> tuple[int, str]:
    """The exit status and the output of the report, without times."""
    folders = [str(folder / name) for name in ("base", "here", "different")]
    command = [sys.executable, str(FOLDER / "report.py"), *folders]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    text = re.sub(r"   \d+\.\d+ → \d+\.\d+( .*)?$", "", done.stdout, flags=re.M)
    text = re.sub(r"\ntime to compile, the.*\n(  .*\n)+", "", text)
    return done.returncode, re.sub(r"refused-\w+", "refused", text)


def difference(folder: Path) -> str:
    """The report's output. Checks that the report finds a difference."""
    status, text = report(folder)
    assert status == 1
    return text


def totals(*rows: str) -> str:
    head = "        kernels   equal  different  base only  here only   seconds to compile\n"
    return head + "".join(f"{row}\n" for row in rows)


SAME = totals(
    "sm_80         3       3          0          0          0",
    "sm_90         3       3          0          0          0",
    "host          3       3          0          0          0",
)
SAME += "\nrefused by both:\n"
SAME += "".join(f"  {target:<6} kernels/refused\n" for target in ("host", "sm_80", "sm_90"))


def code(folder: Path, pattern: str) -> Path:
    """The file with the code of the kernel `total` for the larger block."""
    files = [*folder.glob(f"kernels/total-*.{pattern}")]
    return max(files, key=lambda file: file.stat().st_size)


def change_record(folder: Path, target: str, *fields: dict) -> str:
    """Changes both records of a target's first kernel, and returns the kernel's name."""
    file = folder / "kernels.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    first = next(record for record in records if record.get("target") == target)
    name = first["name"]
    tries = [each for each in records if (each.get("target"), each.get("name")) == (target, name)]
    for record, changed in zip(tries, fields, strict=True):
        record.update(changed)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return name


def test_kernels_are_recorded_once_for_every_target(twice):
    records = [json.loads(line) for line in (twice / "here/kernels.jsonl").read_text().splitlines()]
    assert records.pop() == {"finished": True}
    assert [record["target"] for record in records] == 6 * ["sm_80", "sm_90", "host"]
    assert [record["call"] for record in records[:9:3]] == [
        "total(x=*float32:16, y=*float32:16, n=int32, BLOCK=64)",
        "total(x=fp32, y=fp32, n=int32, BLOCK=1024, num_warps=8)",
        "refused(x=*float32:16, BLOCK=3)",
    ]
    names = {record["file"] for record in records}
    assert names == {file.name for file in (twice / "here/kernels").iterdir()}
    assert sum(name.endswith(".error") for name in names) == 3
    assert code(twice / "here", "sm_90.ptx").read_text().count(".target sm_90") == 1
    same = ("name", "target", "digest")
    first, second = ([[each[key] for key in same] for each in records[n:][:9]] for n in (0, 9))
    assert first == second
    assert [record["seconds"] is None for record in records] == 2 * (6 * [False] + 3 * [True])


def test_code_of_the_same_build_is_equal(recorded):
    assert report(recorded) == (0, SAME)


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_one_byte_of_ptx_counts(recorded, target):
    file = code(recorded / "here", f"{target}.ptx")
    text = file.read_text()
    assert text.count("%tid.x") == 1
    file.write_text(text.replace("%tid.x", "%tid.y"))
    text = difference(recorded)
    name = file.name.removesuffix(f".{target}.ptx")
    assert f"\ndifferent code:\n  {target}  kernels/{name}: −1 +1 lines" in text
    assert f"\nboth texts and their diffs: {recorded}/different\n" in text
    diff = (recorded / "different" / "kernels" / f"{name}.{target}.diff").read_text()
    assert diff.startswith("total(")
    assert len(re.findall(r"^-.*%tid\.x;$|^\+.*%tid\.y;$", diff, re.M)) == 2


def sections(file: Path) -> dict[str, int]:
    """The offsets at which the sections of an object file begin, by name."""
    command = ["llvm-readelf-19", "-S", "-W", str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"\] (\S+) +PROGBITS +\w+ (\w+)", text)
    return {name: int(offset, 16) for name, offset in found}


@pytest.mark.parametrize("section", [".text", ".rodata.cst4"])
def test_one_byte_of_an_object_counts(recorded, section):
    file = code(recorded / "here", "host.o")
    content = bytearray(file.read_bytes())
    content[sections(file)[section]] ^= 1
    file.write_bytes(content)
    text = difference(recorded)
    assert "host          3       2          1          0          0\n" in text
    assert f"host   kernels/{file.name.removesuffix('.host.o')}: −" in text


def test_places_in_the_source_do_not_count(recorded):
    file = code(recorded / "here", "sm_90.ptx")
    place = "$L__tmp1:\n\t.loc 1 7 3, function_name $L__info1, inlined_at 1 9 3\n"
    text, count = re.subn(
        r"^\tret;\n", lambda match: place + match[0], file.read_text(), flags=re.M
    )
    assert count == 1
    text += '\t.file\t1 "kernels.py"\n\t.section\t.debug_loc\n\t{\n.b8 1\n\t}\n'
    file.write_text(text)
    assert report(recorded) == (0, SAME)


def test_numbers_of_constants_do_not_count(recorded):
    file = code(recorded / "here", "host.o")
    content = file.read_bytes()
    label = re.search(rb"\.LCPI0_\d+\0", content)[0]  # the numbers of labels have gaps
    other = label.replace(b"LCPI0", b"LCPI9")
    assert other not in content
    file.write_bytes(content.replace(label, other))
    assert report(recorded) == (0, SAME)


def test_registers_are_shown_if_they_change(recorded):
    if find_ptxas() is None:
        pytest.skip("ptxas is not installed")
    large = code(recorded / "here", "sm_80.ptx")
    small = next(f for f in large.parent.glob("total-*.sm_80.ptx") if f != large)
    large.write_text(small.read_text())
    text = difference(recorded)
    assert re.search(r"lines, registers \d+ → \d+\n", text)
    large.write_text("no PTX\n")
    assert re.search(r"lines, registers \d+ → refused by ptxas, ", report(recorded)[1])


def test_shared_bytes_count(recorded):
    name = change_record(recorded / "here", "sm_90", {"shared": 4096}, {"shared": 4096})
    text = difference(recorded)
    assert f"  sm_90  kernels/{name}: −0 +0 lines, shared 8 → 4096\n" in text


def test_kernel_of_one_build_alone_counts(recorded):
    file = recorded / "base" / "kernels.jsonl"
    first, *others = file.read_text().splitlines(keepends=True)
    del others[8]  # the second record of the same kernel
    file.write_text("".join(others))
    text = difference(recorded)
    assert "sm_80         3       2          0          0          1\n" in text
    assert f"\nonly here:\n  sm_80  kernels/{json.loads(first)['name']}\n" in text


def test_kernel_that_one_build_refuses_counts(recorded):
    old = code(recorded / "here", "sm_80.ptx")
    old.with_suffix(".error").write_text("CompilationError: too large\n")
    name = old.name.removesuffix(".sm_80.ptx")
    file = recorded / "here" / "kernels.jsonl"
    file.write_text(file.read_text().replace(old.name, old.with_suffix(".error").name))
    text = difference(recorded)
    assert f"  sm_80  kernels/{name}: −" in text


def test_code_that_changes_by_itself_counts(recorded):
    name = change_record(recorded / "base", "host", {}, {"digest": "another"})
    text = difference(recorded)
    assert f"\nnot the same code when compiled again, base:\n  host   kernels/{name}\n" in text


def times(folder: Path, base: list[float], here: list[float]) -> str:
    for name, seconds in (("base", base), ("here", here)):
        name = change_record(folder / name, "sm_80", *({"seconds": each} for each in seconds))
    command = [sys.executable, FOLDER / "report.py", folder / "base", folder / "here", folder / "x"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0
    return done.stdout.replace(name, "NAME")


def test_times_count_beyond_their_noise(recorded):
    line = "  sm_80  kernels/NAME: 1000 → 2000 ms\n"
    assert line in times(recorded, [1.0, 1.1], [2.1, 2.0])
    assert line not in times(recorded, [1.0, 2.1], [2.1, 2.0])
    assert "  sm_80  kernels/NAME: 2000 → 1000 ms\n" in times(recorded, [2.0, 2.5], [1.5, 1.0])


def test_part_that_stops_here_is_an_error(recorded):
    file = recorded / "here" / "kernels.jsonl"
    file.write_text(file.read_text().replace('{"finished": true}\n', ""))
    status, text = report(recorded)
    assert status == 2
    log = recorded / "here" / "kernels.log"
    assert text.endswith(f"\nparts that did not run to their end:\n  here   {log}\n")


def test_part_that_stops_in_the_base_is_a_difference(recorded):
    file = recorded / "base" / "kernels.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))
    text = difference(recorded)
    assert f"  base   {recorded}/base/kernels.log\n" in text
    assert "sm_80         3       2          0          0          1\n" in text


def test_base_that_stops_after_the_last_kernel_is_a_difference(recorded):
    file = recorded / "base" / "kernels.jsonl"
    file.write_text(file.read_text().replace('{"finished": true}\n', ""))
    text = difference(recorded)
    log = recorded / "base" / "kernels.log"
    assert text == f"{SAME}\nparts that did not run to their end:\n  base   {log}\n"


def test_base_without_a_kernel_is_an_error(recorded):
    (recorded / "base" / "kernels.jsonl").unlink()
    assert report(recorded)[0] == 2


def test_object_that_is_none_is_an_error(recorded):
    code(recorded / "here", "host.o").write_bytes(b"no object")
    folders = [str(recorded / name) for name in ("base", "here", "different")]
    command = [sys.executable, str(FOLDER / "report.py"), *folders]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "llvm-objdump-19" in done.stderr


# -- the corpus ------------------------------------------------------------------------------------


def test_parts_of_the_corpus_are_there():
    code = """if True:
        import corpus
        names = [*corpus.parts()]
        assert len(names) > 10
        print([name for name in names if not (corpus.ROOT / name).exists()])
        kernels = corpus.benchmark_kernels()
        called = {kernel for kernel, _, _ in corpus.benchmark_calls(kernels)}
        named = {x for x in vars(kernels).values() if hasattr(x, "warmup")}
        print(sorted(kernel.__name__ for kernel in named - called))
    """
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, check=True)
    # The functions in the second list are called by other kernels only.
    assert done.stdout == "[]\n['_add_to_keys', '_add_to_rows', 'add_group', 'part']\n"


# -- the command -----------------------------------------------------------------------------------


def compare(root: Path, *arguments: str) -> tuple[int, str, str]:
    command = [str(root / "scripts" / "compare-code"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A repository that has the command, but no sources to build."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / ".gitignore").write_text("/build/\n")
    options = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    for command in (["init", "-q"], ["add", "."], [*options, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_help():
    status, text, _ = compare(ROOT, "--help")
    assert status == 0
    assert text.startswith("usage: scripts/compare-code [--no-build] BASE [PART...]\n")


@pytest.mark.parametrize("arguments", [(), ("--other", "HEAD")])
def test_wrong_command(arguments):
    status, text, errors = compare(ROOT, *arguments)
    assert (status, text) == (2, "")
    assert errors.startswith("usage: ")


def test_unknown_base(checkout):
    assert compare(checkout, "no-such-branch") == (
        2,
        "",
        "compare-code: 'no-such-branch' is no commit of this repository\n"
        "compare-code: git log --oneline lists what can be compared with\n",
    )


def test_nothing_is_built_here(checkout):
    assert compare(checkout, "--no-build", "HEAD") == (
        2,
        "",
        "compare-code: build/release has no compiler yet\n"
        "compare-code: run scripts/setup, or leave out --no-build\n",
    )


def test_base_that_does_not_build(checkout):
    compiler = checkout / "build" / "release" / "python" / "eft" / "_compiler.so"
    compiler.parent.mkdir(parents=True)
    compiler.touch()
    status, text, errors = compare(checkout, "--no-build", "HEAD")
    assert status == 2
    assert re.search(r"^Building the base, \w+ Begin .*failed after \d+ s\n$", text)
    assert re.search(
        r"compare-code: the base does not build: \w+ Begin\n"
        r"compare-code: if it is known to build, remove build/compare/base and run this again\n$",
        errors,
    )
    assert "Could not read presets" in errors  # CMake's own message
