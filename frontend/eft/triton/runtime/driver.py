# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime.driver`: the device that scripts should use, and its facts."""

from __future__ import annotations

import os
import sys

__all__ = ["DriverConfig", "driver"]


class Device(str):
    """The name of a device where there is no PyTorch to make a `torch.device`. A string, because
    that is what `device=` of NumPy and CuPy takes, with what scripts read of a `torch.device`.

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
    """The device that scripts should put their arrays on: the current GPU, or the CPU if there is
    none or TRITON_INTERPRET is set."""

    binary_ext = "ptx"

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_active_torch_device(self):
        """The device's name: `cuda:N` with the current GPU if there is one, else `cpu`. A
        `torch.device` if PyTorch is installed, else a `Device`, which is a string."""
        torch = _torch()
        if torch is None:
            return Device("cuda", 0) if has_gpu() else Device("cpu")
        if _torch_has_gpu(torch):
            return torch.device("cuda", torch.cuda.current_device())
        return torch.device("cpu")

    def get_device_interface(self):
        """PyTorch's module for the device: `torch.cuda` or `torch.cpu`.

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
        """The number of the current GPU; 0 on a CPU."""
        torch = sys.modules.get("torch")
        return torch.cuda.current_device() if torch and _torch_has_gpu(torch) else 0

    def set_current_device(self, device: int) -> None:
        """Makes a GPU PyTorch's current one; without effect on a CPU."""
        interface = self.get_device_interface()
        if hasattr(interface, "current_device"):
            interface.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """The number of the stream that launches on a GPU go to; 0 on a CPU."""
        from eft import _runtime

        if not has_gpu():
            return 0
        return _runtime.current_stream(self.get_current_device() if device is None else device)

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """The compute capability of a GPU; (0, 0) on a CPU."""
        from eft import _runtime

        if not has_gpu():
            return 0, 0
        number = self.get_current_device() if device is None else device
        return _runtime.device_properties(number)["compute_capability"]

    def get_current_target(self):
        """The target where no argument says otherwise, as a `GPUTarget`: backend
        "cuda", the compute capability as a number (90 for 9.0), 32; or "cpu", None, 1, since a
        program on a CPU is one thread."""
        from eft.triton.backends.compiler import GPUTarget

        if not has_gpu():
            return GPUTarget("cpu", None, 1)
        major, minor = self.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_benchmarker(self):
        from eft.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A tensor of PyTorch that is larger than the device's last cache."""
        import torch

        return torch.empty(64 << 20, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache) -> None:
        cache.zero_()

    def map_python_to_cpp_type(self, ty: str) -> str:
        """The C++ type of an argument by its type in a signature."""
        from eft.triton.backends.driver import cpp_type

        return cpp_type(ty)

    @property
    def utils(self) -> Utilities:
        return Utilities()


class Utilities:
    """Answers about GPUs to scripts that ask."""

    def get_device_properties(self, device: int) -> dict:
        """The facts about a GPU: Eft's own, and under Triton's names `max_shared_mem` (bytes a
        program can have), `max_num_regs`, `multiprocessor_count`, `warpSize`, `sm_clock_rate`,
        `mem_clock_rate` (kHz) and `mem_bus_width` (bits). On a machine without a GPU those of the
        CPU: its threads are the multiprocessors, what is on a program's stack is shared memory."""
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
        """Is always an error: launches load what Eft compiles."""
        from eft.triton.missing import refuse

        refuse("load_binary", "eft._runtime.LoadedKernel.load_cuda loads PTX and cubins")


class DriverConfig:
    """The choice of a driver.

    Attributes:
        default: Eft's own.
        active: the one in use.
    """

    def __init__(self):
        self.default = self.active = ActiveDriver()

    def set_active(self, driver) -> None:
        """Makes programs that ask get another driver. Launches don't ask."""
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
    """Whether programs should run on a GPU, because there is one."""
    from eft import _runtime

    # PyTorch's answer holds in a process that was forked after it had started CUDA, too.
    torch = sys.modules.get("torch")
    if torch and _torch_has_gpu(torch):
        return True
    return not _wants_cpu() and _runtime.device_count() > 0


def _torch_has_gpu(torch) -> bool:
    return not _wants_cpu() and torch.cuda.is_available()


def _torch():
    """PyTorch, or None if it is not installed."""
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return None
    return torch
