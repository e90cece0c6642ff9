# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime`: above all `driver.active`, by which a script asks for the device."""

from __future__ import annotations

from types import SimpleNamespace

from eft import JITFunction, MockTensor, jit
from eft.triton import missing

__all__ = ["JITFunction", "MockTensor", "driver", "jit"]
__path__ = []  # so that `triton.runtime.autotuner` is looked for


class Target:
    """What Eft compiles for where no argument says otherwise.

    Attributes:
        backend: "cuda" or "cpu".
        arch: the compute capability as a number (90 for 9.0), or None for a CPU.
        warp_size: 32 on a GPU. A program on a CPU is one thread, so 1 there.
    """

    def __init__(self, backend: str, arch: int | None, warp_size: int):
        self.backend = backend
        self.arch = arch
        self.warp_size = warp_size

    def __repr__(self):
        return f"Target(backend={self.backend!r}, arch={self.arch!r}, warp_size={self.warp_size})"


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
    """The device that scripts should put their arrays on: the first GPU, or the CPU."""

    def get_active_torch_device(self):
        """The device's name: `cuda:N` with the current GPU if there is one, else `cpu`. A
        `torch.device` if PyTorch is installed, else a `Device`, which is a string."""
        torch = _torch()
        if torch is None:
            from eft import _runtime

            return Device("cuda", 0) if _runtime.device_count() > 0 else Device("cpu")
        if torch.cuda.is_available():
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
        return torch.cuda if torch.cuda.is_available() else torch.cpu

    def get_current_device(self) -> int:
        """The number of the current GPU; 0 on a CPU."""
        import sys

        torch = sys.modules.get("torch")
        return torch.cuda.current_device() if torch and torch.cuda.is_available() else 0

    def get_current_target(self) -> Target:
        from eft import _runtime

        if _runtime.device_count() == 0:
            return Target("cpu", None, 1)
        properties = _runtime.device_properties(self.get_current_device())
        major, minor = properties["compute_capability"]
        return Target("cuda", major * 10 + minor, 32)

    def get_benchmarker(self):
        from eft.testing import do_bench

        return do_bench

    @property
    def utils(self):
        from eft import _runtime

        return SimpleNamespace(get_device_properties=_runtime.device_properties)


class Driver:
    active = ActiveDriver()

    def __repr__(self):
        return "<Eft's driver>"


driver = Driver()


def _torch():
    """PyTorch, or None if it is not installed."""
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return None
    return torch


def __getattr__(name: str):
    if name in ("Autotuner", "Config", "Heuristics", "autotune", "heuristics"):
        import eft.tuning as tuning  # only loaded by who asks for them

        return getattr(tuning, name)
    return missing.attribute("triton.runtime", name)
