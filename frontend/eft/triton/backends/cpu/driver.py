# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers for the CPU to the questions that programs ask a driver of Triton's."""

from eft.triton.backends.compiler import GPUTarget
from eft.triton.backends.driver import DriverBase
from eft.triton.runtime.driver import ActiveDriver, driver

__all__ = ["CPUDriver"]


class CPUDriver(ActiveDriver, DriverBase):
    @classmethod
    def is_active(cls) -> bool:
        """Whether programs should run on the CPU, because there is no GPU."""
        return driver.default.get_current_target().backend == "cpu"

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", None, 1)
