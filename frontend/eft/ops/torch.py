# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout and norms as differentiable PyTorch functions that work under torch.compile and
checkpointing.

The operators are `torch.ops.eft.dropout`, `torch.ops.eft.dropout_add_norm`, and their gradients
`dropout_backward` and `dropout_add_norm_backward`. No operator changes its arguments. The seed is a
tensor on the CPU. If the caller gives no seed, PyTorch's generator draws it. So a compiled graph
draws a new seed each time it runs. Checkpointing restores the generator's state, so the
recomputation draws the same seed again.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from eft import ops
from eft.ops.numbers import probability, real, seed_bits

__all__ = ["dropout", "dropout_add_layer_norm", "dropout_add_rms_norm"]


@torch.library.custom_op("eft::dropout", mutates_args=())
def _dropout(x: Tensor, seed: Tensor, p: float, scale_in_train: bool) -> Tensor:
    return ops.dropout(x, p, int(seed), False, scale_in_train)[0]


@torch.library.custom_op("eft::dropout_backward", mutates_args=())
def _dropout_backward(dy: Tensor, seed: Tensor, p: float, scale_in_train: bool) -> Tensor:
    return ops.dropout_seed_backward(dy, int(seed), p, scale_in_train)


@_dropout.register_fake
@_dropout_backward.register_fake
def _(x: Tensor, seed: Tensor, p: float, scale_in_train: bool) -> Tensor:
    return torch.empty_like(x)


def _save(ctx, inputs, output):
    _, seed, ctx.p, ctx.scale_in_train = inputs
    ctx.save_for_backward(seed)


def _backward(ctx, dy: Tensor):
    (seed,) = ctx.saved_tensors
    return _dropout_backward(dy, seed, ctx.p, ctx.scale_in_train), None, None, None


def _backward_of_backward(ctx, ddx: Tensor):
    (seed,) = ctx.saved_tensors
    return _dropout(ddx, seed, ctx.p, ctx.scale_in_train), None, None, None


_dropout.register_autograd(_backward, setup_context=_save)
_dropout_backward.register_autograd(_backward_of_backward, setup_context=_save)


def dropout(
    x: Tensor, p: float = 0.5, seed: int | None = None, scale_in_train: bool = True
) -> Tensor:
    """Drops each element of a tensor with probability p. Autograd keeps only the seed for the
    gradient. For a `DTensor`, the dropped elements are the same as if the whole tensor were on one
    device.

    Args:
        x: a tensor as for `eft.ops.dropout`; the result has its type.
        p: from 0 to 1.
        seed: an integer of 64 bits other than 0. With None, a seed is drawn from PyTorch's CPU
            generator; for a `DTensor` the first rank of its mesh draws it and sends it to the other
            ranks.
        scale_in_train: whether kept elements are multiplied by 1 / (1 - p).
    """
    numbers = probability(p), bool(scale_in_train)
    if type(x).__name__ == "DTensor":
        from eft.ops import sharded

        return sharded.dropout(x, None if seed is None else _seed_tensor(seed), *numbers)
    return _dropout(x, _seed_tensor(seed), *numbers)


def _seed_tensor(seed: int | None) -> Tensor:
    if seed is None:
        return torch.randint(1, 2**63 - 1, (), dtype=torch.int64)
    bits = seed_bits(seed, takes_zero=False)
    return torch.tensor((bits + 2**63) % 2**64 - 2**63, dtype=torch.int64)


@torch.library.custom_op("eft::dropout_add_norm", mutates_args=())
def _norm(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    residual: Tensor | None,
    seed: Tensor,
    is_layer: bool,
    p: float,
    eps: float,
    scale_in_train: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns y, z, mean and rstd. For a root mean square norm the mean is a tensor without
    elements."""
    numbers = p, int(seed), eps, scale_in_train
    if is_layer:
        normed = ops.dropout_add_layer_norm(x, weight, bias, residual, *numbers)
        return normed.y, normed.z, normed.mean, normed.rstd
    normed = ops.dropout_add_rms_norm(x, weight, residual, *numbers)
    return normed.y, normed.z, normed.rstd.new_empty((0,)), normed.rstd


@_norm.register_fake
def _(x, weight, bias, residual, seed, is_layer, p, eps, scale_in_train):
    y, z = (x.new_empty(x.shape) for _ in range(2))
    rows = math.prod(x.shape[:-1])
    mean, rstd = (x.new_empty((n,), dtype=torch.float32) for n in (rows if is_layer else 0, rows))
    return y, z, mean, rstd


@torch.library.custom_op("eft::dropout_add_norm_backward", mutates_args=())
def _norm_backward(
    dy: Tensor,
    dz: Tensor | None,
    z: Tensor,
    weight: Tensor,
    mean: Tensor,
    rstd: Tensor,
    seed: Tensor,
    is_layer: bool,
    p: float,
    scale_in_train: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns the gradients of x, the residual, the weight and the bias. For a root mean square
    norm the last one is a tensor without elements."""
    normed = ops.Normed(None, z, mean if is_layer else None, rstd, int(seed))
    dx, dresidual, dweight, dbias = ops.dropout_add_norm_backward(
        dy, normed, weight, p, dz, scale_in_train
    )
    return dx, dresidual, dweight, weight.new_empty((0,)) if dbias is None else dbias


@_norm_backward.register_fake
def _(dy, dz, z, weight, mean, rstd, seed, is_layer, p, scale_in_train):
    dx, dresidual = (dy.new_empty(dy.shape) for _ in range(2))
    shape = weight.shape if is_layer else (0,)
    return dx, dresidual, weight.new_empty(weight.shape), weight.new_empty(shape)


def _save_norm(ctx, inputs, output):
    _, weight, bias, residual, seed, ctx.is_layer, ctx.p, _, ctx.scale_in_train = inputs
    ctx.has_bias, ctx.has_residual = bias is not None, residual is not None
    _, z, mean, rstd = output
    ctx.save_for_backward(z, weight, mean, rstd, seed)
    ctx.mark_non_differentiable(mean, rstd)
    ctx.set_materialize_grads(False)


def _gradients_of_norm(ctx, dy: Tensor | None, dz: Tensor | None, *statistics):
    z, weight, mean, rstd, seed = ctx.saved_tensors
    dy = torch.zeros_like(z) if dy is None else dy
    dx, dresidual, dweight, dbias = _norm_backward(
        dy, dz, z, weight, mean, rstd, seed, ctx.is_layer, ctx.p, ctx.scale_in_train
    )
    of_optional = dbias if ctx.has_bias else None, dresidual if ctx.has_residual else None
    return dx, dweight, *of_optional, None, None, None, None, None


_norm.register_autograd(_gradients_of_norm, setup_context=_save_norm)


def dropout_add_layer_norm(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    residual: Tensor | None = None,
    p: float = 0.0,
    seed: int | None = None,
    eps: float = 1e-5,
    scale_in_train: bool = True,
) -> tuple[Tensor, Tensor]:
    """Returns y and z of `eft.ops.dropout_add_layer_norm`: z is residual + dropout(x), which is the
    next residual, and y is the norm of z. Both can be differentiated once, but not twice.

    Args:
        seed: an integer of 64 bits other than 0. With None, a seed is drawn from PyTorch's CPU
            generator.
    """
    return _normed(x, weight, bias, residual, seed, True, p, eps, scale_in_train)


def dropout_add_rms_norm(
    x: Tensor,
    weight: Tensor,
    residual: Tensor | None = None,
    p: float = 0.0,
    seed: int | None = None,
    eps: float = 1e-5,
    scale_in_train: bool = True,
) -> tuple[Tensor, Tensor]:
    """Returns y and z of `eft.ops.dropout_add_rms_norm`. Both can be differentiated once, but not
    twice. If the seed is None, a seed is drawn as for `dropout_add_layer_norm`."""
    return _normed(x, weight, None, residual, seed, False, p, eps, scale_in_train)


def _normed(x, weight, bias, residual, seed, is_layer, p, eps, scale_in_train):
    numbers = probability(p), real("eps", eps), bool(scale_in_train)
    y, z, _, _ = _norm(x, weight, bias, residual, _seed_tensor(seed), is_layer, *numbers)
    return y, z
