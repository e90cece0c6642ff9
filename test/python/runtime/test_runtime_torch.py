# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's tensors on the CPU, through DLPack's C exchange API where PyTorch has it."""

import pytest

torch = pytest.importorskip("torch")

TYPES = [
    (torch.bool, "i1"),
    (torch.int8, "i8"),
    (torch.int16, "i16"),
    (torch.int32, "i32"),
    (torch.int64, "i64"),
    (torch.uint8, "u8"),
    (torch.float16, "fp16"),
    (torch.bfloat16, "bf16"),
    (torch.float32, "fp32"),
    (torch.float64, "fp64"),
]


@pytest.mark.parametrize("dtype, name", TYPES)
def test_types(make_kernel, dtype, name):
    kernel = make_kernel("x")
    x = torch.zeros(4, dtype=dtype)
    kernel[1](x)
    assert (kernel.types, kernel.slots()) == (("*" + name,), [x.data_ptr()])


def test_views_are_their_pointer(make_kernel):
    kernel = make_kernel("x")
    base = torch.zeros(6, 8)
    for x in (base[1:, 3:], base.t(), base[::2], torch.zeros(()), base.expand(2, 6, 8)):
        kernel[1](x)
        assert kernel.slots() == [x.data_ptr()]


def test_an_empty_tensor_is_a_null_pointer(make_kernel):
    kernel = make_kernel("x")
    kernel[1](torch.zeros(0))
    assert kernel.slots() == [0]


def test_parameters_and_tensors_that_require_gradients(make_kernel):
    kernel = make_kernel("x")
    for x in (torch.nn.Parameter(torch.zeros(3)), torch.zeros(3, requires_grad=True)):
        kernel[1](x)
        assert kernel.slots() == [x.data_ptr()]


def test_beside_numpy(make_kernel):
    np = pytest.importorskip("numpy")
    kernel = make_kernel("x, out, a, n", code="add")
    x, out = torch.arange(100, dtype=torch.float32), np.zeros(100, np.float32)
    kernel[lambda meta: ((meta["n"] + 63) // 64,)](x, out, 0.5, 100)
    assert (out == x.numpy() + 0.5).all()


def test_complex_tensors(make_kernel):
    with pytest.raises(TypeError) as caught:
        make_kernel("x", name="dropout")[1](torch.zeros(3, dtype=torch.complex64))
    assert "argument 'x' has element type complex64, expected bool" in str(caught.value)


def test_tensors_without_memory(make_kernel):
    kernel = make_kernel("x", name="dropout")
    with pytest.raises(TypeError) as caught:
        kernel[1](torch.zeros(3).to_sparse())
    assert str(caught.value) == "kernel 'dropout': argument 'x' can't be read by DLPack"
    assert caught.value.__cause__ is not None


def test_a_tensor_on_a_device_that_is_neither(make_kernel):
    with pytest.raises((TypeError, ValueError)) as caught:
        make_kernel("x", name="dropout")[1](torch.zeros(3, device="meta"))
    assert str(caught.value).startswith("kernel 'dropout': argument 'x' ")
