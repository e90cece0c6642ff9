# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices of autotuning in the disk cache."""

import logging
import subprocess
import sys
import threading

import eft.language as tl
import numpy as np
import pytest
from eft import Config, _runtime
from eft.tuning import measuring
from tuned_kernels import LARGE, SMALL, fill, tuned, zeros


def measured(monkeypatch) -> list:
    """A list to which each later measurement adds the name of its kernel."""
    names, measure = [], measuring.measure

    def noted(tuner, *args):
        names.append(tuner.__name__)
        return measure(tuner, *args)

    monkeypatch.setattr(measuring, "measure", noted)
    return names


def keep(x_ptr, n, value, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), value, mask=tl.arange(0, BLOCK) < n)


def test_a_choice_is_kept(device, monkeypatch):
    names = measured(monkeypatch)
    x = zeros(device)
    first = tuned(keep, cache_results=True, rep=0)
    first[1](x, 10, 1.0)
    second = tuned(keep, cache_results=True, rep=0)
    second[1](x, 10, 1.0)
    assert names == ["keep"]
    assert second.configs_timings == first.configs_timings
    assert second.best_config == first.best_config
    assert second.bench_time is None
    for changed in (
        {"configs": [SMALL, Config({"BLOCK": 64}, num_warps=8)]},
        {"configs": [SMALL, Config({"BLOCK": 64}, num_warps=2, pre_hook=print)]},
        {"function": fill},
        {"do_bench": lambda call, quantiles: call() or 1.0},
    ):
        names.clear()
        tuned(**{"function": keep, "cache_results": True, "rep": 0, **changed})[1](x, 10, 1.0)
        assert len(names) == 1, changed
    names.clear()
    second[1](x, 20, 1.0)
    second[1](zeros(device, dtype=np.int32), 20, 1)
    tuned(keep, rep=0)[1](x, 10, 1.0)
    assert names == ["keep"] * 3


def test_a_choice_is_kept_for_the_arguments_that_configurations_give(device, monkeypatch):
    names = measured(monkeypatch)
    for value in (2.0, 3.0, 3.0):
        configs = [Config({"BLOCK": block, "value": value}) for block in (16, 64)]
        tuned(keep, configs=configs, cache_results=True, rep=0)[1](zeros(device), 10)
    assert names == ["keep"] * 2


def test_what_could_not_run_is_kept_too(device, monkeypatch):
    names = measured(monkeypatch)
    configs = [Config({"BLOCK": 48}), SMALL, LARGE]
    for _ in range(2):
        kernel = tuned(keep, configs, cache_results=True, rep=0)
        kernel[1](zeros(device), 10, 1.0)
        assert kernel.configs_timings[configs[0]] == [float("inf")] * 3
        assert kernel.left_out == {
            configs[0]: "a block's extent must be a power of two, got arange(0, 48) of 48"
        }
    assert names == ["keep"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: b"something else",
        lambda entry: entry[: len(entry) // 2],
        lambda entry: entry.replace(b"\t", b" "),
        lambda entry: entry + b"\n" + entry.splitlines()[-1],
        lambda entry: b"\n".join(
            [*entry.splitlines()[:-1], b"nan\tnan\tnan" + entry.splitlines()[-1][-8:]]
        ),
        lambda entry: b"",
    ],
)
def test_a_damaged_entry_is_measured_again(device, monkeypatch, damage):
    names, keys, get = measured(monkeypatch), [], _runtime.cache_get

    def damaged(key):
        entry = get(key)
        if entry is None or not entry.startswith(b"autotuning 1\n"):
            return entry
        keys.append(key)
        return damage(entry)

    for number in range(2):
        kernel = tuned(keep, cache_results=True, rep=0)
        kernel[1](zeros(device), 30 + number, 1.0)
        if number == 0:
            names.clear()
    monkeypatch.setattr(_runtime, "cache_get", damaged)
    kernel = tuned(keep, cache_results=True, rep=0)
    kernel[1](zeros(device), 30, 1.0)
    assert names[-1:] == ["keep"] and keys
    assert kernel.best_config in (SMALL, LARGE)


def test_what_cannot_be_kept_is_logged(device, caplog):
    caplog.set_level(logging.INFO, logger="eft")
    lock = threading.Lock()

    def bench(call, quantiles):
        with lock:
            return call() or 1.0

    kernel = tuned(keep, cache_results=True, do_bench=bench)
    kernel[1](zeros(device), 10, 1.0)
    said = [each.message for each in caplog.records if "not keeping the choice" in each.message]
    assert len(said) == 1
    assert said[0].startswith("not keeping the choice for keep in the cache: 'do_bench")
    assert "cannot pickle '_thread.lock' object" in said[0]


PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
import numpy as np, eft, eft.language as tl

assert "eft.tuning" not in sys.modules

@eft.autotune([eft.Config({"BLOCK": b}) for b in (16, 32, 64)], key=["n"])
@eft.heuristics({"EVEN": lambda given: given["n"] % given["BLOCK"] == 0})
@eft.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0, mask=tl.arange(0, BLOCK) < n)

assert not {"eft.tuning.choice", "eft.driver", "eft.triton"} & set(sys.modules)
kernel[1](np.zeros(64, np.float32), 64)
"""


def test_a_second_process_measures_nothing(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def logged() -> list[str]:
        command = [sys.executable, str(program)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert [line.split()[0] for line in logged()] == ["compiling"] * 3 + ["autotuned"]
    assert logged() == []
