# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The methods and attributes of an autotuned kernel that programs use, and its printed output."""

import pickle
import sys
import threading
import time

import eft
import eft.language as tl
import eft.testing
import pytest
from eft import Config, _runtime
from eft.errors import AutotunerError
from eft.tuning import Autotuner
from eft.tuning.progress import Progress
from tuned_kernels import LARGE, SMALL, Bench, fill, grid, trouble, tuned, zeros


def test_a_configuration_has_all_arguments_of_a_launch():
    config = Config({"M": 1, "N": 2})
    assert config.all_kwargs() == {"M": 1, "N": 2, "num_warps": 4, "num_ctas": 1, "num_stages": 3}
    config = Config({"M": 1}, num_warps=None, num_stages=2, num_ctas=None, maxnreg=64)
    assert list(config.all_kwargs().items()) == [("M", 1), ("num_stages", 2), ("maxnreg", 64)]
    assert Config({}, ir_override="x.ptx").all_kwargs()["ir_override"] == "x.ptx"


def test_a_configuration_prints_its_fields():
    config = Config({"M": 1, "N": "two"}, num_warps=8, num_stages=2, num_ctas=1, maxnreg=64)
    text = "M: 1, N: two, num_warps: 8, num_ctas: 1, num_stages: 2, maxnreg: 64"
    assert str(config) == text
    assert repr(config) == f"<Config {text}>"


def test_configurations_are_equal_if_their_fields_are():
    assert Config({"M": 1}) == Config({"M": 1}) != Config({"M": 2})
    assert hash(Config({"M": 1})) == hash(Config({"M": 1}))
    others = [Config({"M": 1}, pre_hook=print), Config({"M": 1}, num_warps=8), ("M", 1)]
    assert all(Config({"M": 1}) != other for other in others)
    assert pickle.loads(pickle.dumps(SMALL)) == SMALL


def test_run_and_warmup(device):
    kernel = tuned(do_bench=Bench(1.0, 2.0))
    x = zeros(device)
    compiled = kernel.warmup(x, 100, 1.0, grid=(1,))
    assert [each.metadata.num_warps for each in compiled] == [4, 2]
    assert len(kernel.run(x, 100, 1.0, grid=(1,), warmup=True)) == 2
    assert (kernel.cache, device.get(x).any()) == ({}, False)
    assert kernel.run(x, 100, 1.0, grid=grid).metadata.num_warps == 4
    assert device.get(x).tolist() == [1.0] * 100


def test_a_warmup_through_heuristics_has_its_grid():
    grids = []

    def prune(configs, arguments, **kwargs):
        grids.append(kwargs["grid"])
        return configs

    kernel = tuned(prune_configs_by={"early_config_prune": prune})
    eft.heuristics({"value": lambda args: 1.0})(kernel).warmup(tl.float32, 100, grid=(7,))
    assert grids == [(7,)]


def test_warmup_without_arrays():
    kernel = tuned(configs=[SMALL, Config({"BLOCK": 100})])
    (compiled,) = kernel.warmup(eft.MockTensor(tl.float32), 100, 1.0, target="sm_90")
    assert "st.global" in compiled.asm["ptx"]
    kernel = tuned(configs=[Config({"BLOCK": 10}), Config({"BLOCK": 100})])
    with pytest.raises(AutotunerError, match="^none of the 2 configurations of 'fill' can run:\n"):
        kernel.warmup(eft.MockTensor(tl.float32), 100, 1.0, target="sm_90")


def test_a_subclass_may_run_in_its_own_way(device):
    class Own(Autotuner):
        def run(self, *args, grid, warmup, **kwargs):
            self.nargs = dict(zip(self.arg_names, args, strict=False))
            (config,) = self.prune_configs(kwargs)[1:]
            return self.fn[grid](*args, **kwargs, **config.all_kwargs())

    kernel = Own(eft.jit(fill), None, [SMALL, LARGE], ["n"], None, None)
    assert kernel[grid](zeros(device), 100, 1.0).metadata.num_warps == 2


def test_a_subclass_may_choose_in_its_own_way(device):
    class Own(Autotuner):
        def run(self, *args, **kwargs):
            self.nargs = dict(zip(self.arg_names, args, strict=False))
            times = [self._bench(*args, config=each, **kwargs) for each in self.configs]
            self.times = times
            config = self.configs[times.index(min(times))]
            kwargs.pop("warmup")
            return self.fn[kwargs.pop("grid")](*args, **kwargs, **config.all_kwargs())

    configs = [Config({"BLOCK": 10}), LARGE]
    kernel = Own(eft.jit(fill), ["x_ptr", "n", "value", "BLOCK"], configs, ["n"], [], [])
    x = zeros(device)
    kernel[grid](x, 100, 3.0)
    assert device.get(x).tolist() == [3.0] * 100
    assert kernel.times[0] == [float("inf")] * 3 and 0 < kernel.times[1][0] < 1e6
    assert kernel.do_bench is eft.testing.do_bench
    bench = Bench(1.0)
    assert tuned(do_bench=bench).do_bench is bench


def test_what_measures_may_be_set(device):
    kernel = tuned(cache_results=False)
    kernel.do_bench = bench = Bench(2.0, 1.0)
    kernel[grid](zeros(device), 100, 3.0)
    assert kernel.best_config == LARGE and kernel.do_bench is bench


@eft.autotune([SMALL], [])
@eft.jit
def picked(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr, BLOCK)


def test_an_autotuned_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(picked)) is picked
    assert repr(picked) == f"<Autotuner of <eft kernel {__name__}.picked>>"


def test_two_threads_choose_once(device):
    begun, bench = threading.Event(), Bench(1.0, 2.0)

    def slow(call, quantiles):
        begun.set()
        time.sleep(0.1)
        return bench(call, quantiles)

    kernel = tuned(do_bench=slow)
    arrays = [zeros(device), zeros(device)]
    first, second = (threading.Thread(target=lambda x=x: kernel[grid](x, 100, 3.0)) for x in arrays)
    first.start()
    begun.wait()
    second.start()
    first.join()
    second.join()
    assert bench.calls == 2
    assert all(device.get(x).tolist() == [3.0] * 100 for x in arrays)


def test_all_candidates_are_compiled_by_threads(device, monkeypatch):
    monkeypatch.setattr(_runtime, "host_threads", lambda: 3)
    together, threads = threading.Barrier(3), set()

    class Kernel(eft.JITFunction):
        def warmup(self, *args, **kwargs):
            together.wait(60)
            threads.add(threading.get_ident())
            return super().warmup(*args, **kwargs)

    configs = [Config({"BLOCK": b}) for b in (16, 32, 64)]
    kernel = eft.autotune(configs, ["n"], cache_results=False, rep=0)(Kernel(fill))
    kernel[grid](zeros(device), 100, 1.0)
    assert len(threads) == 3


def test_a_graph_is_no_matter_on_a_cpu(host):
    kernel = tuned(use_cuda_graph=True, rep=0)
    x = zeros(host)
    kernel[grid](x, 100, 3.0)
    assert x.tolist() == [3.0] * 100


@pytest.mark.parametrize("name", ["EFT_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING"])
def test_a_choice_is_printed_if_that_is_wanted(device, monkeypatch, capsys, name):
    kernel = tuned(configs=[Config({"BLOCK": 10}), SMALL, LARGE], do_bench=Bench(1.0, 2.0))
    monkeypatch.setenv(name, "0")
    kernel[grid](zeros(device), 50, 1.0)
    assert capsys.readouterr().out == ""
    monkeypatch.setenv(name, "1")
    kernel[grid](zeros(device), 100, 1.0)
    kernel[grid](zeros(device), 100, 1.0)
    left_out, first, key, seconds, best = capsys.readouterr().out.splitlines()
    assert left_out.startswith("left out BLOCK: 10, ")
    assert first == "Eft autotuning for function fill,"
    assert key == f"with key as {list(kernel.cache)[-1]},"
    assert seconds.startswith("finished after ") and seconds.endswith("s,")
    assert best == f"best config selected: {SMALL};"


def test_progress_is_shown_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("eft.tuning.progress._SECONDS_BEFORE", 0)
    monkeypatch.setattr("eft.tuning.progress._SECONDS_BETWEEN", 0)
    with Progress("fill", 4) as progress:
        progress.compiled(1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Progress("fill", 4) as progress:
        progress.compiled(1)
        progress.measured(0.5, 3)
    lines = capsys.readouterr().err.split("\r")
    assert lines[1] == "autotuning fill [#####...............] compiled 1 of 4"
    assert lines[2].rstrip() == "autotuning fill [##########..........] measuring 3 of 4"
    assert lines[3].strip() == "" and lines[4] == ""


def test_autotuned_kernels_and_heuristics_are_kernel_interfaces():
    heuristics = eft.heuristics({"BLOCK": lambda given: 16})(eft.jit(fill))
    assert isinstance(tuned(), eft.KernelInterface)
    assert isinstance(heuristics, eft.KernelInterface)
    compiled = heuristics.warmup(eft.MockTensor(tl.float32), 100, 1.0, grid=(1,), target="sm_90")
    assert "st.global" in compiled.asm["ptx"]


def test_hooks_of_the_kernel_are_called_before_each_run(device):
    calls = []
    kernel = tuned(do_bench=Bench(1.0, 2.0))
    kernel.fn.add_pre_run_hook(lambda x_ptr, n, value, **given: calls.append(given["BLOCK"]))
    kernel[grid](zeros(device), 100, 1.0)
    assert calls == [16, 64, 16]
    by_heuristics = eft.heuristics({"BLOCK": lambda given: 32})(kernel.fn)
    by_heuristics[grid](zeros(device), 100, 1.0)
    assert calls[3:] == [32]


def test_a_kernel_with_a_method_run_of_its_own_is_tuned_by_it(device):
    class Own(eft.JITFunction):
        def run(self, *args, grid, warmup, **kwargs):
            runs.append(kwargs["BLOCK"])
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)

    runs = []
    kernel = eft.autotune([SMALL, LARGE], ["n"], do_bench=Bench(2.0, 1.0), cache_results=False)(
        Own(fill)
    )
    kernel[grid](zeros(device), 100, 1.0)
    assert runs == [16, 64, 64]


def test_a_choice_that_a_program_puts_into_the_cache_needs_no_device(device):
    class Own(Autotuner):
        """An autotuner that puts a choice into `cache`, under the key that Triton uses."""

        def run(self, *args, **kwargs):
            named = dict(zip(self.arg_names, args, strict=False)) | kwargs
            key = tuple(named[name] for name in self.keys) + (str(named["x_ptr"].dtype),)
            self.cache[key] = LARGE
            return super().run(*args, **kwargs)

    kernel = Own(eft.jit(fill), None, [SMALL, LARGE], ["n"], None, None, do_bench=trouble)
    for _ in range(2):
        assert kernel[grid](zeros(device), 100, 1.0).metadata.num_warps == 2
    assert len(kernel.cache) == 1


def test_pruning_under_the_names_that_pytorch_has():
    pruning = {"perf_model": None, "early_config_prune": None, "configs_top_k": 0.5}
    assert tuned(prune_configs_by=pruning).configs_top_k == 0.5
