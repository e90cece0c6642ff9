# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time that tiling takes: it grows with a kernel's operations, not with their square."""

import resource

from optimizer import needs_eft_opt, optimize

pytestmark = needs_eft_opt

LARGE = (
    "tensor<256xf32, #eft.layout<register = [[1], [64], [128]], "
    "lane = [[2], [4], [8], [16], [32]], warp = []>>"
)
OTHER = LARGE.replace("[64], [128]", "[128], [64]")


def chain_of_blocks(length: int) -> str:
    """A chain of blocks, each computed from the previous one. Each is also needed as a whole."""
    lines = [f"%a0 = eft.splat %x : f32 -> {LARGE}"]
    for i in range(length):
        lines += [
            f"%a{i + 1} = arith.addf %a{i}, %a0 : {LARGE}",
            f"%b{i} = eft.convert_layout %a{i + 1} : {LARGE} -> {OTHER}",
        ]
    return "func.func @f(%x: f32) {\n" + "\n".join(lines) + "\nreturn\n}\n"


def seconds(source: str) -> float:
    """The processor time of `eft-tile-blocks`, which other work on the machine hardly changes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    optimize(source, "-eft-tile-blocks")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def test_blocks_of_a_gpu_are_looked_at_once():
    few, many = (min(seconds(chain_of_blocks(n)) for _ in range(2)) for n in (1000, 4000))
    assert many < 8 * few
