# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The devices of the tests, and arrays on them. This module does not import Eft."""

from __future__ import annotations

import ml_dtypes
import numpy as np

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class Cpu:
    """The CPU, whose arrays are NumPy's."""

    name = "cpu"

    def put(self, array: np.ndarray):
        """A copy of `array` on the device."""
        return array.copy()

    def get(self, array) -> np.ndarray:
        """The NumPy array with the contents of `array`, which `put` has made."""
        return array


class Cuda:
    """The first GPU, whose arrays are PyTorch tensors."""

    name = "cuda"

    def __init__(self):
        import torch

        self.torch = torch

    def put(self, array: np.ndarray):
        array = np.asarray(array)  # NumPy turns arrays without axes into scalars
        if array.dtype == _BFLOAT16:
            return self.torch.from_numpy(array.view(np.int16)).cuda().view(self.torch.bfloat16)
        if array.dtype.name.startswith("float8_"):
            dtype = getattr(self.torch, array.dtype.name)
            return self.torch.from_numpy(array.view(np.uint8)).cuda().view(dtype)
        return self.torch.from_numpy(array).cuda()

    def get(self, array) -> np.ndarray:
        if array.dtype == self.torch.bfloat16:
            return array.view(self.torch.int16).cpu().numpy().view(_BFLOAT16)
        if self.torch.is_tensor(array) and array.dtype.itemsize == 1 and array.is_floating_point():
            name = str(array.dtype).removeprefix("torch.")
            return array.view(self.torch.uint8).cpu().numpy().view(getattr(ml_dtypes, name))
        return array.cpu().numpy()
