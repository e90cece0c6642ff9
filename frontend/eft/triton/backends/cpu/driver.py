# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A driver in Triton's sense for the CPU: it answers the questions of programs about the device."""

from eft.triton.backends.compiler import GPUTarget
from eft.triton.backends.driver import DriverBase
from eft.triton.runtime.driver import ActiveDriver, driver

__all__ = ["CPUDriver"]


class CPUDriver(ActiveDriver, DriverBase):
    @classmethod
    def is_active(cls) -> bool:
        """Whether programs should run on the CPU: there is no GPU, or TRITON_INTERPRET is set."""
        return driver.default.get_current_target().backend == "cpu"

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", None, 1)
