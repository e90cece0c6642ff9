# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning: which configuration a launch gets, what is measured for it and when, and what is kept
of that."""

import array
import logging
import pickle
import subprocess
import sys
import threading
import time

import eft
import eft.language as tl
import eft.testing
import numpy as np
import pytest
from eft import Config, _runtime
from eft.errors import AutotunerError
from eft.triton.runtime.jit import reinterpret
from eft.tuning import Autotuner, measuring
from eft.tuning.autotuner import _Plan
from eft.tuning.progress import Progress
from pytorch import module, needs_torch

torch = module("torch")


def fill(x_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, value, mask=offsets < n)


def add(x_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + value, mask=offsets < n)


def grid(meta):
    return (eft.cdiv(meta["n"], meta["BLOCK"]),)


SMALL, LARGE = Config({"BLOCK": 16}), Config({"BLOCK": 64}, num_warps=2)


class Bench:
    """A `do_bench` that gives the candidates of a choice these times, in order; again and again."""

    def __init__(self, *times):
        self.times = times
        self.calls = 0

    def __call__(self, call, quantiles):
        assert quantiles == (0.5, 0.2, 0.8)
        call()
        self.calls += 1
        return [self.times[(self.calls - 1) % len(self.times)]] * 3


def tuned(function=fill, configs=(SMALL, LARGE), key=("n",), **options):
    """An autotuned kernel; nothing is kept on the disk unless that is asked for."""
    options.setdefault("cache_results", False)
    return eft.autotune(list(configs), key, **options)(eft.jit(function))


def zeros(device, size=100, dtype=np.float32):
    return device.put(np.zeros(size, dtype))


# -- configurations --------------------------------------------------------------------------------


def test_a_configuration_has_all_arguments_of_a_launch():
    config = Config({"M": 1, "N": 2})
    assert config.all_kwargs() == {"M": 1, "N": 2, "num_warps": 4, "num_ctas": 1, "num_stages": 3}
    config = Config({"M": 1}, num_warps=None, num_stages=2, num_ctas=None, maxnreg=64)
    assert list(config.all_kwargs().items()) == [("M", 1), ("num_stages", 2), ("maxnreg", 64)]
    assert Config({}, ir_override="x.ptx").all_kwargs()["ir_override"] == "x.ptx"


def test_a_configuration_prints_its_fields():
    config = Config({"M": 1, "N": "two"}, num_warps=8, num_stages=2, num_ctas=1, maxnreg=64)
    text = "M: 1, N: two, num_warps: 8, num_ctas: 1, num_stages: 2, maxnreg: 64, ir_override: None"
    assert str(config) == text
    assert repr(config) == f"<Config {text}>"


def test_configurations_are_equal_if_their_fields_are():
    assert Config({"M": 1}) == Config({"M": 1}) != Config({"M": 2})
    assert hash(Config({"M": 1})) == hash(Config({"M": 1}))
    others = [Config({"M": 1}, pre_hook=print), Config({"M": 1}, num_warps=8), ("M", 1)]
    assert all(Config({"M": 1}) != other for other in others)
    assert pickle.loads(pickle.dumps(SMALL)) == SMALL


def test_a_configuration_without_a_dict():
    with pytest.raises(TypeError) as raised:
        Config(["M"])
    assert str(raised.value) == (
        "a configuration's kwargs must be a dict of meta-parameters, got ['M']"
    )


# -- choices ---------------------------------------------------------------------------------------


def test_the_fastest_is_chosen_and_its_grid_is_used(device):
    grids = []

    def noted(meta):
        grids.append(meta["BLOCK"])
        return grid(meta)

    kernel = tuned(do_bench=Bench(2.0, 1.0))
    x = zeros(device)
    compiled = kernel[noted](x, 100, 3.0)
    assert device.get(x).tolist() == [3.0] * 100
    assert grids == [16, 64, 64]
    assert compiled.metadata.num_warps == 2
    assert kernel.best_config == LARGE
    assert kernel.configs_timings == {SMALL: [2.0] * 3, LARGE: [1.0] * 3}
    assert kernel.nargs is None


def test_measuring_finds_the_fastest(device):
    @eft.autotune([Config({"TIMES": 200000}), Config({"TIMES": 1})], ["n"], cache_results=False)
    @eft.jit
    def kernel(x_ptr, n, TIMES: tl.constexpr):
        x = tl.load(x_ptr + tl.arange(0, 64))
        for _ in range(TIMES * n):
            x = x * 0.5 + 1.0
        tl.store(x_ptr + tl.arange(0, 64), x)

    kernel[1](zeros(device, 64), 3)
    assert kernel.best_config.kwargs == {"TIMES": 1}
    slow, fast = kernel.configs_timings.values()
    assert 0 < fast[1] <= fast[0] <= fast[2]
    assert slow[0] > 2 * fast[0]
    assert kernel.bench_time > 0


def test_candidates_are_measured_in_turn(device):
    order = []
    configs = [Config({"BLOCK": b}, pre_hook=lambda _, b=b: order.append(b)) for b in (16, 32)]
    kernel = tuned(configs=configs, warmup=0, rep=0)
    kernel[grid](zeros(device), 100, 1.0)
    # One run that finds the memory, two rounds to warm up, five to measure, and the call's own.
    # Either may be dropped on the way.
    assert order[:5] == [16, 16, 32, 16, 32]
    rounds = order[5:-1]
    both = rounds[: 2 * min(rounds.count(16), rounds.count(32))]
    assert both == [16, 32] * (len(both) // 2)
    assert max(rounds.count(16), rounds.count(32)) == 5
    assert order[-1] == kernel.best_config.kwargs["BLOCK"]


def test_the_same_code_is_measured_once(device):
    launches = []

    class Kernel(eft.JITFunction):
        def __getitem__(self, grid):
            launch = super().__getitem__(grid)
            return lambda *args, **kwargs: (
                launches.append(kwargs["num_stages"]) or launch(*args, **kwargs)
            )

    configs = [Config({"BLOCK": 16}, num_stages=stages) for stages in (1, 2, 3)]
    kernel = eft.autotune(configs, ["n"], rep=0, warmup=0, cache_results=False)(Kernel(fill))
    kernel[grid](zeros(device), 100, 1.0)
    assert set(launches) == {1}
    times = list(kernel.configs_timings.values())
    assert times == times[:1] * 3 and 0 < times[0][0] < 1e6
    assert kernel.best_config == configs[0]


def test_the_same_code_is_measured_for_each_argument_that_a_configuration_gives(device):
    launches = []

    class Kernel(eft.JITFunction):
        def __getitem__(self, grid):
            launch = super().__getitem__(grid)
            return lambda *args, **kwargs: (
                launches.append(kwargs["value"]) or launch(*args, **kwargs)
            )

    configs = [Config({"BLOCK": 16, "value": value}) for value in (2.0, 3.0)]
    kernel = eft.autotune(configs, ["n"], rep=0, warmup=0, cache_results=False)(Kernel(fill))
    kernel[grid](zeros(device), 100)
    assert set(launches) == {2.0, 3.0}


def test_a_choice_is_made_for_each_key_and_type(device):
    bench = Bench(1.0, 2.0)
    kernel = tuned(do_bench=bench)
    x, y = zeros(device), zeros(device, dtype=np.int32)
    where = "cpu" if device.name == "cpu" else "cuda:0"
    prefix = "" if device.name == "cpu" else "torch."
    for call, choices in (
        (lambda: kernel[grid](x, 100, 1.0), 1),
        (lambda: kernel[grid](x, 100, 2.0), 1),  # no part of the key
        (lambda: kernel[grid](x, n=100, value=2), 1),  # by name, and of another type
        (lambda: kernel[grid](x, 50, 1.0), 2),
        (lambda: kernel[grid](y, 50, 1), 3),
        (lambda: kernel[grid](x, 100, 1.0), 3),
    ):
        call()
        assert len(kernel.cache) == choices
        assert bench.calls == 2 * choices
    assert list(kernel.cache)[-1] == (50, f"{prefix}int32", where)
    assert set(kernel.cache.values()) == {SMALL}


def test_a_key_that_a_call_leaves_to_its_default(device):
    def kernel(x_ptr, n=100, value=1.0, BLOCK: tl.constexpr = 16):
        tl.store(x_ptr + tl.arange(0, BLOCK), value + n)

    kernel = tuned(kernel, do_bench=Bench(1.0, 2.0))
    x = zeros(device)
    kernel[1](x)
    kernel[1](x, 100)
    assert [len(key) for key in kernel.cache] == [2, 3]


def test_arrays_count_by_their_types_alone(device):
    kernel = tuned(key=["x_ptr", "n"], do_bench=Bench(1.0, 2.0))
    kernel[grid](zeros(device), np.int64(100), 1.0)
    kernel[grid](zeros(device), 100, 1.0)
    assert [key[0] for key in kernel.cache] == [100, 100]
    assert len(kernel.cache) == 2  # NumPy's numbers have a dtype, too


def test_arrays_behind_a_number_of_numpy_count_by_their_device():
    class Tensor:
        dtype, is_cuda = "float32", True

        def __init__(self, device):
            self.device = device

        def data_ptr(self):
            return 0

    calls = [(np.float32(1), Tensor(device)) for device in ("cuda:0", "cuda:1")]
    plan = _Plan(tuned(lambda value, x_ptr: None, key=[]), calls[0], {})
    first, second = (plan.facts(args, {}) for args in calls)
    assert first != second


def test_arrays_without_a_dtype_count_by_their_format():
    kernel = tuned(key=[], do_bench=Bench(1.0, 2.0))
    for x in (array.array("f", [0] * 8), array.array("i", [0] * 8), memoryview(bytearray(8))):
        kernel[grid](x, 8, 1)
    if _runtime.device_count() == 0:
        assert list(kernel.cache) == [("f", "cpu"), ("i", "cpu"), ("B", "cpu")]


def test_what_is_done_to_the_cache_counts(device):
    bench = Bench(1.0, 2.0)
    kernel = tuned(do_bench=bench)
    x = zeros(device)
    kernel[grid](x, 100, 1.0)
    kernel.cache.clear()
    kernel[grid](x, 100, 1.0)
    assert bench.calls == 4
    (key,) = kernel.cache
    kernel.cache[key] = LARGE
    kernel[grid](x, 100, 1.0)
    assert kernel.best_config == LARGE
    kernel.configs = [SMALL]
    kernel[grid](x, 100, 1.0)
    assert (kernel.best_config, bench.calls) == (SMALL, 4)


def test_one_configuration_is_not_measured(device):
    kernel = tuned(configs=[LARGE], do_bench=None)
    x = zeros(device)
    assert kernel[grid](x, 100, 3.0).metadata.num_warps == 2
    assert (kernel.cache, kernel.configs_timings) == ({}, {})
    assert kernel.best_config == LARGE
    assert device.get(x).tolist() == [3.0] * 100


def test_no_configuration_is_one_without_meta_parameters(device):
    kernel = tuned(configs=[])
    assert kernel.configs == [Config({}, num_warps=4, num_stages=3, num_ctas=1)]
    x = zeros(device)
    kernel[7](x, 100, 3.0, BLOCK=16)
    assert device.get(x).tolist() == [3.0] * 100


def test_a_do_bench_may_return_one_number(device):
    kernel = tuned(do_bench=lambda call, quantiles: call() or 1.5)
    kernel[grid](zeros(device), 100, 1.0)
    assert kernel.configs_timings == {SMALL: [1.5] * 3, LARGE: [1.5] * 3}
    assert kernel.best_config == SMALL  # the first of equal ones


# -- pruning ---------------------------------------------------------------------------------------


def test_early_pruning_sees_the_arguments(device):
    seen = []

    def prune(configs, named_args, **kwargs):
        seen.append((configs, named_args["n"], kwargs["value"], kwargs["grid"]))
        return configs[1:]

    kernel = tuned(prune_configs_by={"early_config_prune": prune})
    kernel[grid](zeros(device), 100, value=1.0)
    kernel[grid](zeros(device), 100, value=1.0)
    assert seen == [([SMALL, LARGE], 100, 1.0, grid)]
    assert kernel.best_config == LARGE


@pytest.mark.parametrize("nothing", [[], None])
def test_early_pruning_that_leaves_none(device, nothing):
    kernel = tuned(prune_configs_by={"early_config_prune": lambda configs, named, **_: nothing})
    with pytest.raises(AutotunerError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        "No valid autotuner configs after pruning: early_config_prune of 'fill' must return at "
        "least one of 2"
    )
    assert kernel.nargs is None


@pytest.mark.parametrize("top_k, left", [(1, 1), (2, 2), (0.5, 2), (0.1, 1), (1.0, 4)])
def test_a_model_keeps_the_best(device, top_k, left):
    def model(x_ptr, n, value, BLOCK, num_warps, **kwargs):
        assert (n, value, num_warps, kwargs["num_stages"]) == (100, 1.0, 4, 3)
        return -BLOCK

    bench = Bench(*range(9, 0, -1))
    configs = [Config({"BLOCK": 16 << number}) for number in range(4)]
    kernel = tuned(
        configs=configs, prune_configs_by={"perf_model": model, "top_k": top_k}, do_bench=bench
    )
    kernel[grid](zeros(device), 100, 1.0)
    assert bench.calls == (left if left > 1 else 0)
    if left > 1:
        assert {each.kwargs["BLOCK"] for each in kernel.configs_timings} == {
            each.kwargs["BLOCK"] for each in configs[4 - left :]
        }


@pytest.mark.parametrize("top_k", [1.5, "2", 0])
def test_a_number_to_keep_that_is_none(device, top_k):
    kernel = tuned(prune_configs_by={"perf_model": lambda **_: 1, "top_k": top_k})
    with pytest.raises(TypeError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        f"top_k must be a float of at most 1.0 or a positive int, got {top_k!r}"
    )


# -- arrays and hooks ------------------------------------------------------------------------------


def test_values_are_restored_before_each_run_and_the_call(device):
    kernel = tuned(add, restore_value=["x_ptr"], rep=0, warmup=0)
    x = device.put(np.arange(100, dtype=np.float32))
    kernel[grid](x, 100, 1.0)
    assert device.get(x).tolist() == list(range(1, 101))
    assert kernel.restore_copies == {}


def test_arrays_are_zeroed_before_each_run_and_the_call(device):
    kernel = tuned(add, reset_to_zero=["x_ptr"], rep=0, warmup=0)
    x = device.put(np.full(100, 7, np.float32))
    kernel[grid](x, 100, 1.0)
    assert device.get(x).tolist() == [1.0] * 100
    kernel[grid](x, 100, 1.0)  # no choice, no zeroes
    assert device.get(x).tolist() == [2.0] * 100


def test_arrays_that_are_not_given_are_not_restored(device):
    def kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
        tl.store(x_ptr, BLOCK)

    kernel = tuned(kernel, key=[], restore_value=["y_ptr"], reset_to_zero=["y_ptr"], rep=0)
    kernel[1](zeros(device), None)
    assert kernel.best_config in (SMALL, LARGE)


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
@pytest.mark.parametrize("kind", [bytearray, lambda data: memoryview(bytearray(data)), None])
def test_arrays_of_python_are_restored(option, kind):
    if _runtime.device_count() > 0:
        pytest.skip("these arrays are the host's")
    x = array.array("i", [7] * 4) if kind is None else kind(bytes([7] * 4))
    kernel = tuned(
        add, configs=[Config({"BLOCK": b}) for b in (4, 8)], rep=0, **{option: ["x_ptr"]}
    )
    kernel[grid](x, 4, 1)
    assert list(x) == [8 if option == "restore_value" else 1] * 4


@needs_torch
@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_tensors_of_pytorch_are_restored(option):
    kernel = tuned(add, rep=0, **{option: ["x_ptr"]})
    x = torch.full((100,), 7.0, requires_grad=True)
    kernel[grid](x, 100, 1.0)
    assert x.tolist() == [8.0 if option == "restore_value" else 1.0] * 100
    assert list(kernel.cache) == [(100, "torch.float32", "cpu")]


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_reinterpreted_arrays_are_restored(device, option):
    x = device.put(np.full(100, 7, np.float32).view(np.int32))
    kernel = tuned(add, rep=0, **{option: ["x_ptr"]})
    kernel[grid](reinterpret(x, tl.float32), 100, 1.0)
    expected = np.full(100, 8 if option == "restore_value" else 1, np.float32)
    np.testing.assert_array_equal(device.get(x).view(np.float32), expected)


def test_hooks_are_called_around_each_run(device):
    calls = []
    kernel = tuned(
        do_bench=Bench(1.0, 2.0),
        pre_hook=lambda given, reset_only=False: calls.append((given["BLOCK"], reset_only)),
        post_hook=lambda given, exception: calls.append((given["n"], exception)),
    )
    kernel[grid](zeros(device), 100, 1.0)
    assert calls == [(16, False), (100, None), (64, False), (100, None), (16, True)]
    kernel[grid](zeros(device), 100, 1.0)
    assert len(calls) == 5
    assert kernel.user_defined_pre_hook and kernel.user_defined_post_hook
    assert not tuned().user_defined_pre_hook


def test_the_hook_of_a_configuration_is_called_at_each_launch(device):
    given = []
    kernel = tuned(configs=[Config({"BLOCK": 64}, pre_hook=given.append), SMALL], rep=0)
    kernel.prune_configs = lambda kwargs: kernel.configs[:1]
    x = zeros(device)
    for value in (1.0, 2.0):
        kernel[grid](x, 100, value=value)
    assert [sorted(each) for each in given] == [
        ["BLOCK", "n", "num_ctas", "num_stages", "num_warps", "value", "x_ptr"]
    ] * 2
    assert given[1]["x_ptr"] is x and given[1]["value"] == 2.0


class Trouble(Exception):
    pass


def trouble(*args, **kwargs):
    raise Trouble("of the user's")


@pytest.mark.parametrize(
    "options",
    [
        {"pre_hook": trouble},
        {"post_hook": trouble},
        {"configs": [SMALL, Config({"BLOCK": 64}, pre_hook=trouble)]},
        {"do_bench": trouble},
        {"prune_configs_by": {"early_config_prune": trouble}},
        {"prune_configs_by": {"perf_model": trouble, "top_k": 1}},
    ],
    ids=["pre_hook", "post_hook", "config", "do_bench", "early_config_prune", "perf_model"],
)
def test_exceptions_of_the_users_functions_go_on(device, options):
    kernel = tuned(**options)
    for _ in range(2):
        with pytest.raises(Trouble, match="^of the user's$"):
            kernel[grid](zeros(device), 100, 1.0)
    assert (kernel.cache, kernel.nargs) == ({}, None)


def test_an_exception_of_the_grid_goes_on_after_the_hook(device):
    seen = []
    kernel = tuned(post_hook=lambda given, exception: seen.append(exception))
    with pytest.raises(ValueError, match="^of the grid") as raised:
        kernel[lambda meta: (_ for _ in ()).throw(ValueError("of the grid"))](
            zeros(device), 100, 1.0
        )
    assert seen == [raised.value]


def test_an_exception_of_a_hook_restores_the_arrays(device):
    calls = []

    def hook(given):
        calls.append(given["BLOCK"])
        if len(calls) == 4:
            raise ValueError("of the hook")

    configs = [Config({"BLOCK": b}, pre_hook=hook) for b in (16, 64)]
    kernel = tuned(add, configs, restore_value=["x_ptr"])
    x = zeros(device)
    with pytest.raises(ValueError, match="^of the hook$"):
        kernel[grid](x, 100, 1.0)
    assert not device.get(x).any()
    assert kernel.cache == {}


# -- what can't run --------------------------------------------------------------------------------


def test_a_configuration_that_cannot_be_compiled_is_left_out(device, caplog):
    caplog.set_level(logging.INFO, logger="eft")
    kernel = tuned(configs=[Config({"BLOCK": 100}), LARGE, SMALL])
    x = zeros(device)
    kernel[grid](x, 100, 3.0)
    assert device.get(x).tolist() == [3.0] * 100
    left_out, *others = kernel.configs_timings.values()
    assert left_out == [float("inf")] * 3 and all(0 < each[0] < 1e6 for each in others)
    reason = "a block's extent must be a power of two, got arange(0, 100) of 100"
    assert kernel.left_out == {kernel.configs[0]: reason}
    messages = [each.message for each in caplog.records if "autotun" in each.message]
    assert messages[0] == (
        "autotuning fill left out BLOCK: 100, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: "
        f"None, ir_override: None: {reason}"
    )
    assert messages[1].startswith("autotuned fill for (100, ")
    assert messages[1].endswith(f" s: of 3 configurations {kernel.best_config}")


def test_a_configuration_that_cannot_be_launched_is_left_out(device):
    kernel = tuned(configs=[SMALL, LARGE])
    kernel[lambda meta: (2**31 if meta["BLOCK"] == 16 else 2,)](zeros(device), 100, 3.0)
    assert kernel.best_config == LARGE
    assert "has 2147483648 programs in x, expected 0 to" in kernel.left_out[SMALL]


def test_if_none_can_run_each_reason_is_listed(device):
    kernel = tuned(configs=[Config({"BLOCK": 100}), Config({"BLOCK": 10})])
    with pytest.raises(AutotunerError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    options = "num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None, ir_override: None"
    assert str(raised.value) == (
        "none of the 2 configurations of 'fill' can run:\n"
        f"  BLOCK: 100, {options}: a block's extent must be a power of two, got arange(0, 100) of "
        "100\n"
        f"  BLOCK: 10, {options}: a block's extent must be a power of two, got arange(0, 10) of 10"
    )


def test_a_mistake_of_the_kernel_is_its_own(device):
    def kernel(x_ptr, n, BLOCK: tl.constexpr):
        tl.store(x_ptr, undefined)  # noqa: F821

    kernel = tuned(kernel)
    with pytest.raises(eft.CompilationError) as raised:
        kernel[grid](zeros(device), 100)
    assert raised.value.message.startswith("'undefined' is not defined")


def test_arguments_that_do_not_fit_are_an_error_before_anything_runs(device):
    kernel = tuned(pre_hook=trouble)
    with pytest.raises(TypeError) as raised:
        kernel[grid](zeros(device), 100)
    assert str(raised.value) == "fill() missing 1 required positional argument: 'value'"
    for wrong, text in (
        (Config({"BLOCK": 16, "BLOK": 1}), "fill() got an unexpected keyword argument 'BLOK'"),
        (Config({"BLOCK": 16}, num_warps=3), "kernel 'fill': option 'num_warps' must be a power"),
    ):
        for configs in ([wrong, LARGE], [LARGE, wrong]):
            with pytest.raises(TypeError) as raised:
                tuned(configs=configs, pre_hook=trouble)[grid](zeros(device), 100, 1.0)
            assert str(raised.value).startswith(text)


def test_while_a_graph_is_captured_nothing_is_measured(device, monkeypatch):
    kernel = tuned()
    x = zeros(device)
    place = eft.JITFunction.place
    monkeypatch.setattr(
        eft.JITFunction, "place", lambda *args, **kwargs: (place(*args, **kwargs)[0], True)
    )
    with pytest.raises(AutotunerError) as raised:
        kernel[grid](x, 100, 1.0)
    key = "(100, float32, cpu)" if device.name == "cpu" else "(100, torch.float32, cuda:0)"
    assert str(raised.value) == (
        f"'fill' has no configuration yet for {key}, and can't be measured while a CUDA graph is "
        "being captured: run it once before"
    )
    monkeypatch.undo()
    kernel[grid](x, 100, 1.0)
    monkeypatch.setattr(eft.JITFunction, "place", trouble)
    kernel[grid](x, 100, 1.0)  # the choice is known


# -- wrong options ---------------------------------------------------------------------------------


WRONG = {
    "key": (
        {"key": ["m", "blok"]},
        ValueError,
        "key contains names that are not kernel arguments: m, blok; expected some of x_ptr, n, "
        "value, BLOCK",
    ),
    "reset_to_zero": (
        {"reset_to_zero": ["x_prt"]},
        ValueError,
        "reset_to_zero contains names that are not kernel arguments: x_prt: did you mean 'x_ptr'?; "
        "expected some of x_ptr, n, value, BLOCK",
    ),
    "restore_value": (
        {"restore_value": "x_ptr"},
        TypeError,
        "restore_value must be a list of the names of arguments, got 'x_ptr'",
    ),
    "configs": (
        {"configs": [SMALL, {"BLOCK": 16}]},
        TypeError,
        "configs[1] must be an eft.Config, got {'BLOCK': 16}",
    ),
    "a number as the key": (
        {"key": [1]},
        TypeError,
        "key must be a list of the names of arguments, got [1]",
    ),
    "a number in place of names": (
        {"reset_to_zero": 1},
        TypeError,
        "reset_to_zero must be a list of the names of arguments, got 1",
    ),
    "a function in place of prune_configs_by": (
        {"prune_configs_by": len},
        TypeError,
        "prune_configs_by must be a dict, got <built-in function len>",
    ),
    "prune_configs_by": (
        {"prune_configs_by": {"topk": 1}},
        ValueError,
        "prune_configs_by takes early_config_prune, perf_model and top_k, got 'topk'",
    ),
}


@pytest.mark.parametrize("options, kind, text", WRONG.values(), ids=WRONG)
def test_a_wrong_option(options, kind, text):
    with pytest.raises(kind) as raised:
        tuned(**options)
    assert str(raised.value) == text


def test_one_configuration_in_place_of_a_list():
    with pytest.raises(TypeError) as raised:
        eft.autotune(SMALL, ["n"])(eft.jit(fill))
    assert str(raised.value) == f"configs must be a list of eft.Config, got {SMALL!r}"


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_a_number_cannot_be_restored(device, option):
    with pytest.raises(TypeError) as raised:
        tuned(**{option: ["n"]})[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == f"{option} takes arrays, got n=100 for 'fill'"


def test_what_a_call_and_the_configurations_both_give(device):
    kernel = tuned()
    for call, name in (
        (lambda x: kernel[grid](x, 100, 1.0, BLOCK=16), "BLOCK"),
        (lambda x: kernel[grid](x, 100, 1.0, 16), "BLOCK"),
        (lambda x: kernel[grid](x, 100, 1.0, num_warps=8), "num_warps"),
    ):
        with pytest.raises(ValueError) as raised:
            call(zeros(device))
        assert str(raised.value) == (
            f"Conflicting meta-parameters: {name}. Both the call of 'fill' and its configurations "
            "give them; leave it to one"
        )


def test_a_configuration_with_code_of_its_own(device):
    kernel = tuned(configs=[SMALL, Config({"BLOCK": 64}, ir_override="fill.ptx")])
    with pytest.raises(NotImplementedError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        "a configuration of 'fill' has ir_override='fill.ptx': Eft compiles kernels from their "
        "source only"
    )


def test_something_that_is_no_kernel():
    with pytest.raises(TypeError) as raised:
        eft.autotune([SMALL], [])(3)
    assert str(raised.value) == "expected a kernel, or a function that will be one, got 3"
    with pytest.raises(TypeError) as raised:
        eft.autotune([SMALL], [])(fill)[1](np.zeros(1))
    assert str(raised.value) == (
        "fill() is no kernel yet: put @eft.jit above or below the decorators that are there"
    )
    with pytest.raises(RuntimeError) as raised:
        tuned()()
    assert str(raised.value) == "fill() runs on a grid: call fill[grid](...)"


# -- heuristics and the order of decorators --------------------------------------------------------


def even(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + offsets, 1.0)
    else:
        tl.store(x_ptr + offsets, 2.0, mask=offsets < n)


is_even = eft.heuristics({"EVEN": lambda given: given["n"] % given.get("BLOCK", 64) == 0})
by_block = eft.autotune([SMALL, LARGE], ["n"], do_bench=Bench(2.0, 1.0), cache_results=False)
ORDERS = {
    "autotune heuristics jit": (by_block, is_even, eft.jit),
    "heuristics autotune jit": (is_even, by_block, eft.jit),
    "jit autotune heuristics": (eft.jit, by_block, is_even),
    "autotune jit heuristics": (by_block, eft.jit(debug=False), is_even),
    "heuristics jit autotune": (is_even, eft.jit, by_block),
}


@pytest.mark.parametrize("decorators", ORDERS.values(), ids=ORDERS)
def test_decorators_in_any_order(device, decorators):
    kernel = even
    for decorator in reversed(decorators):
        kernel = decorator(kernel)
    for n, written in ((128, [1.0] * 128), (100, [2.0] * 100 + [0.0] * 28)):
        x = zeros(device, 128)
        kernel[lambda meta: (eft.cdiv(meta["n"], meta["BLOCK"]),)](x, n)
        assert device.get(x).tolist() == written
    assert kernel.base_fn is even
    assert kernel.arg_names == ["x_ptr", "n", "BLOCK", "EVEN"]
    assert (kernel.__name__, kernel.__module__) == ("even", __name__)


def test_a_heuristic_may_be_part_of_the_key(device):
    @eft.heuristics({"EVEN": lambda given: given["n"] % 2 == 0})
    @eft.autotune([SMALL, LARGE], ["EVEN"], do_bench=Bench(2.0, 1.0), cache_results=False)
    @eft.jit
    def kernel(x_ptr, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
        tl.store(x_ptr, n)

    for n in (2, 3, 4):
        kernel[1](zeros(device), n)
    assert [key[0] for key in kernel.fn.cache] == [True, False]


def test_heuristics_see_each_other_and_the_configuration(device):
    @eft.heuristics(
        {
            "HALF": lambda given: given["n"] // 2,
            "QUARTER": lambda given: given["HALF"] // 2,
            "num_warps": lambda given: 8 if given["HALF"] > 4 else 1,
        }
    )
    @eft.jit
    def kernel(x_ptr, n, HALF: tl.constexpr, QUARTER: tl.constexpr):
        tl.store(x_ptr, HALF * 100 + QUARTER)

    x = zeros(device)
    assert kernel[1](x, 16).metadata.num_warps == 8
    assert device.get(x)[0] == 804
    assert kernel.run(x, 8, grid=(1,)).metadata.num_warps == 1
    assert kernel.warmup(x, 8, grid=(1,)).metadata.num_warps == 1
    assert repr(kernel) == f"<Heuristics of {kernel.fn!r}>"


def test_a_heuristic_that_is_no_function():
    with pytest.raises(TypeError) as raised:
        eft.heuristics({"EVEN": True})(eft.jit(even))
    assert str(raised.value) == (
        "the heuristic for 'EVEN' must be a function of the arguments, got True"
    )


def test_heuristics_without_a_dict():
    with pytest.raises(TypeError) as raised:
        eft.heuristics(["EVEN"])(eft.jit(even))
    assert str(raised.value) == "heuristics takes a dict of functions by name, got ['EVEN']"


def test_an_exception_of_a_heuristic_goes_on(device):
    kernel = by_block(eft.heuristics({"EVEN": trouble})(eft.jit(even)))
    with pytest.raises(Trouble):
        kernel[grid](zeros(device), 100)


def test_an_autotuned_kernel_may_be_autotuned(device):
    def kernel(x_ptr, A: tl.constexpr, B: tl.constexpr):
        tl.store(x_ptr, A * 10 + B)

    inner = eft.autotune(
        [Config({"B": b}) for b in (1, 2)], [], do_bench=Bench(2.0, 1.0), cache_results=False
    )(eft.jit(kernel))
    outer = eft.autotune(
        [Config({"A": a}, None, None, None) for a in (3, 4)], [], do_bench=Bench(1.0, 2.0)
    )(inner)
    x = zeros(device)
    outer[1](x)
    assert device.get(x)[0] == 32


def test_options_of_a_jit_above_count():
    kernel = eft.jit(do_not_specialize=["n"])(eft.autotune([SMALL], [])(fill))
    assert isinstance(kernel, Autotuner)
    assert [each.specialize for each in kernel.fn.parameters[:2]] == [True, False]


# -- what programs call ----------------------------------------------------------------------------


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


# -- what is kept on the disk ----------------------------------------------------------------------


def measured(monkeypatch) -> list:
    """The names of the kernels that are measured from now on."""
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
