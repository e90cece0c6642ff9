# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.jit`."""

from __future__ import annotations

from eft.hooks import CompiledFunction as JitFunctionInfo
from eft.jit import JITFunction, KernelInterface, jit
from eft.language.builtin import constexpr_function, is_constexpr_function
from eft.mock import MockTensor
from eft.reflection import KernelParam
from eft.triton import lazy

__all__ = [
    "JITCallable",
    "JITFunction",
    "JitFunctionInfo",
    "KernelInterface",
    "KernelParam",
    "MockTensor",
    "TensorWrapper",
    "constexpr_function",
    "get_full_name",
    "get_jit_fn_file_line",
    "jit",
    "mangle_type",
    "reinterpret",
    "type_canonicalisation_dict",
]

__getattr__ = lazy.attributes(__name__, {})

#: By the name of a type, the word for the type in signatures.
type_canonicalisation_dict = {
    "bool": "i1",
    "int1": "i1",
    "uint1": "i1",
    "i1": "i1",
    "float8e4nv": "fp8e4nv",
    "float8e5": "fp8e5",
    "float8e4b15": "fp8e4b15",
    "float8_e4m3fn": "fp8e4nv",
    "float8e4b8": "fp8e4b8",
    "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2": "fp8e5",
    "float8e5b16": "fp8e5b16",
    "float8_e5m2fnuz": "fp8e5b16",
    "half": "fp16",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float": "fp32",
    "float32": "fp32",
    "double": "fp64",
    "float64": "fp64",
    "int": "i32",
    "uint": "u32",
    **{
        f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
    },
    "void": "void",
}


class _Callables(type):
    """Makes `isinstance(value, JITCallable)` true for every value that kernels may call."""

    def __instancecheck__(cls, value):
        return isinstance(value, JITFunction) or is_constexpr_function(value)


class JITCallable(metaclass=_Callables):
    """The class that functions under `jit` and `constexpr_function` seem to have: `isinstance`
    finds them to be objects of this class."""


class _ConstexprFunctions(type):
    def __instancecheck__(cls, value):
        return is_constexpr_function(value)


class ConstexprFunction(metaclass=_ConstexprFunctions):
    """The class that functions under `constexpr_function` seem to have. In Eft they are Python
    functions, but `isinstance` finds them to be objects of this class."""

    def __new__(cls, fn):
        return constexpr_function(fn)


class TensorWrapper:
    """An array of PyTorch or NumPy whose elements kernels read as another type of the same size.

    Attributes:
        base: the array.
        dtype: the type of the elements in kernels: a dtype of `tl` or of the array's library.
    """

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.shape = base.shape
        self.data = base.data

    @property
    def device(self):
        return self.base.device

    def data_ptr(self) -> int:
        return self.base.data_ptr() if hasattr(self.base, "data_ptr") else self.base.ctypes.data

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self) -> int:
        return self.base.element_size()

    def _viewed(self):
        """Returns an array of the same library with the same memory and the type `dtype`."""
        base, dtype = self.base, self.dtype
        if not hasattr(base, "data_ptr"):
            import numpy

            return base.view(numpy.dtype(_library_name(dtype)))
        import torch

        is_torch = isinstance(dtype, torch.dtype)
        return base.view(dtype if is_torch else getattr(torch, _library_name(dtype)))

    def __dlpack__(self, **kwargs):
        return self._viewed().__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._viewed().__dlpack_device__()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def _library_name(dtype) -> str:
    """Returns the name that PyTorch and NumPy use for a dtype of `tl`, or for one of their own
    dtypes."""
    name = str(dtype).rpartition(".")[2]
    names = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
             "int1": "bool"}  # fmt: skip
    return names.get(name, name)


def reinterpret(tensor, dtype):
    """Returns an array with the same memory, whose elements kernels read as `dtype`. `dtype` must
    have the same size as the type of the elements."""
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr") or hasattr(tensor, "__array_interface__"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"reinterpret takes a tensor, got {type(tensor).__name__}")


def get_full_name(fn) -> str:
    """Returns the module and the qualified name of a function, with a dot between them."""
    return f"{fn.__module__}.{fn.__qualname__}"


def get_jit_fn_file_line(fn) -> tuple[str, int]:
    """Returns the file and the line of a kernel's `def`. `fn` may also be a wrapper around a
    kernel, such as an `Autotuner`."""
    while not isinstance(fn, JITFunction):
        fn = fn.fn
    place = fn._original_source()
    return place.file, place.place(place.tree)[0]


def mangle_type(arg, specialize: bool = False) -> str:
    """Returns the type that an argument has in a kernel's signature."""
    from eft.warmup import argument_type

    return argument_type(arg)
