# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""eft.ops.torch: gradients, PyTorch's own checks, compilation and checkpointing."""

from __future__ import annotations

import numpy as np
import pytest
import pytorch
from pytorch import needs_torch

torch = pytorch.module("torch")
ops = pytorch.module("eft.ops.torch")
pytestmark = needs_torch


def ones(where, *shape):
    return torch.ones(shape, device=where, requires_grad=True)


def test_seeds_have_64_bits(where):
    x = ones(where, 4, 100)
    for seed in (-1, 2**64 - 1):
        y = ops.dropout(x, 0.5, seed=seed)
        assert torch.equal(y, ops.dropout(x, 0.5, seed=-1))
        y.sum().backward()
    for seed in (0, 2**64, -(2**63) - 1):
        with pytest.raises(ValueError) as raised:
            ops.dropout(x, 0.5, seed=seed)
        text = f"seed must be an integer of 64 bits other than 0, got {seed}"
        assert str(raised.value) == text


@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (2, 3, 100), (4, 0)])
def test_takes_every_shape(where, shape):
    x = ones(where, *shape)
    y = ops.dropout(x, 0.5, seed=3)
    assert y.shape == x.shape
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())  # both are 0 or 2, since x is 1


def test_the_gradient_is_pytorchs(where):
    x = torch.randn(20, 300, device=where, requires_grad=True)
    weight = torch.randn(20, 300, device=where)
    y = ops.dropout(x, 0.25, seed=3)
    (y * weight).sum().backward()
    kept = (ops.dropout(torch.ones_like(x), 0.25, seed=3, scale_in_train=False) != 0).float()
    z = x.detach().clone().requires_grad_()
    s = torch.tensor(1.0) / (torch.tensor(1.0) - torch.tensor(0.25))
    (z * kept * s * weight).sum().backward()
    torch.testing.assert_close(x.grad, z.grad)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float64"])
def test_other_types(where, name):
    x = torch.randn(3, 4, 70, device=where, dtype=getattr(torch, name), requires_grad=True)
    y = ops.dropout(x, 0.5, seed=3)
    assert y.dtype == x.dtype
    y.sum().backward()  # the gradient of the sum has strides of 0
    kept = ops.dropout(torch.ones(12, 70), 0.5, seed=3).reshape(3, 4, 70).to(x)
    assert torch.equal(y, x * kept) and torch.equal(x.grad, kept)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("shape", [(3, 8), (1024, 72), (1100, 264), (1101, 260), (1163, 9)])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_small_types_that_begin_anywhere(where, name, shape, offset, p):
    count = shape[0] * shape[1]
    x = torch.randn(count + offset, device=where, dtype=getattr(torch, name))[offset:].view(shape)
    kept = ops.dropout(torch.ones(shape), p, seed=3).to(x)
    assert torch.equal(ops.dropout(x, p, seed=3), x * kept)


def test_keeps_the_layout(where):
    x = torch.randn(2, 30, 20, 10, device=where).to(memory_format=torch.channels_last)
    y = ops.dropout(x, 0.5, seed=3)
    assert y.stride() == x.stride()
    assert torch.equal(y, ops.dropout(x.contiguous(), 0.5, seed=3))
    turned = torch.randn(300, 40, device=where).T
    assert ops.dropout(turned, 0.5, seed=3).stride() == turned.stride()


def test_a_view_that_is_negative_when_it_is_read(where):
    x = torch.randn(30, 40, dtype=torch.complex64, device=where).conj().imag
    assert torch.equal(ops.dropout(x, 0.5, seed=3), ops.dropout(x.clone(), 0.5, seed=3))


def test_the_gradients_gradient(where):
    x, weight = ones(where, 6, 70), ones(where, 6, 70)
    y = ops.dropout(x, 0.5, seed=3)
    (dx,) = torch.autograd.grad((y * weight).sum(), x, create_graph=True)
    dx.sum().backward()
    assert torch.equal(weight.grad, y.detach())


def test_streams_drop_alike_and_keep_their_order():
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x = torch.zeros(3000, 1001, device="cuda")
    torch.cuda.synchronize()
    found = []
    for stream in [torch.cuda.Stream() for _ in range(4)]:
        with torch.cuda.stream(stream):
            mine = x + 3
            found.append(ops.dropout(mine, 0.5, seed=3) + 1)
    torch.cuda.synchronize()
    expected = ops.dropout(torch.full((3000, 1001), 3.0), 0.5, seed=3) + 1
    for each in found:
        assert torch.equal(each.cpu(), expected)


def test_pytorchs_own_checks(where):
    x = torch.randn(5, 70, device=where, requires_grad=True)
    seed = torch.tensor(9)
    torch.library.opcheck(torch.ops.eft.dropout.default, (x, seed, 0.5, True))
    torch.library.opcheck(torch.ops.eft.dropout_backward.default, (x, seed, 0.5, False))
    turned = torch.randn(70, 5, device=where, dtype=torch.float16).T.requires_grad_()
    torch.library.opcheck(torch.ops.eft.dropout.default, (turned, seed, 0.5, True))


def test_draws_from_pytorchs_generator(where):
    x = ones(where, 4, 100)
    torch.manual_seed(1)
    first, second = ops.dropout(x), ops.dropout(x)
    assert not torch.equal(first, second)
    torch.manual_seed(1)
    assert torch.equal(ops.dropout(x), first)


def test_checkpointing_drops_the_same_again(where):
    from torch.utils.checkpoint import checkpoint

    x = ones(where, 4, 100)
    seen = []

    def block(x):
        seen.append(ops.dropout(x, 0.5))
        return seen[-1] ** 2  # the gradient of the square needs y

    checkpoint(block, x, use_reentrant=False).sum().backward()
    assert len(seen) == 2 and torch.equal(*seen)
    assert torch.equal(x.grad, 4 * seen[0])  # 2 y dy/dx, where y = 2 x for kept elements


def test_one_graph_of_torch_compile(where):
    compiled = torch.compile(
        lambda x: ops.dropout(x * 1, 0.5, seed=5) + 1, backend="aot_eager", fullgraph=True
    )
    x = ones(where, 4, 100)
    y = compiled(x)
    assert torch.equal(y, ops.dropout(x, 0.5, seed=5) + 1)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach() - 1)


def test_a_compiled_graph_draws_anew(where):
    compiled = torch.compile(lambda x: ops.dropout(x), backend="aot_eager", fullgraph=True)
    x = ones(where, 4, 100)
    assert not torch.equal(compiled(x), compiled(x))


def test_numbers_of_numpy_are_numbers(where):
    x = ones(where, 4, 100)
    expected = ops.dropout(x, 0.25, seed=5)
    assert torch.equal(ops.dropout(x, np.float32(0.25), seed=np.int32(5)), expected)
    assert torch.equal(ops.dropout(x, np.float64(0.25), seed=np.uint64(5)), expected)


def test_a_mistake(where):
    with pytest.raises(TypeError, match="^seed must be an integer, got 'a'$"):
        ops.dropout(ones(where, 2, 2), seed="a")
    with pytest.raises(TypeError, match="^p must be a number, got 'a'$"):
        ops.dropout(ones(where, 2, 2), "a")
    with pytest.raises(ValueError, match="p is -1.000000, expected 0 to 1"):
        ops.dropout(ones(where, 2, 2), -1.0)
    with pytest.raises(ValueError, match="X has dtype i32, expected fp16, bf16, fp32 or fp64"):
        ops.dropout(torch.ones(2, 2, dtype=torch.int32, device=where))


def test_agrees_with_numpy(where):
    import eft.ops

    x = np.random.default_rng(0).standard_normal((30, 500)).astype(np.float32)
    expected, _ = eft.ops.dropout(x, 0.5, 11)
    found = ops.dropout(torch.from_numpy(x).to(where), 0.5, 11)
    np.testing.assert_array_equal(found.cpu().numpy(), expected)
