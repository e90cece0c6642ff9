# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning restores arrays between measured runs, and calls the user's hooks around these."""

import array

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import Config, _runtime
from eft.triton.runtime.jit import reinterpret
from pytorch import module, needs_torch
from tuned_kernels import LARGE, SMALL, Bench, Trouble, add, grid, trouble, tuned, zeros

torch = module("torch")


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
    kernel[grid](x, 100, 1.0)  # the choice is known, so the array is not set to zero
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


def set_blocks(arguments):
    block = [arguments["M"], arguments["N"]]
    arguments["x"].block_shape = arguments["out"].block_shape = block
    arguments["out"].base.fill(0)


@pytest.mark.parametrize("by_name", [False, True])
def test_a_hook_that_sets_the_blocks_of_descriptors(by_name):
    @eft.autotune(
        [Config({"M": m, "N": n}, pre_hook=set_blocks) for m, n in ((4, 8), (8, 4), (2, 32))],
        key=["factor"],
    )
    @eft.jit
    def scaled(x, out, factor, M: tl.constexpr, N: tl.constexpr):
        i, j = tl.program_id(0) * M, tl.program_id(1) * N
        tl.static_assert(x.block_shape == (M, N))
        out.store([i, j], x.load([i, j]) * factor)

    x = np.arange(20 * 36, dtype=np.float32).reshape(20, 36)
    source, target = (eft.TensorDescriptor.from_tensor(each, [1, 1]) for each in (x, 0 * x))
    grid = lambda meta: (eft.cdiv(20, meta["M"]), eft.cdiv(36, meta["N"]))  # noqa: E731
    if not by_name:
        scaled[grid](source, target, 3)
    else:
        scaled[grid](x=source, out=target, factor=3)
    assert (target.base == 3 * x).all()
    assert all(time < float("inf") for times in scaled.configs_timings.values() for time in times)
    assert len(scaled.configs_timings) == 3
    assert target.block_shape == [scaled.best_config.kwargs[name] for name in ("M", "N")]
