# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on GPUs with the fake driver: devices, streams, and errors of the driver."""

import ctypes
import signal
import sys
import threading
import time

import eft
import numpy as np
import pytest
from eft import _runtime as runtime
from runtime_fake_cuda import FAKE, GPU0, GPU1, CudaArray, CudaKernel, message, with_fake_cuda
from runtime_kernels import holds_in_a_fork, run_child


@with_fake_cuda
def test_a_launch(fake):
    kernel = CudaKernel("x, n, p, BLOCK: constexpr")
    kernel[lambda meta: (meta["n"], 2)](CudaArray(GPU0 + 4), 7, 1.0, BLOCK=64, num_warps=8)
    assert kernel.compiled == [("cuda:90", 0, ("*fp32", "i32", "fp32", None))]
    assert fake.take_log() == [
        "retain 0",
        "load on 0",
        "launch dropout on 0 grid 7 2 1 block 256 1 1 shared 0 stream 0: 1000000004 7 3f800000",
    ]
    assert fake.library.fakeCurrent() == -1


@with_fake_cuda
def test_each_device_has_its_own_kernel(fake):
    kernel = CudaKernel("x")
    for address in (GPU0, GPU1, GPU0):
        kernel[1](CudaArray(address))
    assert [device for _, device, _ in kernel.compiled] == [0, 1]
    assert [line.split()[3] for line in fake.launches()] == ["0", "1", "0"]


@with_fake_cuda
def test_without_arrays_the_first_gpu_runs(fake):
    kernel = CudaKernel("n")
    kernel[1](5)
    assert kernel.compiled == [("cuda:90", 0, ("i32",))]


@with_fake_cuda(FAKE_CUDA_DEVICES="0")
def test_without_arrays_and_gpus_the_host_runs(fake):
    kernel = CudaKernel("n")
    with pytest.raises(runtime.CudaError):  # CudaKernel makes only code for GPUs
        kernel[1](5)
    assert kernel.compiled == [("cpu", -1, ("i32",))]


@with_fake_cuda
def test_arrays_by_cuda_array_interface(fake):
    kernel = CudaKernel("x")
    for typestr, name in [("<f2", "fp16"), ("|b1", "i1"), ("<u4", "u32"), ("<f8", "fp64")]:
        kernel[1](CudaArray(GPU0, typestr))
        assert kernel.compiled[-1][2] == ("*" + name,)
    kernel[1](CudaArray(GPU0, read_only=True))
    assert kernel.compiled[-1][2] == ("*kfp32",)
    assert "has element type '<c8'" in message(lambda: kernel[1](CudaArray(GPU0, "<c8")), TypeError)


@with_fake_cuda
def test_an_empty_array_goes_with_the_others(fake):
    kernel = CudaKernel("x, y")
    kernel[1](CudaArray(0, shape=(0,)), CudaArray(GPU1))
    assert kernel.compiled[0][1] == 1


@with_fake_cuda
def test_an_array_without_memory(fake):
    assert message(lambda: CudaKernel("x")[1](CudaArray(0)), TypeError) == (
        "kernel 'dropout': argument 'x' has no memory: its address is 0, and it has 4 elements"
    )


@with_fake_cuda
def test_arrays_on_two_devices(fake):
    kernel = CudaKernel("x, y, z")
    host = np.zeros(4, np.float32)
    zero, one = CudaArray(GPU0), CudaArray(GPU1)
    assert message(lambda: kernel[1](1, zero, one), ValueError) == (
        "kernel 'dropout': argument 'y' is on cuda:0, but argument 'z' is on cuda:1: expected all "
        "arrays on one device"
    )
    assert message(lambda: kernel[1](host, zero, 1), ValueError) == (
        "kernel 'dropout': argument 'x' is on cpu, but argument 'y' is on cuda:0: expected all "
        "arrays on one device"
    )
    assert message(lambda: kernel[1](one, one, host), ValueError) == (
        "kernel 'dropout': argument 'x' is on cuda:1, but argument 'z' is on cpu: expected all "
        "arrays on one device"
    )
    assert kernel.compiled == []


@with_fake_cuda
def test_a_pointer_that_cuda_does_not_know(fake):
    kernel = CudaKernel("x")
    assert message(lambda: kernel[1](CudaArray(4096)), runtime.CudaError) == (
        "cuPointerGetAttribute failed while asking for the device of a pointer: "
        "CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )


@with_fake_cuda
def test_objects_with_data_ptr(fake):
    class Standin:
        def __init__(self, address, device):
            self.address, self.device, self.dtype = address, device, "float16"

        def data_ptr(self):
            return self.address

    kernel = CudaKernel("x, y")
    kernel[1](Standin(GPU1, "cuda:1"), Standin(GPU1, "cuda"))
    assert kernel.compiled == [("cuda:90", 1, ("*fp16", "*fp16"))]


@with_fake_cuda
def test_grid_limits_of_the_device(fake):
    kernel = CudaKernel("x")
    x = CudaArray(GPU0)
    assert message(lambda: kernel[1, 65536](x), ValueError) == (
        "grid of kernel 'dropout' has 65536 programs in y, expected 0 to 65535 on cuda:0"
    )
    assert message(lambda: kernel[2**31](x), ValueError) == (
        "grid of kernel 'dropout' has 2147483648 programs in x, expected 0 to 2147483647 on cuda:0"
    )
    fake.take_log()
    kernel[0](x)
    assert fake.launches() == []


# -- streams


@with_fake_cuda
def test_the_stream_that_an_array_names(fake):
    kernel = CudaKernel("x")
    for stream in (7, None, 1):
        kernel[1](CudaArray(GPU0, stream=stream))
    assert [line.split("stream ")[1] for line in fake.launches()] == [
        "7: 1000000000",
        "0: 1000000000",
        "1: 1000000000",
    ]


@with_fake_cuda
def test_a_stream_that_is_no_number(fake):
    array = CudaArray(GPU0, stream="default")
    assert message(lambda: CudaKernel("x")[1](array), TypeError) == (
        "kernel 'dropout': argument 'x' names a stream that is no number: 'default'"
    )


def install_library(name, **attributes):
    """Installs a module under the name of an array library, with the given attributes."""
    import types

    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    sys.modules[name] = module


def stream_of(fake, array):
    fake.take_log()
    CudaKernel("x")[1](array)
    return int(fake.launches()[0].split("stream ")[1].split(":")[0])


@with_fake_cuda
def test_the_current_stream_of_a_loaded_library(fake):
    from types import SimpleNamespace as Space

    assert stream_of(fake, CudaArray(GPU0)) == 0
    install_library("cupy", cuda=Space(get_current_stream=lambda device: Space(ptr=40 + device)))
    assert stream_of(fake, CudaArray(GPU1)) == 41
    install_library("torch", _C=Space(_cuda_getCurrentRawStream=lambda device: 30 + device))
    assert stream_of(fake, CudaArray(GPU1)) == 31
    assert stream_of(fake, CudaArray(GPU1, stream=9)) == 9, "of no library: it knows best"

    class CuPyArray(CudaArray):
        __module__ = "cupy._core"

    assert stream_of(fake, CuPyArray(GPU1, stream=9)) == 41
    assert runtime.current_stream(0) == 30


@with_fake_cuda
def test_a_torch_without_cuda_has_no_streams(fake):
    from types import SimpleNamespace as Space

    install_library("torch", _C=Space())
    assert stream_of(fake, CudaArray(GPU0)) == 0


@with_fake_cuda
def test_a_library_whose_stream_fails(fake):
    from types import SimpleNamespace as Space

    install_library("torch", _C=Space(_cuda_getCurrentRawStream=lambda device: 1 / 0))
    kernel = CudaKernel("x")
    with pytest.raises(ZeroDivisionError):
        kernel[1](CudaArray(GPU0))


# -- errors of the driver


@with_fake_cuda
def test_ptx_becomes_a_cubin(fake):
    assert runtime.link_ptx(1, "some ptx", "dropout") == b"cubin of some ptx with lines"


@with_fake_cuda
def test_ptx_that_the_driver_refuses(fake):
    assert message(lambda: runtime.link_ptx(0, "wrong", "dropout"), runtime.CudaError) == (
        "cuLinkAddData failed while linking the PTX of kernel 'dropout' for cuda:0: "
        "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\n"
        "ptxas dropout, line 3; error   : Unknown symbol 'wrong'"
    )


@with_fake_cuda
def test_out_of_memory(fake):
    kernel = CudaKernel("x")
    fake.fail("cuModuleLoadDataEx", 2)
    assert message(lambda: kernel[1](CudaArray(GPU0)), runtime.CudaError) == (
        "cuModuleLoadDataEx failed while loading kernel 'dropout' on cuda:0: "
        "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
    )
    kernel[1](CudaArray(GPU0))


@with_fake_cuda
def test_a_launch_that_the_driver_refuses(fake):
    kernel = CudaKernel("x")
    kernel[1](CudaArray(GPU0))
    fake.fail("cuLaunchKernel", 1)
    assert message(lambda: kernel[1](CudaArray(GPU0)), runtime.CudaError) == (
        "cuLaunchKernel failed while launching kernel 'dropout' on cuda:0: "
        "CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )


@with_fake_cuda
def test_more_shared_memory_than_there_is(fake):
    kernel = CudaKernel("x", shared=300000)
    assert message(lambda: kernel[1](CudaArray(GPU0)), ValueError).startswith(
        "kernel 'dropout' needs 300000 bytes of shared memory, but cuda:0 has 232448 for a block"
    )


@with_fake_cuda(FAKE_CUDA_VERSION="12040")
def test_a_driver_that_is_too_old(fake):
    words = (
        "the NVIDIA driver is too old: it serves CUDA 12.4, expected at least 12.5 (driver 555 or "
        "later)"
    )
    assert message(lambda: runtime.device_properties(0), runtime.CudaError) == words
    assert message(runtime.device_count, runtime.CudaError) == words
    assert message(lambda: CudaKernel("n")[1](5), runtime.CudaError) == words


@with_fake_cuda(EFT_LIBCUDA="libno-such-driver.so.1")
def test_no_gpu_when_one_is_asked_for(fake):
    assert runtime.device_count() == 0
    assert message(lambda: runtime.device_properties(0), runtime.CudaError).startswith(
        "no NVIDIA GPU can be used: the driver's library could not be opened: libno-such-driver"
    )


@with_fake_cuda
def test_there_is_no_such_gpu(fake):
    assert message(lambda: runtime.device_properties(2), runtime.CudaError) == (
        "there is no device cuda:2: this process can use 2 NVIDIA GPUs"
    )


# -- the rest of the module


@with_fake_cuda
def test_device_properties(fake):
    assert runtime.device_count() == 2
    assert runtime.device_properties(1) == {
        "name": "Paper GPU 1",
        "target": "cuda:90",
        "compute_capability": (9, 0),
        "driver_version": (13, 0),
        "max_grid": (2147483647, 65535, 65535),
        "multiprocessor_count": 132,
        "clock_rate_khz": 1980000,
        "memory_clock_khz": 3201000,
        "memory_bus_bits": 6144,
        "l2_cache_size": 50 << 20,
        "max_shared_memory": 232448,
        "max_registers_per_block": 65536,
        "total_memory": 80 << 30,
    }


@with_fake_cuda
def test_events(fake):
    start, end = runtime.CudaEvent(0), runtime.CudaEvent(0)
    start.record()
    end.record(stream=5)
    end.synchronize()
    assert end.elapsed_ms(start) == 1.0
    runtime.synchronize(1)
    assert fake.take_log()[1:] == [
        "record in stream 0",
        "record in stream 5",
        "retain 1",
        "record behind all work on 1",
        "event destroyed",
        "synchronize 1",
    ]
    del start, end
    assert fake.take_log() == ["event destroyed"] * 2


@with_fake_cuda
def test_a_wrong_event(fake):
    assert "there is no device cuda:9" in message(lambda: runtime.CudaEvent(9), runtime.CudaError)


# -- waits


class Interrupted(Exception):
    pass


def is_interrupted(fake, wait):
    """Checks that an exception of a signal's handler ends a wait for a busy GPU."""

    def handler(*_):
        raise Interrupted

    fake.library.fakeBusy(-1)
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    begin = time.perf_counter()
    with pytest.raises(Interrupted):
        wait()
    assert time.perf_counter() - begin < 5  # about 0.15 on an idle machine
    fake.library.fakeBusy(0)
    wait()


@with_fake_cuda
def test_a_handler_that_raises_ends_the_wait_for_a_gpu(fake):
    is_interrupted(fake, runtime.synchronize)


@with_fake_cuda
def test_a_handler_that_raises_ends_the_wait_for_an_event(fake):
    event = runtime.CudaEvent()
    event.record()
    is_interrupted(fake, event.synchronize)


class AssertingKernel(CudaKernel):
    def _compile(self, target, device, *_):
        return runtime.LoadedKernel.load_cuda(device, b"eft$failure params=1", "dropout", 4, 0)


@with_fake_cuda
def test_a_handler_that_raises_ends_the_wait_for_a_kernel_with_assertions(fake):
    kernel = AssertingKernel("x")
    is_interrupted(fake, lambda: kernel[1](CudaArray(GPU0)))
    with pytest.raises(eft.DeviceAssertionError):
        kernel[1, 1, 2](CudaArray(GPU0))


@with_fake_cuda
def test_a_handler_that_returns_lets_the_wait_go_on(fake):
    hits = []

    def handler(*_):
        hits.append(0)
        if len(hits) == 3:
            fake.library.fakeBusy(0)

    fake.library.fakeBusy(-1)
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    runtime.synchronize()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert len(hits) >= 3


@with_fake_cuda
def test_other_threads_leave_signals_and_the_wait_to_the_driver(fake):
    fake.library.fakeBusy(-1)  # the fake driver's own wait ignores this
    thread = threading.Thread(target=runtime.synchronize)
    thread.start()
    thread.join()
    assert "synchronize 0" in fake.take_log()


@with_fake_cuda
def test_an_error_is_the_driver_waits(fake):
    fake.fail("cuEventQuery", 700)
    fake.fail("cuCtxSynchronize", 700)
    assert message(runtime.synchronize, runtime.CudaError).startswith("cuCtxSynchronize failed")
    fake.fail("cuCtxRecordEvent", 1)
    fake.library.fakeBusy(-1)
    runtime.synchronize()


@with_fake_cuda
def test_a_kernel_that_goes_is_unloaded(fake):
    kernel = CudaKernel("x")
    kernel[1](CudaArray(GPU1))
    fake.take_log()
    del kernel
    assert fake.take_log() == ["unload on 1"]


@with_fake_cuda
def test_a_forked_child(fake):
    kernel = CudaKernel("x")
    kernel[1](CudaArray(GPU0))

    def is_refused():
        words = message(lambda: kernel[1](CudaArray(GPU0)), runtime.CudaError)
        return words.startswith("this process was forked after its parent")

    assert holds_in_a_fork(is_refused)


@with_fake_cuda
def test_a_compile_for_another_device(fake):
    class Mistaken(CudaKernel):
        def _compile(self, *args):
            return super()._compile(args[0], 0, *args[2:])

    assert message(lambda: Mistaken("x")[1](CudaArray(GPU1)), TypeError) == (
        "_compile of kernel 'dropout' must return a LoadedKernel on cuda:1, got one on cuda:0"
    )


def test_import_opens_no_driver():
    child = run_child(
        "import eft._runtime\n"
        "assert 'FakeCuda' not in open('/proc/self/maps').read()\n"
        "assert 'libcuda' not in open('/proc/self/maps').read()\n",
        EFT_LIBCUDA=str(FAKE),
    )
    assert child.returncode == 0, child.stderr


@with_fake_cuda
def test_the_place_of_a_call(fake):
    kernel = CudaKernel("x, n, BLOCK: constexpr")
    assert kernel.place(CudaArray(GPU1), 7, BLOCK=64, num_warps=8, grid=None) == (1, False)
    assert kernel.place(np.zeros(4, np.float32), 7, BLOCK=64) == (-1, False)
    assert kernel.compiled == []
    assert message(lambda: kernel.place(CudaArray(GPU0), 7), TypeError) == (
        "dropout() missing 1 required positional argument: 'BLOCK'"
    )


@with_fake_cuda
def test_the_place_of_a_call_while_its_stream_is_captured(fake):
    kernel = CudaKernel("x")
    fake.library.fakeCapture(ctypes.c_void_p(5))
    assert kernel.place(CudaArray(GPU0, stream=5)) == (0, True)
    assert kernel.place(CudaArray(GPU0, stream=6)) == (0, False)
