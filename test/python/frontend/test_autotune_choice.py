# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning: the configuration that a launch gets, and when configurations are measured."""

import array
import math

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import Config, _runtime
from eft.errors import AutotunerError
from eft.tuning.autotuner import _Plan
from tuned_kernels import LARGE, SMALL, Bench, fill, grid, tuned, zeros


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
    # The first run brings the arrays into memory. Then come two rounds to warm up, five to measure,
    # and the call itself. A configuration that turns out to be slow is dropped from later rounds.
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
        (lambda: kernel[grid](x, 100, 2.0), 1),  # `value` is no part of the key
        (lambda: kernel[grid](x, n=100, value=2), 1),  # by name; `value` has another type
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
    assert len(kernel.cache) == 2  # a NumPy scalar also has a dtype


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
    assert kernel.best_config == SMALL  # of equally fast configurations, the first


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


@pytest.mark.parametrize(
    "top_k, left", [(1, 1), (2, 2), (9, 4), (np.int64(2), 2), (0.5, 2), (0.1, 1), (1.0, 4)]
)
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


@pytest.mark.parametrize("top_k", [1.5, "2", 0, 0.0, -0.5, math.nan, None])
def test_a_number_to_keep_that_is_none(device, top_k):
    kernel = tuned(prune_configs_by={"perf_model": lambda **_: 1, "top_k": top_k})
    with pytest.raises(TypeError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        f"top_k must be a float of at most 1.0 or a positive int, got {top_k!r}"
    )


def test_early_pruning_may_be_a_generator_and_make_configurations_of_its_own(device):
    def prune(configs, named, **kwargs):
        configs.clear()  # the function gets a copy of the list
        yield Config({"BLOCK": 32}, num_warps=8)
        yield Config({"BLOCK": 128}, num_warps=1)

    kernel = tuned(prune_configs_by={"early_config_prune": prune}, do_bench=Bench(2.0, 1.0))
    for _ in range(2):
        assert kernel[grid](zeros(device), 100, 1.0).metadata.num_warps == 1
    assert kernel.configs == [SMALL, LARGE]
    assert [each.kwargs["BLOCK"] for each in kernel.configs_timings] == [32, 128]


def test_a_configuration_that_pruning_made_and_the_call_both_give(device):
    made = Config({"BLOCK": 32, "value": 1.0})
    kernel = tuned(prune_configs_by={"early_config_prune": lambda *_, **__: [made]})
    with pytest.raises(ValueError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        "Conflicting meta-parameters: value. Both the call of 'fill' and its configurations give "
        "them; leave it to one"
    )


@pytest.mark.parametrize("returned, found", [(3, "3"), (SMALL, repr(SMALL)), ([{}], "{} at 0")])
def test_early_pruning_that_returns_no_configurations(device, returned, found):
    kernel = tuned(prune_configs_by={"early_config_prune": lambda *_, **__: returned})
    with pytest.raises(TypeError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        f"early_config_prune of 'fill' must return a list of eft.Config, got {found}"
    )
    assert kernel.nargs is None


@pytest.mark.parametrize(
    "returned, kind",
    [(None, TypeError), ("3", TypeError), ((1, 2), TypeError), (math.nan, ValueError)],
)
def test_a_model_that_returns_no_time(device, returned, kind):
    kernel = tuned(prune_configs_by={"perf_model": lambda **_: returned, "top_k": 1})
    with pytest.raises(kind) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == f"perf_model of 'fill' must return a number, got {returned!r}"


def test_a_nan_in_the_key_is_like_any_other(device):
    bench = Bench(1.0, 2.0)
    kernel = tuned(key=["value"], do_bench=bench)
    for _ in range(3):
        kernel[grid](zeros(device), 100, float("nan"))
    kernel[grid](zeros(device), 100, np.float64("nan"))
    kernel[grid](zeros(device), 100, np.float64("nan"))
    assert bench.calls == 4  # the NumPy scalar has another type
    assert len(kernel.cache) == 2
    assert sum(len(plan.choices) for plan in kernel._plans.values()) == 2


def listed(x_ptr, SIZES: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(x_ptr, SIZES[0] * BLOCK)


def test_a_value_of_the_key_that_cannot_be_hashed(device):
    kernel = tuned(listed, key=["SIZES"], do_bench=Bench(1.0, 2.0))
    with pytest.raises(TypeError) as raised:
        kernel[1](zeros(device), [2, 3])
    assert str(raised.value) == (
        "the key of 'listed' has 'SIZES', whose values must be hashable, got [2, 3]"
    )
    x = zeros(device)
    kernel[1](x, (2, 3))
    assert device.get(x)[0] == 32


@pytest.mark.parametrize(
    "returned, timing",
    [
        (np.float32(1.5), [1.5] * 3),
        (np.array(1.5), [1.5] * 3),
        (np.array([1.5, 1.0, 2.0]), [1.5, 1.0, 2.0]),
        ((1.5, 1.0), [1.5, 1.0]),
        (range(3), [0.0, 1.0, 2.0]),
    ],
)
def test_a_do_bench_may_return_numbers_of_any_kind(device, returned, timing):
    kernel = tuned(do_bench=lambda call, quantiles: returned, cache_results=True)
    for _ in range(2):
        kernel[grid](zeros(device), 100, 1.0)
        assert kernel.configs_timings == {SMALL: timing, LARGE: timing}
        kernel.cache.clear()


@pytest.mark.parametrize(
    "returned, kind",
    [
        (None, TypeError),
        ("1.5", TypeError),
        ([None] * 3, TypeError),
        ([], ValueError),
        (math.nan, ValueError),
        ([math.nan, 1.0, 2.0], ValueError),
    ],
)
def test_a_do_bench_that_returns_no_time(device, returned, kind):
    kernel = tuned(do_bench=lambda call, quantiles: returned)
    with pytest.raises(kind) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        "do_bench of 'fill' must return a time in milliseconds or the 3 quantiles that it is asked "
        f"for, got {returned!r}"
    )
    assert (kernel.cache, kernel.nargs) == ({}, None)


def test_a_do_bench_is_not_asked_about_what_could_not_run(device):
    kernel = tuned(do_bench=lambda call, quantiles: None if call() else 1.0)
    kernel[lambda meta: (2**31 if meta["BLOCK"] == 16 else 2,)](zeros(device), 100, 3.0)
    assert kernel.best_config == LARGE and list(kernel.left_out) == [SMALL]
