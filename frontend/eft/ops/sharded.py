# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of PyTorch's distributed tensors. Each rank has a part of the tensor, and drops the
elements of its part that one device would drop of the whole tensor. So the mask depends neither on
the number of ranks nor on which rank has which part.

The operator on a part is `torch.ops.eft.dropout_part`. Its gradient is the same operator on dY. Two
of PyTorch's ways to distribute an operator do not fit. A strategy registered with
`register_sharding` can't pass the position of the rank's part in the whole tensor. `local_map`
can't find the shape of the whole result if the parts have different extents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.tensor import DTensor, Replicate, Shard

from eft.ops import part_kernels


@torch.library.custom_op("eft::dropout_part", mutates_args=())
def _dropout_part(
    x: Tensor, seed: Tensor, p: float, scale_in_train: bool, shape: list[int], offset: list[int]
) -> Tensor:
    """Drops elements of x, which is the part that begins at `offset` of a tensor of shape
    `shape`."""
    x = x.contiguous()
    y = torch.empty_like(x)
    columns = x.shape[-1] if x.dim() else 1
    first_column = offset[-1] if offset else 0
    scale = _scale(p, x.dtype) if scale_in_train else 1.0
    p = float(torch.tensor(p, dtype=torch.float32))
    flat_x, flat_y = x.detach().view(-1), y.view(-1)
    for begin, first_row, rows in _runs(shape[:-1], x.shape[:-1], offset[:-1]):
        places = slice(begin * columns, (begin + rows) * columns)
        part_kernels.launch(
            *(flat_x[places], flat_y[places], first_row, first_column, rows, columns),
            *(int(seed), p, scale),
        )
    return y


def _scale(p: float, dtype: torch.dtype) -> float:
    """Returns 1 / (1 - p), or 0 if p is 1, computed in the type in which the operators compute."""
    if p == 1:
        return 0.0
    p = torch.tensor(p, dtype=torch.float32)
    one = torch.ones((), dtype=torch.float64 if dtype == torch.float64 else torch.float32)
    return float(one / (one - p.to(one.dtype)))


def _runs(shape, local, offset) -> Iterator[tuple[int, int, int]]:
    """Divides the rows of a part into runs of rows that are consecutive in the whole tensor, too. A
    row is one index of all axes that are given, and rows are numbered in row-major order.

    Args:
        shape, local, offset: the extents of the whole tensor and of the part, and the index in the
            whole at which the part begins; all without the last axis.

    Yields:
        For each run: its first row in the part, its first row in the whole, its number of rows.
    """
    inner = len(shape)  # the part has the full extent of the axes from here on
    while inner > 0 and local[inner - 1] == shape[inner - 1]:
        inner -= 1
    cut = max(inner - 1, 0)  # the last axis that is cut, or 0; a run has one index of earlier axes
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    rows = math.prod(local[cut:])
    places = product(*(range(extent) for extent in local[:cut]))
    for number, place in enumerate(places if rows else ()):
        begin = [*place, *(0 for _ in local[cut:])]
        first = sum((o + b) * s for o, b, s in zip(offset, begin, strides, strict=True))
        yield number * rows, first, rows


@_dropout_part.register_fake
def _(x, seed, p, scale_in_train, shape, offset):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _save(ctx, inputs, output):
    _, seed, *ctx.rest = inputs
    ctx.save_for_backward(seed)


def _backward(ctx, dy: Tensor):
    return _dropout_part(dy, *ctx.saved_tensors, *ctx.rest), *[None] * 5


_dropout_part.register_autograd(_backward, setup_context=_save)


def dropout(x: DTensor, seed: Tensor | None, p: float, scale_in_train: bool) -> DTensor:
    """Drops elements of a distributed tensor. The result has the placements of x, but where x is
    `Partial`, the ranks' summands are added first and the result is replicated.

    Args:
        seed: an integer of 64 bits, the same on all ranks. With None, the first rank of the mesh
            draws one from PyTorch's CPU generator and sends it to the other ranks.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p is {p:.6f}, expected 0 to 1")
    if not x.dtype.is_floating_point or x.dtype.itemsize == 1:
        raise ValueError(f"dropout: X has dtype {x.dtype}, expected a float of 16 bits or more")
    # Call `redistribute` only if it changes something: its gradient can't be differentiated again
    # in PyTorch 2.11.
    if any(each.is_partial() for each in x.placements):
        x = x.redistribute(
            placements=[Replicate() if each.is_partial() else each for each in x.placements]
        )
    seed = _drawn_on(x.device_mesh) if seed is None else seed
    # PyTorch's compiler does not accept an autograd.Function on distributed tensors. It
    # differentiates the operations inside `_drop` itself.
    drop = _drop if torch.compiler.is_compiling() else _Dropped.apply
    return drop(x, seed, p, scale_in_train)


def _drop(x: DTensor, seed: Tensor, p: float, scale_in_train: bool) -> DTensor:
    shape, local = list(x.shape), x.to_local()
    offset = _offset_of(x, list(local.shape))
    y = _dropout_part(local, seed, p, scale_in_train, shape, offset)
    strides = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(
        y, x.device_mesh, x.placements, run_check=False, shape=x.shape, stride=strides
    )


class _Dropped(torch.autograd.Function):
    """Dropout whose gradient is dropout again, so it has gradients of any order. Without this
    class, autograd would go through PyTorch's conversions between a distributed tensor and its
    parts. In PyTorch 2.11, the gradients of these conversions can't be differentiated again."""

    @staticmethod
    def forward(ctx, x: DTensor, seed: Tensor, p: float, scale_in_train: bool) -> DTensor:
        ctx.save_for_backward(seed)
        ctx.placements, ctx.rest = x.placements, (p, scale_in_train)
        return _drop(x, seed, p, scale_in_train)

    @staticmethod
    def backward(ctx, dy: DTensor):
        if dy.placements != ctx.placements:  # dy's parts must be those of x
            dy = dy.redistribute(placements=ctx.placements)
        return dropout(dy, *ctx.saved_tensors, *ctx.rest), None, None, None


def _offset_of(x: DTensor, local: list[int]) -> list[int]:
    """Returns the index at which this rank's part of a tensor begins. Along each axis of the mesh
    that shards, a dimension is cut as `torch.chunk` cuts it: all parts have the same extent, except
    that the last ones may be shorter or empty.

    Args:
        local: the part's extents.
    """
    mesh, extents, offset = x.device_mesh, list(x.shape), [0] * x.dim()
    place = mesh.get_coordinate()
    if place is None:  # this rank is not in the mesh and has no elements
        return offset
    is_known = True
    for number, (coordinate, placement) in enumerate(zip(place, x.placements, strict=True)):
        # PyTorch also has private placements that shard and cut a dimension in other ways.
        is_known = is_known and isinstance(placement, (Shard, Replicate))
        if placement.is_shard():
            axis = placement.dim
            step = -(-extents[axis] // mesh.size(number))
            begin = min(coordinate * step, extents[axis])
            offset[axis] += begin
            extents[axis] = min(step, extents[axis] - begin)
    if extents != local or not is_known:
        raise ValueError(
            f"dropout: this rank has a part of {local}, expected {extents} of {list(x.shape)} with "
            f"the placements {tuple(x.placements)}; other ways to cut a tensor are not known here"
        )
    return offset


def _drawn_on(mesh) -> Tensor:
    """Returns a seed that the first rank of a mesh draws and sends to all ranks of the mesh."""
    seed = torch.randint(1, 2**63 - 1, (), dtype=torch.int64).to(mesh.device_type)
    for axis in range(mesh.ndim):
        group = mesh.get_group(axis)
        dist.broadcast(seed, src=dist.get_global_rank(group, 0), group=group)
    return seed.cpu()
