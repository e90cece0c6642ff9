# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves an array of NumPy to the device on which an operator computes, and results back."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator

from eft import _runtime


class Here:
    """The device on which the array is already: results stay there."""

    def back(self, array):
        return array


class Gpu:
    """A GPU to which PyTorch or CuPy has copied the array: results are copied back to NumPy."""

    def back(self, array):
        return array.get() if hasattr(array, "get") else array.cpu().numpy()


@contextlib.contextmanager
def on_device(device: str | None, array) -> Iterator[tuple[Here | Gpu, object]]:
    """Yields an object whose method `back` brings results back, and the array on `device`.

    Raises:
        ValueError: `device` is given for an array that is not of NumPy, or there is no such device.
        RuntimeError: there is neither PyTorch with CUDA nor CuPy to hold memory of a GPU.
    """
    if device is None:
        yield Here(), array
        return
    if type(array).__module__ != "numpy":
        raise ValueError(f"device is for arrays of NumPy's, got {type(array)}")
    if device == "cpu":
        yield Here(), array
        return
    kind, _, number = device.partition(":") if isinstance(device, str) else ("", "", "")
    if kind != "cuda" or not (number.isdecimal() or device == "cuda"):
        raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:N', got {device!r}")
    gpus = _runtime.device_count()
    if int(number or 0) >= max(gpus, 1):
        raise ValueError(
            f"there is no device {device!r}: this process can use {gpus} NVIDIA "
            f"GPU{'' if gpus == 1 else 's'}"
        )
    torch, cupy = _find("torch"), _find("cupy")
    if torch is not None and torch.cuda.is_available():
        yield Gpu(), torch.from_numpy(array.copy()).to(device)
    elif cupy is not None:
        with cupy.cuda.Device(int(number or 0)):
            yield Gpu(), cupy.asarray(array)
    else:
        raise RuntimeError(
            f"device {device!r} needs PyTorch with CUDA, or CuPy, to hold the array there"
        )


def _find(name: str):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
