# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning with the fake driver: the device on which kernels are timed, errors of the driver, and
captured graphs."""

import contextlib
import ctypes
import sys
from types import SimpleNamespace

import eft
import eft.language as tl
from eft import Config
from eft.errors import AutotunerError
from runtime_fake_cuda import GPU0, GPU1, CudaArray, message, with_fake_cuda


def fill(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 1.0, mask=offsets < n)


def grid(meta):
    return (eft.cdiv(meta["n"], meta["BLOCK"]),)


def tuned(**options):
    configs = [Config({"BLOCK": 64}, num_warps=w) for w in (1, 2, 4)]
    return eft.autotune(configs, ["n"], cache_results=False, **options)(eft.jit(fill))


def blocks(fake) -> list[tuple[str, str]]:
    """The device and the number of threads of each launch in the log."""
    words = [line.split() for line in fake.launches()]
    return [(each[3], each[each.index("block") + 1]) for each in words]


@with_fake_cuda
def test_all_candidates_run_in_turn_where_the_arrays_are(fake):
    kernel = tuned(rep=0, warmup=0)
    kernel[grid](CudaArray(GPU1), 100)
    found = blocks(fake)
    assert {device for device, _ in found} == {"1"}
    assert [threads for _, threads in found[1:-1]] == ["32", "64", "128"] * 7
    assert list(kernel.cache) == [(100, "<f4", "cuda:1")]
    assert kernel.configs_timings == {each: [1.0] * 3 for each in kernel.configs}
    kernel[grid](CudaArray(GPU1, "<i4"), 100)
    assert list(kernel.cache)[1:] == [(100, "<i4", "cuda:1")]


@with_fake_cuda
def test_what_the_driver_does_not_load_or_launch_is_left_out(fake):
    kernel = tuned()
    fake.fail("cuModuleLoadDataEx", 218)
    fake.fail("cuLaunchKernel", 701)
    kernel[grid](CudaArray(GPU0), 100)
    reasons = sorted(reason.split(":")[0] for reason in kernel.left_out.values())
    assert reasons == [
        "cuLaunchKernel failed while launching kernel 'fill' on cuda",
        "cuModuleLoadDataEx failed while loading kernel 'fill' on cuda",
    ]
    assert kernel.best_config not in kernel.left_out


class Large(eft.JITFunction):
    """A kernel that needs more shared memory if it has fewer warps."""

    def _compile(self, target, device, types, constexprs, options, specialization, known):
        warps = options["num_warps"]
        image = b"params=2\0"
        return eft.CompiledKernel.load_cuda(device, image, "fill", warps, 400_000 // warps)


@with_fake_cuda
def test_shared_memory_that_the_device_lacks(fake):
    configs = [Config({"BLOCK": 64}, num_warps=w) for w in (1, 2, 4)]
    kernel = eft.autotune(configs, ["n"], cache_results=False)(Large(fill))
    kernel[grid](CudaArray(GPU0), 100)
    assert list(kernel.left_out) == configs[:1]
    assert kernel.left_out[configs[0]] == (
        "kernel 'fill' needs 400000 bytes of shared memory, but cuda:0 has 232448 for a block: "
        "smaller blocks of values need less"
    )


@with_fake_cuda
def test_a_choice_while_a_graph_is_captured(fake):
    kernel = tuned()
    fake.library.fakeCapture(ctypes.c_void_p(5))
    words = message(lambda: kernel[grid](CudaArray(GPU0, stream=5), 100), AutotunerError)
    assert words == (
        "'fill' has no configuration yet for (100, <f4, cuda:0), and can't be measured while a "
        "CUDA graph is being captured: run it once before"
    )
    assert fake.launches() == []
    kernel[grid](CudaArray(GPU0, stream=6), 100)
    fake.take_log()
    kernel[grid](CudaArray(GPU0, stream=5), 100)
    assert len(blocks(fake)) == 1


class Torch:
    """The parts of PyTorch that timing uses. Every elapsed time is 1 ms. Counts replays."""

    int32 = None

    def __init__(self):
        self.cuda = self
        self.replays = 0
        self.devices = []

    def is_available(self):
        return True

    def device(self, number):
        self.devices.append(number)
        return contextlib.nullcontext()

    def current_stream(self, number):
        return SimpleNamespace(cuda_stream=7)

    def empty(self, *shape, **options):
        return SimpleNamespace(zero_=lambda: None)

    def synchronize(self):
        pass

    def Event(self, enable_timing):
        return SimpleNamespace(record=lambda: None, elapsed_time=lambda end: 1.0)

    def CUDAGraph(self):
        return self

    def graph(self, graph):
        return contextlib.nullcontext()

    def replay(self):
        self.replays += 1


@with_fake_cuda
def test_graphs_of_ten_launches_are_measured_if_that_is_wanted(fake):
    torch = sys.modules["torch"] = Torch()
    hooks = []
    kernel = tuned(
        use_cuda_graph=True,
        rep=0,
        warmup=0,
        pre_hook=lambda given, reset_only=False: hooks.append(reset_only),
        post_hook=lambda given, exception: hooks.append("after"),
    )
    kernel[grid](CudaArray(GPU1), 100)
    assert torch.devices == [1]
    assert torch.replays == 3 * 7
    # One run before measuring, then one run and 10 captured launches of each of the 3 candidates,
    # then the call itself.
    assert len(blocks(fake)) == 1 + 3 * 11 + 1
    assert hooks == [False, "after"] * (1 + 3 * 8) + [True]
    assert kernel.configs_timings == {each: [0.1] * 3 for each in kernel.configs}
