# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.driver`: the device that scripts should use, and facts
about it."""

from __future__ import annotations

import os
import sys

__all__ = ["DriverConfig", "driver"]


class Device(str):
    """The name of a device, for scripts without PyTorch. It is a string, because the argument
    `device` of NumPy and CuPy takes a string. It also has the attributes of a `torch.device` that
    scripts read.

    Attributes:
        type: "cuda" or "cpu".
        index: the number of the GPU, or None.
    """

    def __new__(cls, type: str, index: int | None = None):
        self = super().__new__(cls, type if index is None else f"{type}:{index}")
        self.type = type
        self.index = index
        return self


class ActiveDriver:
    """Answers scripts that ask for the device on which to put their arrays. This is the current
    GPU, or the CPU if there is no GPU or if TRITON_INTERPRET is set."""

    binary_ext = "ptx"

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_active_torch_device(self):
        """Returns the device: `cuda:N` for the current GPU N if there is a GPU, else `cpu`. The
        result is a `torch.device` if PyTorch is installed, else a `Device`, which is a string."""
        torch = _torch()
        if torch is None:
            return Device("cuda", 0) if has_gpu() else Device("cpu")
        if _torch_has_gpu(torch):
            return torch.device("cuda", torch.cuda.current_device())
        return torch.device("cpu")

    def get_device_interface(self):
        """Returns PyTorch's module for the device: `torch.cuda` or `torch.cpu`.

        Raises:
            ModuleNotFoundError: PyTorch is not installed.
        """
        torch = _torch()
        if torch is None:
            raise ModuleNotFoundError(
                "triton.runtime.driver.active.get_device_interface() answers with a module of "
                "PyTorch, and PyTorch is not installed",
                name="torch",
            )
        return torch.cuda if _torch_has_gpu(torch) else torch.cpu

    def get_current_device(self) -> int:
        """Returns the number of PyTorch's current GPU; 0 on a CPU or if PyTorch is not loaded."""
        torch = sys.modules.get("torch")
        return torch.cuda.current_device() if torch and _torch_has_gpu(torch) else 0

    def set_current_device(self, device: int) -> None:
        """Makes a GPU the current GPU of PyTorch. Has no effect on a CPU."""
        interface = self.get_device_interface()
        if hasattr(interface, "current_device"):
            interface.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """Returns the number of the stream that launches on a GPU use; 0 on a CPU. `device` is the
        GPU; None means the current GPU."""
        from eft import _runtime

        if not has_gpu():
            return 0
        return _runtime.current_stream(self.get_current_device() if device is None else device)

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """Returns the compute capability of a GPU; (0, 0) on a CPU. `device` is the GPU; None means
        the current GPU."""
        from eft import _runtime

        if not has_gpu():
            return 0, 0
        number = self.get_current_device() if device is None else device
        return _runtime.device_properties(number)["compute_capability"]

    def get_current_target(self):
        """Returns the default target. For a GPU it is `GPUTarget("cuda", 90, 32)`, where 90 is the
        compute capability 9.0. For a CPU it is `GPUTarget("cpu", None, 1)`, because one thread
        executes a program."""
        from eft.triton.backends.compiler import GPUTarget

        if not has_gpu():
            return GPUTarget("cpu", None, 1)
        major, minor = self.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_benchmarker(self):
        from eft.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """Returns a tensor of PyTorch on the device with 256 MiB, which is more than the
        second-level cache of any GPU so far. `clear_cache` fills it to flush the caches."""
        import torch

        return torch.empty(64 << 20, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache) -> None:
        cache.zero_()

    def map_python_to_cpp_type(self, ty: str) -> str:
        """Returns the C++ type of an argument. `ty` is its type in a signature."""
        from eft.triton.backends.driver import cpp_type

        return cpp_type(ty)

    @property
    def utils(self) -> Utilities:
        return Utilities()


class Utilities:
    """Answers scripts that ask for facts about a GPU."""

    def get_device_properties(self, device: int) -> dict:
        """Returns the facts about a GPU as a dict: all facts under Eft's names, and the following
        under Triton's names: `max_shared_mem` (in bytes, for one program), `max_num_regs`,
        `multiprocessor_count`, `warpSize`, `sm_clock_rate` and `mem_clock_rate` (in kHz), and
        `mem_bus_width` (in bits). Without a GPU, the dict has only Triton's names and describes the
        CPU: `multiprocessor_count` is the number of threads, `max_shared_mem` is the size of a
        program's stack, `warpSize` is 1, and the others are 0."""
        from eft import _runtime

        if not has_gpu():
            threads = _runtime.host_threads()
            return {"max_shared_mem": 4 << 20, "max_num_regs": 0, "multiprocessor_count": threads,
                    "warpSize": 1, "sm_clock_rate": 0, "mem_clock_rate": 0,
                    "mem_bus_width": 0}  # fmt: skip
        facts = _runtime.device_properties(device)
        return facts | {
            "max_shared_mem": facts["max_shared_memory"],
            "max_num_regs": facts["max_registers_per_block"],
            "warpSize": 32,
            "sm_clock_rate": facts["clock_rate_khz"],
            "mem_clock_rate": facts["memory_clock_khz"],
            "mem_bus_width": facts["memory_bus_bits"],
        }

    def load_binary(self, *args):
        """Raises an error: only launches load code."""
        from eft.triton.missing import refuse

        refuse("load_binary", "eft._runtime.LoadedKernel.load_cuda loads PTX and cubins")


class DriverConfig:
    """The driver that programs ask.

    Attributes:
        default: Eft's own driver.
        active: the driver that was set last, or else the default.
    """

    def __init__(self):
        self.default = self.active = ActiveDriver()

    def set_active(self, driver) -> None:
        """Replaces the driver that programs ask. Launches are not affected."""
        self.active = driver

    def reset_active(self) -> None:
        self.active = self.default

    def __repr__(self):
        return "<Eft's driver>"


driver = DriverConfig()


def _wants_cpu() -> bool:
    from eft.triton.environment import is_true

    return is_true(os.environ.get("TRITON_INTERPRET", ""))


def has_gpu() -> bool:
    """Whether there is a GPU and programs should run on it: TRITON_INTERPRET is not set."""
    from eft import _runtime

    # PyTorch can also answer in a process that was forked from one that had used CUDA.
    torch = sys.modules.get("torch")
    if torch and _torch_has_gpu(torch):
        return True
    return not _wants_cpu() and _runtime.device_count() > 0


def _torch_has_gpu(torch) -> bool:
    return not _wants_cpu() and torch.cuda.is_available()


def _torch():
    """Returns the module `torch`; None if PyTorch is not installed."""
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return None
    return torch
