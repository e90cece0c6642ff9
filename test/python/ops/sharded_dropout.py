# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank's part of the tests of dropout on several ranks.

    python sharded_dropout.py FOLDER RANK RANKS DEVICE

Writes FOLDER/RANK.json, which maps the name of each case to the error that it raised, or to "".
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

import torch
import torch.distributed as dist
from eft.ops.torch import dropout
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.utils.checkpoint import checkpoint

#: A shape with rows before and after row 1024, and without extents that are multiples of 64.
SHAPE = (1100, 70)
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Ranks:
    """The meshes of the ranks, and tensors on their devices."""

    def __init__(self, ranks: int, device: str):
        self.device = device
        self.line = init_device_mesh(device, (ranks,))
        self.square = init_device_mesh(device, (2, ranks // 2))

    def normal(self, *shape: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(0)
        return torch.randn(shape, generator=generator).to(self.device)

    def check(self, x: torch.Tensor, mesh, *placements):
        """Checks that dropout of x and its gradient do not change if x is sharded in this way."""
        x = x.clone().requires_grad_()
        expected = dropout(x, 0.25, seed=5)
        expected.square().sum().backward()
        sharded = distribute_tensor(x.detach(), mesh, placements).requires_grad_()
        found = dropout(sharded, 0.25, seed=5)
        assert found.placements == sharded.placements and found.shape == x.shape
        assert torch.equal(found.full_tensor(), expected)
        found.square().sum().backward()
        assert torch.equal(sharded.grad.full_tensor(), x.grad)


@case
def by_rows(ranks):
    ranks.check(ranks.normal(*SHAPE), ranks.line, Shard(0))


@case
def by_columns(ranks):
    ranks.check(ranks.normal(*SHAPE), ranks.line, Shard(1))


@case
def by_both(ranks):
    ranks.check(ranks.normal(*SHAPE), ranks.square, Shard(0), Shard(1))
    ranks.check(ranks.normal(*SHAPE), ranks.square, Shard(1), Shard(0))
    ranks.check(ranks.normal(*SHAPE), ranks.square, Shard(0), Shard(0))


@case
def not_sharded(ranks):
    ranks.check(ranks.normal(*SHAPE), ranks.line, Replicate())
    ranks.check(ranks.normal(*SHAPE), ranks.square, Replicate(), Shard(0))


@case
def many_axes(ranks):
    x = ranks.normal(3, 5, 130, 20)
    for axis in range(-4, 0):
        ranks.check(x, ranks.line, Shard(axis % 4))
    ranks.check(x, ranks.square, Shard(1), Shard(2))
    ranks.check(x, ranks.square, Shard(0), Shard(2))


@case
def parts_without_elements(ranks):
    ranks.check(ranks.normal(1, 70), ranks.line, Shard(0))
    ranks.check(ranks.normal(0, 70), ranks.line, Shard(1))
    ranks.check(ranks.normal(33), ranks.line, Shard(0))


@case
def sums_to_be_added_up(ranks):
    part = ranks.normal(*SHAPE)
    x = DTensor.from_local(part, ranks.line, [Partial()])
    found = dropout(x, 0.25, seed=5)
    expected = dropout(part * ranks.line.size(), 0.25, seed=5)
    torch.testing.assert_close(found.full_tensor(), expected)


@case
def after_another_sharding(ranks):
    x = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(0)])
    found = dropout(x, 0.5, seed=9)
    other = dropout(x.redistribute(placements=[Shard(1)]), 0.5, seed=9)
    assert torch.equal(found.full_tensor(), other.full_tensor())
    assert torch.equal(found.redistribute(placements=[Shard(1)]).to_local(), other.to_local())


@case
def gradients_that_have_another_sharding(ranks):
    x = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(0)]).requires_grad_()
    weight = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(1)])
    (dropout(x, 0.5, seed=9).redistribute(placements=[Shard(1)]) * weight).sum().backward()
    expected = dropout(weight.full_tensor(), 0.5, seed=9)
    assert torch.equal(x.grad.full_tensor(), expected)


@case
def recomputed_in_a_checkpoint(ranks):
    torch.manual_seed(dist.get_rank())  # each rank's generator draws different seeds
    x = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(1)]).requires_grad_()
    seen = []

    def block(x):
        seen.append(dropout(x, 0.5).full_tensor())
        return dropout(x, 0.5, seed=3) * x

    checkpoint(block, x, use_reentrant=False).sum().backward()
    assert len(seen) == 2 and torch.equal(*seen)
    assert torch.equal(x.grad.full_tensor(), 2 * dropout(x.full_tensor(), 0.5, seed=3))


@case
def seeds_are_drawn_by_the_first_rank(ranks):
    for mesh, placements in (ranks.line, [Shard(0)]), (ranks.square, [Shard(1), Shard(0)]):
        torch.manual_seed(100 + dist.get_rank())
        x = distribute_tensor(ranks.normal(*SHAPE), mesh, placements)
        found = [dropout(x, 0.5).full_tensor() for _ in range(2)]
        assert not torch.equal(*found)
        torch.manual_seed(100)
        assert torch.equal(found[0], dropout(x.full_tensor(), 0.5))


@case
def every_type_and_probability(ranks):
    x = ranks.normal(*SHAPE)
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        sharded = distribute_tensor(x.to(dtype), ranks.line, [Shard(0)])
        found = dropout(sharded, 0.25, seed=5).full_tensor()
        kept = dropout(torch.ones_like(x), 0.25, seed=5, scale_in_train=False) != 0
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        scale = 1 / (1 - torch.tensor(0.25, dtype=wide))
        expected = torch.where(kept, x.to(dtype).to(wide) * scale, 0).to(dtype)
        assert found.dtype == dtype and torch.equal(found, expected)
    sharded = distribute_tensor(x, ranks.line, [Shard(1)])
    for p in (0.0, 1.0, 1e-7):
        assert torch.equal(dropout(sharded, p, seed=5).full_tensor(), dropout(x, p, seed=5))


@case
def gradients_of_gradients(ranks):
    x = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(0)]).requires_grad_()
    weight = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(0)]).requires_grad_()
    y = dropout(x, 0.5, seed=3)
    (dx,) = torch.autograd.grad((y * weight).sum(), x, create_graph=True)
    dx.sum().backward()
    expected = dropout(torch.ones(SHAPE, device=ranks.device), 0.5, seed=3)
    assert torch.equal(weight.grad.full_tensor(), expected)


@case
def in_one_compiled_graph(ranks):
    def function(x):
        return dropout(x * 1, 0.5, seed=3) + 1

    x = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(1)]).requires_grad_()
    y = torch.compile(function, backend="aot_eager", fullgraph=True)(x)
    assert torch.equal(y.full_tensor(), function(x).full_tensor())
    y.sum().backward()
    expected = dropout(torch.ones(SHAPE, device=ranks.device), 0.5, seed=3)
    assert torch.equal(x.grad.full_tensor(), expected)


@case
def parts_in_another_order(ranks):
    from torch.distributed.tensor.placement_types import _StridedShard

    placements = [_StridedShard(0, split_factor=2)]
    x = DTensor.from_local(ranks.normal(8, 4), ranks.line, placements, run_check=False)
    try:
        dropout(x, 0.5, seed=3)
    except ValueError as error:
        assert "other ways to cut a tensor are not known here" in str(error)
    else:
        raise AssertionError("there was no error")


@case
def mistakes(ranks):
    x = distribute_tensor(ranks.normal(*SHAPE), ranks.line, [Shard(0)])
    for call, text in (
        (lambda: dropout(x, 1.5, seed=3), "dropout: p is 1.500000, expected 0 to 1"),
        (lambda: dropout(x, 0.5, seed=0), "seed must be an integer of 64 bits other than 0, got 0"),
        (
            lambda: dropout(x.to(torch.int32), 0.5, seed=3),
            "dropout: X has dtype torch.int32, expected a float of 16 bits or more",
        ),
    ):
        try:
            call()
        except ValueError as error:
            assert str(error) == text
        else:
            raise AssertionError(f"there was no error: {text}")


def main(folder: str, rank: str, count: str, device: str):
    store = f"file://{folder}/store"
    if device == "cuda":
        torch.cuda.set_device(int(rank))
    backend = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(backend, init_method=store, rank=int(rank), world_size=int(count))
    ranks, found = Ranks(int(count), device), {}
    for name, function in CASES.items():
        try:
            function(ranks)
            found[name] = ""
        except Exception:
            found[name] = traceback.format_exc()
        if found[name]:
            break  # another rank may be waiting for this rank
    Path(folder, f"{rank}.json").write_text(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
