# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as arguments, read by each protocol: their element type, their device and address."""

import array
import ctypes

import numpy as np
import pytest
from runtime_kernels import failure, float_bits, read

ELEMENTS = (
    "expected bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64 or an "
    "8-bit float"
)
NUMPY_TYPES = [
    ("bool", "i1"),
    ("int8", "i8"),
    ("int16", "i16"),
    ("int32", "i32"),
    ("int64", "i64"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
    ("float16", "fp16"),
    ("float32", "fp32"),
    ("float64", "fp64"),
]


@pytest.mark.parametrize("dtype, name", NUMPY_TYPES)
def test_numpy_arrays(make_kernel, dtype, name):
    x = np.zeros(5, dtype)
    assert read(make_kernel, x) == ("*" + name, x.ctypes.data)
    x.flags.writeable = False
    assert read(make_kernel, x) == ("*k" + name, x.ctypes.data)


def test_numpy_arrays_of_every_shape_are_their_pointer(make_kernel):
    x = np.zeros((4, 6), np.float32)
    for view in (x, x[1:, 2:], x.T, x[::2], x[::-1], x[0, 0:0], np.zeros((), np.float32)):
        assert read(make_kernel, view) == ("*fp32", view.ctypes.data)


def test_numpy_subclasses(make_kernel, tmp_path):
    x = np.memmap(tmp_path / "x", np.int16, "w+", shape=4)
    assert read(make_kernel, x) == ("*i16", x.ctypes.data)


def test_ml_dtypes_bfloat16(make_kernel):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.zeros(5, ml_dtypes.bfloat16)
    assert read(make_kernel, x) == ("*bf16", x.ctypes.data)
    assert read(make_kernel, ml_dtypes.bfloat16(0.5)) == ("fp32", float_bits(0.5))
    assert failure(make_kernel, np.zeros(5, ml_dtypes.float8_e4m3)) == (
        f"kernel 'dropout': argument 'x' has element type float8_e4m3, {ELEMENTS}"
    )


@pytest.mark.parametrize(
    "name, type_",
    [
        ("float8_e4m3fn", "*fp8e4nv"),
        ("float8_e5m2", "*fp8e5"),
        ("float8_e4m3fnuz", "*fp8e4b8"),
        ("float8_e5m2fnuz", "*fp8e5b16"),
    ],
)
def test_ml_dtypes_of_eight_bits(make_kernel, name, type_):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.zeros(5, getattr(ml_dtypes, name))
    assert read(make_kernel, x) == (type_, x.ctypes.data)


@pytest.mark.parametrize(
    "dtype, found",
    [
        ("complex64", "complex64"),
        (">f4", ">f4"),
        ("U3", "<U3"),
        ("O", "object"),
        ("M8[s]", "datetime64[s]"),
        ([("a", "f4")], "[('a', '<f4')]"),
        (np.longdouble, "float128"),
    ],
)
def test_numpy_element_types_that_kernels_have_no_use_for(make_kernel, dtype, found):
    assert failure(make_kernel, np.zeros(5, dtype)) == (
        f"kernel 'dropout': argument 'x' has element type {found}, {ELEMENTS}"
    )


def test_many_dtype_objects_made_on_the_fly(make_kernel):
    kernel = make_kernel("x")
    for i in range(200):
        kernel[1](np.zeros(1, np.dtype("f4", metadata={"i": i})))
    assert [types for _, _, types, *_ in kernel.compiled] == [("*fp32",)]


@pytest.mark.parametrize(
    "value, name",
    [
        (array.array("f", [1, 2]), "*fp32"),
        (array.array("q", [1]), "*i64"),
        (array.array("L", [1]), "*u64"),
        (array.array("b", [1]), "*i8"),
        (bytearray(4), "*u8"),
        (bytes(4), "*ku8"),
        (memoryview(bytearray(8)).cast("d"), "*fp64"),
        (memoryview(bytearray(8)).cast("?"), "*i1"),
        (memoryview(bytes(8)).cast("h"), "*ki16"),
        ((ctypes.c_int32 * 4)(), "*i32"),
    ],
)
def test_buffers(make_kernel, value, name):
    type_, address = read(make_kernel, value)
    assert type_ == name
    assert address == np.frombuffer(value, np.uint8).ctypes.data


def test_buffers_of_other_elements(make_kernel):
    value = memoryview(bytearray(8)).cast("c")
    assert failure(make_kernel, value) == (
        f"kernel 'dropout': argument 'x' has element type 'c', {ELEMENTS}"
    )


def test_a_buffer_is_held_only_as_long_as_the_launch(make_kernel):
    value = bytearray(4)
    read(make_kernel, value)
    value.append(1)  # raises BufferError if a buffer is still held


class Interface:
    """An object with a copy of another object's array interface, with changes."""

    def __init__(self, of, **changes):
        self.of = of
        self.__array_interface__ = {**of.__array_interface__, **changes}


def test_array_interface(make_kernel):
    x = np.zeros(3, np.uint16)
    assert read(make_kernel, Interface(x)) == ("*u16", x.ctypes.data)
    x.flags.writeable = False
    assert read(make_kernel, Interface(x)) == ("*ku16", x.ctypes.data)


def test_array_interfaces_that_say_too_little_or_too_much(make_kernel):
    x = np.zeros(3, np.uint16)
    assert failure(make_kernel, Interface(x, data=None)) == (
        "kernel 'dropout': argument 'x' has an array interface without 'data' or 'typestr'"
    )
    assert failure(make_kernel, Interface(x, typestr=">f4")) == (
        f"kernel 'dropout': argument 'x' has element type '>f4', {ELEMENTS}"
    )
    assert failure(make_kernel, Interface(x, data=("0x10", False))) == (
        "kernel 'dropout': argument 'x' has no address: an array interface's 'data' gives '0x10'"
    )
    assert failure(make_kernel, Interface(x, typestr=5)) == (
        "kernel 'dropout': argument 'x' has an array interface whose 'typestr' must be a str, got 5"
    )


NO_MEMORY = "kernel 'dropout': argument 'x' has no memory: its address is 0"


def test_array_interfaces_without_memory(make_kernel):
    x = np.zeros((3, 4), np.uint16)
    for data in [(0, False), (None, False)]:
        found = failure(make_kernel, Interface(x, data=data))
        assert found == NO_MEMORY + ", and it has 12 elements"
        assert failure(make_kernel, Interface(x, data=data, shape=None)) == NO_MEMORY
        assert failure(make_kernel, Interface(x, data=data, shape=("a",))) == NO_MEMORY
        assert read(make_kernel, Interface(x, data=data, shape=(3, 0))) == ("*u16", 0)


def test_numpy_arrays_without_memory(make_kernel):
    read(make_kernel, np.zeros(3, np.uint16))  # teaches the runtime NumPy's structs
    for shape, message in [((2, 3), ", and it has 6 elements"), ((), ", and it has 1 element")]:
        x = np.zeros(shape, np.uint16)
        address = ctypes.c_void_p.from_address(id(x) + object.__basicsize__)
        assert address.value == x.ctypes.data
        memory, address.value = address.value, 0
        try:
            assert failure(make_kernel, x) == NO_MEMORY + message
        finally:
            address.value = memory


class DLPackOnly:
    """An object that has only the methods __dlpack__ and __dlpack_device__ of a NumPy array."""

    def __init__(self, of, device=(1, 0)):
        self.of, self.device, self.calls = of, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kwargs):
        self.calls.append(kwargs)
        return self.of.__dlpack__(**kwargs)


class OldDLPack(DLPackOnly):
    def __dlpack__(self, stream=None):
        return self.of.__dlpack__()


@pytest.mark.parametrize("type_", [DLPackOnly, OldDLPack])
def test_dlpack(make_kernel, type_):
    x = np.arange(8, dtype=np.float32)[2:]
    assert read(make_kernel, type_(x)) == ("*fp32", x.ctypes.data)


def test_dlpack_read_only(make_kernel):
    x = np.zeros(3, np.float32)
    x.flags.writeable = False
    value = DLPackOnly(x)
    assert read(make_kernel, value) == ("*kfp32", x.ctypes.data)
    assert value.calls == [{"max_version": (1, 3), "copy": False}]


def test_dlpack_that_fails(make_kernel):
    class Broken(DLPackOnly):
        def __dlpack__(self, **kwargs):
            raise BufferError("not today")

    kernel = make_kernel("x", name="dropout")
    with pytest.raises(TypeError) as caught:
        kernel[1](Broken(None))
    assert str(caught.value) == "kernel 'dropout': argument 'x' can't be read by DLPack: not today"
    assert isinstance(caught.value.__cause__, BufferError)


@pytest.mark.parametrize("answer", [5, (1,), ("cpu", 0), (1, 0, 0), [1, 0], None, (1 << 40, 0)])
def test_dlpack_devices_that_are_none(make_kernel, answer):
    assert failure(make_kernel, DLPackOnly(np.zeros(3, np.float32), answer)) == (
        "kernel 'dropout': argument 'x' must return two ints from __dlpack_device__, got "
        + repr(answer)
    )


def test_dlpack_without_a_capsule(make_kernel):
    class Strange(DLPackOnly):
        def __dlpack__(self, **kwargs):
            return 5

    assert failure(make_kernel, Strange(None)) == (
        "kernel 'dropout': argument 'x' must return a DLPack capsule from __dlpack__, got 5"
    )


def test_dlpack_complex(make_kernel):
    assert failure(make_kernel, DLPackOnly(np.zeros(3, np.complex64))) == (
        f"kernel 'dropout': argument 'x' has element type complex64, {ELEMENTS}"
    )


class Standin:
    """An object with data_ptr() and dtype, like objects that wrap or replace tensors."""

    def __init__(self, address, dtype, **more):
        self.address, self.dtype = address, dtype
        self.__dict__.update(more)

    def data_ptr(self):
        return self.address


def test_data_ptr_objects(make_kernel):
    for dtype, name in [("torch.float32", "*fp32"), ("bf16", "*bf16"), ("int1", "*i1")]:
        assert read(make_kernel, Standin(4096, dtype)) == (name, 4096)
    assert read(make_kernel, Standin(4096, np.dtype("i2"), device="cpu")) == ("*i16", 4096)
    assert failure(make_kernel, Standin(4096, "torch.complex64")) == (
        f"kernel 'dropout': argument 'x' has element type torch.complex64, {ELEMENTS}"
    )
    assert failure(make_kernel, Standin(4096, "int8", device="xpu:0"), ValueError) == (
        "kernel 'dropout': argument 'x' is on 'xpu:0', expected a CPU or a CUDA device"
    )


@pytest.mark.parametrize("device", ["cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:99999999999"])
def test_data_ptr_on_a_device_that_is_none(make_kernel, device):
    assert failure(make_kernel, Standin(4096, "int8", device=device), ValueError) == (
        f"kernel 'dropout': argument 'x' is on '{device}', expected a CPU or a CUDA device"
    )


def test_data_ptr_without_memory(make_kernel):
    assert failure(make_kernel, Standin(0, "int8")) == NO_MEMORY
    more = {"shape": (2, 3), "device": "cpu"}
    assert failure(make_kernel, Standin(0, "int8", **more)) == NO_MEMORY + ", and it has 6 elements"
    assert read(make_kernel, Standin(0, "int8", shape=(2, 0), device="cpu")) == ("*i8", 0)


@pytest.mark.parametrize("address", ["4096", None, -1, 1 << 64, 1.5])
def test_data_ptr_that_gives_no_address(make_kernel, address):
    assert failure(make_kernel, Standin(address, "int8")) == (
        f"kernel 'dropout': argument 'x' has no address: data_ptr() gives {address!r}"
    )


def test_attributes_that_raise_pass_through(make_kernel):
    class Broken(Standin):
        def data_ptr(self):
            raise ZeroDivisionError("own trouble")

    with pytest.raises(ZeroDivisionError, match="own trouble"):
        make_kernel("x")[1](Broken(0, "int8"))


def test_a_buffer_of_pointers(make_kernel):
    testbuffer = pytest.importorskip("_testbuffer", reason="this Python comes without its tests")
    rows = testbuffer.ndarray([1.0] * 4, shape=[2, 2], format="f", flags=testbuffer.ND_PIL)
    assert failure(make_kernel, rows) == (
        "kernel 'dropout': argument 'x' is a buffer of pointers, expected plain memory"
    )


def test_an_array_type_whose_object_offers_nothing(make_kernel):
    class Sometimes:
        @property
        def __cuda_array_interface__(self):
            raise AttributeError("on the host")

    message = failure(make_kernel, Sometimes())
    assert message.startswith("kernel 'dropout': argument 'x' is of type ")
    assert message.endswith("Sometimes, but this one can't be read as an array")
