# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A script in Triton's language, like those of users: it imports nothing of Eft.

`python -m eft run dropout.py [--bench] [SEED...]` checks both kernels against PyTorch and NumPy and
prints one line for each case.
"""

import argparse
import sys

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def _dropout(
    x_ptr,  # pointer to the input
    x_keep_ptr,  # pointer to a mask of 0s and 1s
    output_ptr,  # pointer to the output
    n_elements,  # number of elements in the `x` tensor
    p,  # probability that an element of `x` is changed to zero
    BLOCK_SIZE: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask)
    x_keep = tl.load(x_keep_ptr + offsets, mask=mask)
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask)


@triton.jit
def _seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    x_keep = random > p
    output = tl.where(x_keep, x / (1 - p), 0)
    tl.store(output_ptr + offsets, output, mask=mask)


def dropout(x, x_keep, p):
    output = torch.empty_like(x)
    assert x.is_contiguous()
    n_elements = x.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)  # noqa: E731
    _dropout[grid](x, x_keep, output, n_elements, p, BLOCK_SIZE=1024)
    return output


def seeded_dropout(x, p, seed, block=1024):
    output = torch.empty_like(x)
    n_elements = x.numel()
    grid = (triton.cdiv(n_elements, block),)
    _seeded_dropout[grid](x, output, n_elements, p, seed, BLOCK_SIZE=block, num_warps=4)
    return output


def check(n, p, seed):
    x = torch.randn(size=(n,), device=DEVICE)
    x_keep = (torch.rand(size=(n,), device=DEVICE) > p).to(torch.int32)
    expected = torch.where(x_keep != 0, x / (1 - p), 0)
    triton.testing.assert_close(dropout(x, x_keep, p), expected, atol=0, rtol=1e-6)

    first, again = seeded_dropout(x, p, seed), seeded_dropout(x, p, seed, triton.next_power_of_2(n))
    other = seeded_dropout(x, p, seed + 1)
    assert torch.equal(first, again)
    kept = first != 0
    torch.testing.assert_close(first[kept], (x / (1 - p))[kept])
    print(
        f"{n=} {p=} {seed=}: kept {int(kept.sum())}, with the next seed {int((other != 0).sum())}"
    )


parser = argparse.ArgumentParser()
parser.add_argument("seeds", type=int, nargs="*", default=[123])
parser.add_argument("--bench", action="store_true")

if __name__ == "__main__":
    arguments = parser.parse_args()
    print(f"{sys.argv[0]} on {DEVICE}, triton {triton.__version__}")
    torch.manual_seed(7)
    for seed in arguments.seeds:
        for n, p in ((10, 0.5), (1025, 0.1)):
            check(n, p, seed)
    if arguments.bench:
        x = torch.randn(4096, device=DEVICE)
        milliseconds = triton.testing.do_bench(lambda: seeded_dropout(x, 0.5, 1), warmup=5, rep=10)
        print(f"{milliseconds:.3f} ms" if milliseconds > 0 else "no time passed")
