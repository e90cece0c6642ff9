# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.tools.mxfp: numbers of microscaling formats in tensors of PyTorch."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import pytorch
from eft.triton.tools.mxfp import MXFP4Tensor, MXScaleTensor
from pytorch import needs_torch

torch = pytorch.module("torch")
pytestmark = needs_torch


def test_every_code_of_four_bits():
    codes = torch.arange(16, dtype=torch.uint8)
    made = MXFP4Tensor(size=16)
    made.data = codes
    numbers = made.to(torch.float32)
    expected = codes.numpy().view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    assert numbers.tolist() == expected.tolist() and numbers.dtype == torch.float32
    assert MXFP4Tensor(data=numbers).data.tolist() == codes.tolist()


def test_rounding_to_four_bits():
    steps = torch.arange(-32, 33) / 4  # all numbers of the format, midpoints, larger numbers
    found = MXFP4Tensor(data=steps)
    expected = steps.numpy().astype(ml_dtypes.float4_e2m1fn)
    np.testing.assert_array_equal(found.data.numpy(), expected.view(np.uint8))
    rest = torch.tensor([float("inf"), -float("inf"), float("nan")])
    assert MXFP4Tensor(data=rest).to(torch.float32).tolist() == [6, -6, 6]


@pytest.mark.parametrize("shape, dim, packed", [((4, 6), 1, (4, 3)), ((5, 3), 0, (3, 3))])
def test_two_codes_in_a_byte(shape, dim, packed):
    torch.manual_seed(0)
    made = MXFP4Tensor(size=shape).random()
    found = made.to_packed_tensor(dim)
    assert found.shape == packed and found.dtype == torch.uint8
    assert torch.equal(found.select(dim, 0) & 15, made.data.select(dim, 0))
    assert torch.equal(found.select(dim, 0) >> 4, made.data.select(dim, 1))
    assert torch.equal(made.unpack_packed_tensor(found, dim, shape), made.data)


def test_every_scale():
    made = MXScaleTensor(size=(256,))
    made.data = torch.arange(256, dtype=torch.uint8)
    numbers = made.to(torch.float32)
    assert numbers[255].isnan() and numbers[127] == 1 and numbers[0] == 2.0**-127
    assert torch.equal(numbers[1:255], torch.exp2(torch.arange(1.0, 255) - 127))
    assert torch.equal(MXScaleTensor(data=numbers).data, made.data)


def test_numbers_between_scales():
    given = torch.tensor([1.0, 1.99, 0.75, 3.5e38 / 2, 0.0, -1.0, float("inf"), float("nan")])
    assert MXScaleTensor(data=given).data.tolist() == [127, 127, 126, 254, 255, 255, 255, 255]


def test_random_scales_lie_between_bounds():
    found = MXScaleTensor(size=(1000,)).random(low=0.25, high=4.0).to(torch.float32)
    assert sorted(set(found.tolist())) == [0.25, 0.5, 1, 2, 4]
    assert not MXScaleTensor(size=5000).random().to(torch.float32).isnan().any()


@pytest.mark.parametrize(
    "use, error, text",
    [
        (lambda: MXFP4Tensor(), ValueError, "data or size must be given"),
        (lambda: MXFP4Tensor(data=[1.0]), TypeError, "data must be a tensor of PyTorch, got list"),
        (
            lambda: MXFP4Tensor(size=3).random().to(torch.float16),
            TypeError,
            "MXFP4Tensor.to takes torch.float32, got torch.float16",
        ),
        (
            lambda: MXFP4Tensor(size=3).random().to_packed_tensor(1),
            ValueError,
            "dim must be from 0 to 0, got 1",
        ),
        (
            lambda: MXScaleTensor(size=3).random(4, 2),
            ValueError,
            "low must not be above high, got 4 and 2",
        ),
    ],
)
def test_mistakes(use, error, text):
    with pytest.raises(error) as raised:
        use()
    assert str(raised.value) == text
