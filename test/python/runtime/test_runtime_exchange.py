# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack on GPUs: its C exchange API, and its capsules."""

import ctypes

import numpy as np
import pytest
from eft import _runtime as runtime
from runtime_fake_cuda import GPU0, GPU1, CudaKernel, message, with_fake_cuda


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Api(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("describe", ctypes.c_void_p),
        ("current_stream", ctypes.c_void_p),
    ]


def capsule(structure, name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    kept.extend([structure, name])
    return new(ctypes.addressof(structure), name, None)


kept = []  # keeps objects alive to which ctypes structures point
no_elements = (ctypes.c_int64 * 1)(0)
six_elements = (ctypes.c_int64 * 2)(2, 3)


def gpu_tensor(address, device, code=2, bits=32, lanes=1, byte_offset=0, device_type=2):
    return Tensor(address, device_type, device, 1, code, bits, lanes, None, None, byte_offset)


def make_exchange_type(direct=True, flags=0, major=1):
    """A type with DLPack's C exchange API, which describes the attribute `tensor` of an object."""

    def describe(object_, out):
        if object_.tensor is None:
            raise BufferError("nothing there")
        ctypes.memmove(out, ctypes.addressof(object_.tensor), ctypes.sizeof(Tensor))
        return 0

    def from_object(object_, out):
        managed = Versioned(1, 0, None, None, flags, object_.tensor)
        kept.append(managed)
        out[0] = ctypes.addressof(managed)
        return 0

    def current_stream(type_, device, out):
        out[0] = 50 + device
        return 0

    pyobject, pointer = ctypes.py_object, ctypes.POINTER(ctypes.c_void_p)
    callbacks = [
        ctypes.PYFUNCTYPE(ctypes.c_int, pyobject, pointer)(from_object),
        ctypes.PYFUNCTYPE(ctypes.c_int, pyobject, ctypes.c_void_p)(describe),
        ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, pointer)(current_stream),
    ]
    first, second, third = (ctypes.cast(each, ctypes.c_void_p) for each in callbacks)
    api = Api(major, 3, None, None, first, None, second if direct else None, third)
    kept.append(callbacks)

    class Exchange:
        __dlpack_c_exchange_api__ = capsule(api, b"dlpack_exchange_api")

        def __init__(self, tensor):
            self.tensor = tensor

    return Exchange


@with_fake_cuda
def test_the_exchange_api(fake):
    for direct in (True, False):
        exchange = make_exchange_type(direct)
        kernel = CudaKernel("x, y")
        empty = gpu_tensor(0, 1, 4, 16)
        empty.shape = ctypes.addressof(no_elements)
        kernel[1](exchange(gpu_tensor(GPU1, 1, byte_offset=8)), exchange(empty))
        assert kernel.compiled == [("cuda:90", 1, ("*fp32", "*bf16"))]
        assert fake.launches()[0].endswith("stream 51: 1100000008 0")


@with_fake_cuda
def test_the_exchange_api_without_memory(fake):
    for direct in (True, False):
        exchange = make_exchange_type(direct)
        tensor = gpu_tensor(0, 0, byte_offset=8)
        assert message(lambda t=tensor, e=exchange: CudaKernel("x")[1](e(t)), TypeError) == (
            "kernel 'dropout': argument 'x' has no memory: its address is 0"
        )
        tensor.ndim, tensor.shape = 2, ctypes.addressof(six_elements)
        assert message(lambda t=tensor, e=exchange: CudaKernel("x")[1](e(t)), TypeError) == (
            "kernel 'dropout': argument 'x' has no memory: its address is 0, and it has 6 elements"
        )


@with_fake_cuda
def test_the_exchange_api_knows_read_only_arrays(fake):
    exchange = make_exchange_type(direct=False, flags=1)
    kernel = CudaKernel("x")
    kernel[1](exchange(gpu_tensor(GPU0, 0)))
    assert kernel.compiled[0][2] == ("*kfp32",)


@with_fake_cuda
def test_an_exchange_api_of_another_major_version_is_left_alone(fake):
    exchange = make_exchange_type(major=2)
    assert message(lambda: CudaKernel("x")[1](exchange(None)), TypeError).startswith(
        "kernel 'dropout': argument 'x' must be an array, int, float, bool or None, got "
    )


@with_fake_cuda
def test_managed_and_pinned_memory(fake):
    exchange = make_exchange_type()
    pinned = exchange(gpu_tensor(4096, 0, device_type=3))
    managed = exchange(gpu_tensor(GPU1, 1, device_type=13))
    kernel = CudaKernel("x, y")
    kernel[1](pinned, managed)
    kernel[1](managed, pinned)
    assert [device for _, device, _ in kernel.compiled] == [1]
    kernel = CudaKernel("x, y")
    with pytest.raises(runtime.CudaError):
        kernel[1](pinned, np.zeros(3, np.float32))
    assert kernel.compiled[0][0] == "cpu"


@with_fake_cuda
def test_other_devices_of_dlpack(fake):
    exchange = make_exchange_type()
    x = exchange(gpu_tensor(4096, 0, device_type=10))
    assert message(lambda: CudaKernel("x")[1](x), ValueError) == (
        "kernel 'dropout': argument 'x' is on a device of DLPack's type 10, expected a CPU or a "
        "CUDA device"
    )


@with_fake_cuda
def test_other_element_types_of_dlpack(fake):
    exchange = make_exchange_type()
    for code, bits, lanes, name in [
        (5, 64, 1, "complex64"),
        (9, 8, 1, "float8_e4m3b11fnuz"),
        (2, 32, 4, "float32x4"),
        (0, 4, 1, "int4"),
        (99, 8, 1, "of DLPack's code 99"),
    ]:
        x = exchange(gpu_tensor(GPU0, 0, code, bits, lanes))
        assert message(lambda x=x: CudaKernel("x")[1](x), TypeError).startswith(
            f"kernel 'dropout': argument 'x' has element type {name}, expected bool, int8"
        )


class Capsuled:
    """An array on GPU 1 that has only the methods __dlpack__ and __dlpack_device__."""

    def __init__(self, structure, name):
        self.structure, self.name, self.calls = structure, name, []

    def __dlpack_device__(self):
        return 2, 1

    def __dlpack__(self, **kwargs):
        self.calls.append(kwargs)
        return capsule(self.structure, self.name)


@with_fake_cuda
def test_dlpack_capsules(fake):
    tensor = gpu_tensor(GPU1, 1)
    for value, type_ in [
        (Capsuled(Versioned(1, 0, None, None, 0, tensor), b"dltensor_versioned"), "*fp32"),
        (Capsuled(Versioned(1, 9, None, None, 1, tensor), b"dltensor_versioned"), "*kfp32"),
        (Capsuled(Managed(tensor), b"dltensor"), "*fp32"),
    ]:
        kernel = CudaKernel("x")
        kernel[1](value)
        assert kernel.compiled == [("cuda:90", 1, (type_,))]
        assert value.calls == [{"stream": 1, "max_version": (1, 3), "copy": False}]


@with_fake_cuda
def test_dlpack_capsules_that_do_not_serve(fake):
    tensor = gpu_tensor(GPU1, 1)
    copied = Capsuled(Versioned(1, 0, None, None, 2, tensor), b"dltensor_versioned")
    assert message(lambda: CudaKernel("x")[1](copied), TypeError) == (
        "kernel 'dropout': argument 'x' is handed out by DLPack as a copy only, so a kernel can't "
        "work on it in place"
    )
    newer = Capsuled(Versioned(2, 1, None, None, 0, tensor), b"dltensor_versioned")
    assert message(lambda: CudaKernel("x")[1](newer), TypeError) == (
        "kernel 'dropout': argument 'x' speaks DLPack 2.1, expected version 1"
    )
