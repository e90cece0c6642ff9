# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of distributed tensors in several processes, which run sharded_dropout.py."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import eft
import pytest
import pytorch
from eft import _runtime
from pytorch import needs_torch

pytestmark = needs_torch
WORKER = Path(__file__).parent / "sharded_dropout.py"
CASES = re.findall(r"@case\ndef (\w+)", WORKER.read_text())


@functools.cache
def outcomes(count: int, device: str) -> list[dict[str, str]]:
    """For each rank, a dict from the name of each case to the error that it raised, or to ""."""
    paths = [str(Path(eft.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "OMP_NUM_THREADS": "1",
        "EFT_NUM_THREADS": "1",
    }
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            subprocess.Popen(
                [sys.executable, WORKER, folder, str(rank), str(count), device],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for rank in range(count)
        ]
        try:
            texts = [rank.communicate(timeout=300)[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
        files = [Path(folder, f"{rank}.json") for rank in range(count)]
        return [
            json.loads(file.read_text())
            if file.exists()
            else dict.fromkeys(CASES, f"{text}a rank ended with status {rank.returncode}")
            for rank, file, text in zip(ranks, files, texts, strict=True)
        ]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("count, device", [(4, "cpu"), (2, "cuda")])
def test_ranks_drop_what_one_device_would(count, device, case):
    if device == "cuda" and _runtime.device_count() < count:
        pytest.skip(f"there are less than {count} GPUs")
    for found in outcomes(count, device):
        assert found.get(case, "a case before it has failed") == ""


@pytest.mark.parametrize(
    "shape, local, offset, runs",
    [
        ((), (), (), [(0, 0, 1)]),
        ((10,), (4,), (3,), [(0, 3, 4)]),
        ((10,), (10,), (0,), [(0, 0, 10)]),
        ((2, 10), (2, 4), (0, 3), [(0, 3, 4), (4, 13, 4)]),
        ((4, 10), (2, 10), (2, 0), [(0, 20, 20)]),
        ((4, 3, 10), (2, 3, 5), (2, 0, 5), [(5 * i, 65 + 10 * i, 5) for i in range(6)]),
        ((4, 10), (0, 10), (4, 0), []),
    ],
)
def test_rows_of_a_part_in_runs(shape, local, offset, runs):
    sharded = pytorch.module("eft.ops.sharded")
    assert list(sharded._runs(shape, local, offset)) == runs


def test_pytorchs_own_checks():
    torch = pytorch.module("torch")
    pytorch.module("eft.ops.sharded")
    x = torch.randn(5, 70, requires_grad=True)
    arguments = (x, torch.tensor(9), 0.5, True, [9, 200], [3, 100])
    torch.library.opcheck(torch.ops.eft.dropout_part.default, arguments)


def test_the_program_of_the_how_to(tmp_path):
    page = Path(__file__).parents[3] / "docs/how-to/drop-out-on-several-devices.md"
    program = tmp_path / "program.py"
    program.write_text(page.read_text().split("```python\n")[1].split("```")[0])
    paths = [str(Path(eft.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        + [str(program)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    # Both ranks print at once, and their texts may share a line.
    assert sorted(re.findall(r"rank \d of \d: \(\d+, \d+\)", done.stdout)) == [
        "rank 0 of 2: (2000, 150)",
        "rank 1 of 2: (2000, 150)",
    ]


def part(shape, mesh, place, *placements):
    """A stand-in for a distributed tensor, with what is needed to compute the place of a part."""
    return SimpleNamespace(
        shape=shape,
        dim=lambda: len(shape),
        placements=placements,
        device_mesh=SimpleNamespace(size=lambda axis: mesh[axis], get_coordinate=lambda: place),
    )


def test_a_part_that_is_cut_in_another_way_is_an_error():
    sharded = pytorch.module("eft.ops.sharded")
    from torch.distributed.tensor import Replicate, Shard

    found = sharded._offset_of(part((10, 7), (3, 2), (1, 1), Shard(0), Shard(0)), [2, 7])
    assert found == [6, 0]
    found = sharded._offset_of(part((10, 7), (3, 2), (2, 1), Replicate(), Shard(1)), [10, 3])
    assert found == [0, 4]
    message = (
        "this rank has a part of [3, 7], expected [4, 7] of [10, 7] with the placements (Shard"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        sharded._offset_of(part((10, 7), (3,), (1,), Shard(0)), [3, 7])
