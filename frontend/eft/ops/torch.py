# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout for PyTorch: differentiable, and known to torch.compile and to checkpointing.

The operators are `torch.ops.eft.dropout` and `torch.ops.eft.dropout_backward`. Neither changes what
it is given. The seed travels as a tensor on the CPU, so that a compiled graph draws a new one at
each of its runs, and checkpointing, which puts PyTorch's generator back, the same one again.
"""

from __future__ import annotations

import torch
from torch import Tensor

from eft import ops
from eft.ops.numbers import probability, seed_bits

__all__ = ["dropout"]


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
    """Drops each element of a tensor with probability p. Nothing but the seed is kept for the
    gradient.

    Args:
        x: as `eft.ops.dropout` takes it; the result is of its type.
        p: from 0 to 1.
        seed: an integer of 64 bits other than 0; None draws one from PyTorch's generator of the
            CPU.
        scale_in_train: whether what is kept is multiplied by 1 / (1 - p).
    """
    if seed is None:
        number = torch.randint(1, 2**63 - 1, (), dtype=torch.int64)
    else:
        bits = seed_bits(seed, takes_zero=False)
        number = torch.tensor((bits + 2**63) % 2**64 - 2**63, dtype=torch.int64)
    return _dropout(x, number, probability(p), bool(scale_in_train))
