# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of GPUs on machines without a GPU: they run in a child process with a fake driver.

The fake driver (test/unit/runtime/FakeCuda.cpp) logs its calls. It has two devices, whose memory
begins at the addresses GPU0 and GPU1. A test with the decorator `with_fake_cuda` is a function of
one argument of class `Fake`, and its body runs in the child.
"""

import ctypes
import functools
import importlib
import inspect
import multiprocessing
import os
import sys
import traceback
from pathlib import Path

import pytest
from eft import _runtime as runtime
from runtime_kernels import parameters

FAKE = Path(runtime.__file__).parents[2] / "unit" / "libFakeCuda.so"
GPU0, GPU1 = 16 << 32, 17 << 32


def run_with_fake_cuda(module: str, name: str, environment: dict, connection):
    """Runs the body of a test in this process, and sends the traceback of its error, or None."""
    os.environ.update(environment)
    try:
        getattr(importlib.import_module(module), name).__wrapped__(Fake())
        connection.send(None)
    except BaseException:
        connection.send(traceback.format_exc())


def with_fake_cuda(test=None, **environment):
    """Makes a test run in a child process with the fake driver.

    The children are forked from a server process that has already done the imports.
    """
    if test is None:
        return functools.partial(with_fake_cuda, **environment)

    @functools.wraps(test)
    def in_child():
        if not FAKE.exists():
            pytest.skip("the unit tests, which have the driver made of paper, were not built")
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["test_runtime_cuda", "test_runtime_exchange"])
        mine, theirs = context.Pipe()
        environment.setdefault("EFT_LIBCUDA", str(FAKE))
        arguments = (test.__module__, test.__name__, environment, theirs)
        child = context.Process(target=run_with_fake_cuda, args=arguments)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # for the server's imports
            child.start()
        theirs.close()
        try:
            failure = mine.recv() if mine.poll(60) else "the child does not answer"
        except EOFError:
            failure = "the child died"
        child.kill() if failure else child.join()
        assert failure is None, failure

    in_child.__signature__ = inspect.Signature()
    return in_child


class Fake:
    """A test's access to the fake driver: its log, its settings, and failing calls."""

    def __init__(self):
        self.library = ctypes.CDLL(str(FAKE))
        self.library.fakeLog.restype = ctypes.c_char_p

    def use_resources(self, registers: int, stack_bytes: int):
        """Sets the registers and the stack that the driver reports for kernels from now on."""
        self.library.fakeUse(registers, stack_bytes)

    def take_log(self) -> list[str]:
        lines = self.library.fakeLog().decode().splitlines()
        self.library.fakeClear()
        return lines

    def fail(self, call, result):
        self.library.fakeFail(call.encode(), result)

    def launches(self) -> list[str]:
        return [line for line in self.take_log() if line.startswith("launch")]


class CudaKernel(runtime.KernelBase):
    """A kernel whose compiled form is a text that the fake driver accepts as a cubin."""

    def __init__(self, text, shared=0):
        super().__init__("dropout", parameters(text))
        self.shared, self.compiled = shared, []

    def _address_parameters(self, *args):
        return [], None

    def _compile(self, target, device, types, constexprs, options, specialization, known):
        self.compiled.append((target, device, types))
        cubin = f"params={sum(each is not None for each in types)}\0".encode()
        return runtime.LoadedKernel.load_cuda(
            device, cubin, "dropout", options["num_warps"], self.shared
        )


class CudaArray:
    """An array that has __cuda_array_interface__ and nothing else."""

    def __init__(self, address, typestr="<f4", **more):
        read_only = more.pop("read_only", False)
        self.__cuda_array_interface__ = {
            "data": (address, read_only),
            "typestr": typestr,
            "shape": (4,),
            "version": 3,
            **more,
        }


def message(call, type_):
    with pytest.raises(type_) as caught:
        call()
    return str(caught.value)
