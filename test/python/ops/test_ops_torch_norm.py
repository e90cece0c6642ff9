# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The norms of eft.ops.torch: gradients, PyTorch's own checks, and compilation."""

from __future__ import annotations

import math

import pytest
import pytorch
from pytorch import needs_torch

torch = pytorch.module("torch")
ops = pytorch.module("eft.ops.torch")
pytestmark = needs_torch


def arrays(where, *shape, dtype="float32"):
    """x, the residual, a weight and a bias."""
    of = {"device": where, "dtype": getattr(torch, dtype), "requires_grad": True}
    torch.manual_seed(1)
    columns = shape[-1]
    return [torch.randn(each, **of) for each in (shape, shape, (columns,), (columns,))]


def composed(x, residual, weight, bias, p, seed, is_layer):
    """The result of PyTorch's functions and Eft's dropout for the same arguments, in float32."""
    x, residual, weight, bias = (each.float() for each in (x, residual, weight, bias))
    z = residual + ops.dropout(x, p, seed=seed)
    functional = torch.nn.functional
    if is_layer:
        return functional.layer_norm(z, z.shape[-1:], weight, bias), z
    return functional.rms_norm(z, z.shape[-1:], weight, 1e-5), z


def normed(x, residual, weight, bias, p, seed, is_layer):
    if is_layer:
        return ops.dropout_add_layer_norm(x, weight, bias, residual, p, seed)
    return ops.dropout_add_rms_norm(x, weight, residual, p, seed)


@pytest.mark.parametrize("is_layer", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(70, 200), (2, 5, 1030), (3, 9000)])
def test_the_gradients_are_pytorchs(where, shape, dtype, is_layer):
    mine = arrays(where, *shape, dtype=dtype)
    others = [each.detach().clone().requires_grad_() for each in mine]
    pairs = []
    for function, leaves in ((normed, mine), (composed, others)):
        y, z = function(*leaves, 0.25, 3, is_layer)
        torch.manual_seed(2)
        dy, dz = (torch.randn(shape, device=where).to(leaves[0].dtype).float() for _ in range(2))
        ((y.float() * dy).sum() + (z.float() * dz).sum()).backward()
        pairs.append([y, z, *(each.grad for each in leaves[: 4 if is_layer else 3])])
    # There are three roundings to the arrays' type: the operator rounds z and each result, and
    # PyTorch rounds a gradient. Both compute in fp32, with eight roundings. The errors of a
    # column's rows add up like random numbers, to at most twice the root of the number of rows.
    rounding = {"float32": 0, "float16": 2**-11, "bfloat16": 2**-8}[dtype]
    rows = 2 * math.sqrt(math.prod(shape[:-1]))
    tolerances = [3 * rounding + 8 * 2**-23] * 4 + [(1 + rows) * (rounding + 2 * 2**-23)] * 2
    for found, expected, tolerance in zip(*pairs, tolerances[: len(pairs[0])], strict=True):
        torch.testing.assert_close(found.float(), expected.float(), rtol=tolerance, atol=tolerance)


def test_each_output_alone(where):
    leaves = arrays(where, 20, 300)
    y, z = ops.dropout_add_layer_norm(leaves[0], leaves[2], residual=leaves[1], p=0.5, seed=3)
    (from_z,) = torch.autograd.grad(z.sum(), leaves[1], retain_graph=True)
    assert torch.equal(from_z, torch.ones_like(from_z))
    (from_y,) = torch.autograd.grad((y**2).sum(), leaves[1])
    assert from_y.isfinite().all() and (from_y != 0).any()


def test_pytorchs_own_checks(where):
    x, residual, weight, bias = arrays(where, 5, 70)
    seed = torch.tensor(9)
    check = torch.library.opcheck
    norm = torch.ops.eft.dropout_add_norm.default
    check(norm, (x, weight, bias, residual, seed, True, 0.5, 1e-5, True))
    check(norm, (x, weight, None, None, seed, False, 0.5, 1e-5, True))
    _, z, mean, rstd = (
        each.detach() for each in norm(x, weight, bias, residual, seed, True, 0.5, 1e-5, True)
    )
    backward = torch.ops.eft.dropout_add_norm_backward.default
    check(backward, (x.detach(), None, z, weight.detach(), mean, rstd, seed, True, 0.5, True))


@pytest.mark.parametrize("is_layer", [True, False])
def test_one_graph_of_torch_compile(where, is_layer):
    def block(*leaves):
        y, z = normed(*leaves, 0.5, 5, is_layer)
        return y * 2 + z

    compiled = torch.compile(block, backend="aot_eager", fullgraph=True)
    found, expected = [], []
    for function, results in ((compiled, found), (block, expected)):
        leaves = arrays(where, 4, 100)
        function(*leaves).sum().backward()
        results += [each.grad for each in leaves[: 4 if is_layer else 3]]
    assert all(map(torch.equal, found, expected))


def test_draws_from_pytorchs_generator(where):
    x, residual, weight, _ = arrays(where, 4, 100)
    torch.manual_seed(1)
    first = ops.dropout_add_rms_norm(x, weight, residual, 0.5)[1]
    second = ops.dropout_add_rms_norm(x, weight, residual, 0.5)[1]
    assert not torch.equal(first, second)
    torch.manual_seed(1)
    assert torch.equal(ops.dropout_add_rms_norm(x, weight, residual, 0.5)[1], first)


def test_a_mistake(where):
    x, _, weight, _ = arrays(where, 4, 100)
    with pytest.raises(
        ValueError, match="^seed must be an integer of 64 bits other than 0, got 0$"
    ):
        ops.dropout_add_layer_norm(x, weight, seed=0)
    with pytest.raises(TypeError, match="^eps must be a number, got 'a'$"):
        ops.dropout_add_rms_norm(x, weight, eps="a")
    with pytest.raises(ValueError, match=r"weight has shape \[99\], expected \[100\]"):
        ops.dropout_add_rms_norm(x, weight[:99])
