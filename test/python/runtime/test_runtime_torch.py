# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's tensors on the CPU, through DLPack's C exchange API if PyTorch has it."""

import pytest
import pytorch
from pytorch import needs_torch

torch = pytorch.module("torch")
pytestmark = needs_torch

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
    assert str(caught.value) == f"kernel 'dropout': argument 'x' {NO_STORAGE}"
    assert caught.value.__cause__ is not None


def test_a_tensor_on_a_device_that_is_neither(make_kernel):
    with pytest.raises((TypeError, ValueError)) as caught:
        make_kernel("x", name="dropout")[1](torch.zeros(3, device="meta"))
    assert str(caught.value).startswith("kernel 'dropout': argument 'x' ")


def fake_tensor():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(2, 3)


def freed_tensor():
    x = torch.zeros(2, 3)
    x.untyped_storage().resize_(0)
    return x


NO_MEMORY = "has no memory: its address is 0, and it has 6 elements"
NO_STORAGE = (
    "can't be read by DLPack: Cannot access data pointer of Tensor that doesn't have storage"
)
REFUSED = {
    "fake": (fake_tensor, NO_MEMORY),
    "freed": (freed_tensor, NO_MEMORY),
    "functional": (lambda: torch._to_functional_tensor(torch.zeros(2, 3)), NO_MEMORY),
    "zeros without memory": (lambda: torch._efficientzerotensor(2, 3), NO_MEMORY),
    "meta": (lambda: torch.zeros(6, device="meta"), "has no memory: it is on the device 'meta'"),
    "sparse": (lambda: torch.zeros(6).to_sparse(), NO_STORAGE),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.zeros(6), 1.0, 0, torch.qint8),
        "can't be read by DLPack: QUInt/QInt types are not supported by dlpack",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", REFUSED)
def test_tensors_without_memory_that_a_kernel_could_use(make_kernel, kind):
    make, expected = REFUSED[kind]
    with pytest.raises(TypeError) as caught:
        make_kernel("x", name="dropout")[1](make())
    found = str(caught.value)
    if has_exchange():
        assert found == f"kernel 'dropout': argument 'x' {expected}"
    assert found.startswith("kernel 'dropout': argument 'x' ")


def has_exchange():
    """Whether PyTorch has DLPack's C exchange API. Older versions raise other messages."""
    return hasattr(torch.Tensor, "__dlpack_c_exchange_api__")


def test_tensors_inside_a_transformation(make_kernel):
    kernel = make_kernel("x", name="dropout")

    def launch(x):
        kernel[1](x)
        return x.sum()

    for transformed in (torch.func.grad(launch), torch.func.vmap(launch)):
        with pytest.raises((TypeError, RuntimeError), match="storage"):
            transformed(torch.zeros(2, 3))


def test_negated_views_are_refused(make_kernel):
    if not has_exchange():
        pytest.skip("tensors are read in another way")
    kernel = make_kernel("x", name="dropout")
    z = torch.ones(4, dtype=torch.complex64).conj()
    for x in (z.imag, z[0].imag):
        assert x.is_neg()
        with pytest.raises(TypeError) as caught:
            kernel[1](x)
        assert str(caught.value) == (
            "kernel 'dropout': argument 'x' is a view of numbers of the other sign (its negative "
            "bit is set), expected one of its own numbers: resolve_neg() makes it"
        )
        kernel[1](x.resolve_neg())
    kernel[1](z.real)
