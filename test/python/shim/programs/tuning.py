# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with autotuned kernels."""

import numpy as np
import triton
import triton.language as tl
from arrays import normal, zeros
from program import program, raised


def _first(call, quantiles):
    """A `do_bench` without a clock: the first configuration appears to be the fastest."""
    call()
    _first.calls += 1
    return [float(_first.calls)] * 3


_first.calls = 0


def _twice(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)


def _configs(*blocks, **options):
    return [triton.Config({"BLOCK": block}, **options) for block in blocks]


def _tuned(function, configs, key=("n",), **options):
    """An autotuned kernel whose choices are not kept in the disk cache."""
    options = {"do_bench": _first, "cache_results": False, **options}
    return triton.autotune(configs, list(key), **options)(triton.jit(function))


def _grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def _run(device, kernel, n=1000):
    x = normal(n)
    out = device.put(zeros(n))
    kernel[_grid](device.put(x), out, n)
    return device.get(out), x * 2


@program
def tunes(device):
    kernel = _tuned(_twice, _configs(128, 256, 512))
    before = _run(device, kernel)
    calls = _first.calls
    again = _run(device, kernel)
    return [
        before,
        again,
        (_first.calls, calls),
        (kernel.best_config.kwargs, {"BLOCK": 128}),
        (len(kernel.cache), 1),
    ]


@program
def tunes_anew_for_each_key(device):
    kernel = _tuned(_twice, _configs(128, 256))
    outcomes = [_run(device, kernel, n) for n in (100, 1000, 100)]
    return [*outcomes, (len(kernel.cache), 2)]


@program
def measures_by_itself(device):
    kernel = _tuned(_twice, _configs(128, 1024), key=(), do_bench=None)
    return [_run(device, kernel), (kernel.best_config in kernel.configs, True)]


@program
def one_configuration_is_not_measured(device):
    kernel = _tuned(_twice, _configs(64))
    calls = _first.calls
    return [_run(device, kernel), (_first.calls, calls)]


def _accumulate(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)


def _accumulated(device, **options):
    kernel = _tuned(_accumulate, _configs(128, 256), **options)
    x = device.put(np.full(500, 7, "float32"))
    kernel[_grid](x, 500)
    return device.get(x)


@program
def restores_what_it_measured_on(device):
    return _accumulated(device, restore_value=["x_ptr"]), np.full(500, 8, "float32")


@program
def zeroes_what_it_measured_on(device):
    return _accumulated(device, reset_to_zero=["x_ptr"]), np.full(500, 1, "float32")


@program
def calls_hooks_around_each_run(device):
    seen = []
    found = _accumulated(
        device,
        pre_hook=lambda given, reset_only=False: seen.append((reset_only, given["n"])),
        post_hook=lambda given, exception: seen.append(exception),
    )
    return [
        (found, np.full(500, 10, "float32")),
        (seen, [(False, 500), None, (False, 500), None, (True, 500)]),
    ]


@program
def a_configuration_has_a_hook(device):
    seen = []
    kernel = _tuned(
        _twice, _configs(128, num_warps=2, pre_hook=lambda given: seen.append(given["n"]))
    )
    return [_run(device, kernel, 300), (seen, [300])]


@program
def prunes(device):
    kernel = _tuned(
        _twice,
        _configs(64, 128, 256, 512),
        prune_configs_by={
            "early_config_prune": lambda configs, named, **kwargs: [
                each for each in configs if each.kwargs["BLOCK"] < named["n"]
            ],
            "perf_model": lambda **given: -given["BLOCK"],
            "top_k": 2,
        },
    )
    found = _run(device, kernel, 300)
    measured = sorted(each.kwargs["BLOCK"] for each in kernel.configs_timings)
    return [found, (measured, [128, 256])]


@triton.autotune(_configs(128, 256), key=["n"], do_bench=_first, cache_results=False)
@triton.heuristics({"EVEN": lambda given: given["n"] % given["BLOCK"] == 0})
@triton.jit
def _twice_if_even(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) * 2)
    else:
        x = tl.load(x_ptr + offsets, mask=offsets < n)
        tl.store(out_ptr + offsets, x * 2, mask=offsets < n)


@program
def heuristics_below_a_choice(device):
    return [_run(device, _twice_if_even, n) for n in (512, 500)]


@triton.heuristics({"BLOCK": lambda given: triton.next_power_of_2(given["n"])})
@triton.heuristics({"UNUSED": lambda given: given["BLOCK"] + 1})
@triton.jit
def _twice_at_once(x_ptr, out_ptr, n, BLOCK: tl.constexpr, UNUSED: tl.constexpr):
    tl.static_assert(UNUSED == BLOCK + 1)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x * 2, mask=offsets < n)


@program
def heuristics_see_those_above(device):
    x = normal(100)
    out = device.put(zeros(100))
    _twice_at_once[(1,)](device.put(x), out, 100)
    return device.get(out), x * 2


@program
def configurations_as_values(device):
    config = triton.Config({"BLOCK": 128, "STEPS": 2}, num_warps=8, num_stages=4, maxnreg=64)
    same = triton.Config({"BLOCK": 128, "STEPS": 2}, num_warps=8, num_stages=4, maxnreg=64)
    return [
        (config == same, True),
        (config == triton.Config({"BLOCK": 128}), False),
        (hash(config) == hash(same), True),
        (
            str(config),
            "BLOCK: 128, STEPS: 2, num_warps: 8, num_ctas: 1, num_stages: 4, maxnreg: 64",
        ),
        (
            config.all_kwargs(),
            {
                "BLOCK": 128, "STEPS": 2, "num_warps": 8, "num_ctas": 1, "num_stages": 4,
                "maxnreg": 64,
            },
        ),
    ]  # fmt: skip


@program
def what_a_call_and_configurations_both_give(device):
    kernel = _tuned(_twice, _configs(128, 256))
    x = device.put(zeros(100))
    return raised(
        ValueError, "Conflicting meta-parameters: BLOCK", lambda: kernel[(1,)](x, x, 100, BLOCK=64)
    )
