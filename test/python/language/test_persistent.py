# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels: each program computes several tiles of a product in sequence."""

import re

import eft
import eft.language as tl
import numpy as np
import pytest
from assembler import log_of_ptxas
from eft import TensorDescriptor
from persistent import by_descriptors, by_pointers, with_own_descriptors
from support import assert_same_bits

#: (m, n, k), which give more and fewer tiles than programs, and several blocks or none along k.
SHAPES = [(300, 200, 136), (128, 136, 64), (200, 128, 40), (130, 120, 0)]


def factors(m, n, k):
    random = np.random.default_rng(k)
    a = random.integers(-4, 5, (m, max(k, 8))).astype(np.float16)
    b = random.integers(-4, 5, (n, max(k, 8))).astype(np.float16)
    return a, b, a[:, :k].astype(np.float32) @ b[:, :k].astype(np.float32).T


@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("programs, flatten", [(1, True), (2, True), (3, False), (16, True)])
def test_tiles_by_pointers(device, m, n, k, programs, flatten):
    a, b, expected = factors(m, n, k)
    out = device.put(np.full((m, n), -1, np.float32))
    by_pointers[programs,](
        device.put(a), device.put(b), out, m, n, k, a.shape[1], 1, 1, b.shape[1], n, 1,
        BM=64, BN=64, BK=32, GROUP=2, PROGRAMS=programs, FLATTEN=flatten,
    )  # fmt: skip
    assert_same_bits(device.get(out), expected)


@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("flatten, specialize", [(True, False), (False, True), (False, False)])
def test_tiles_by_descriptors(device, m, n, k, halves, flatten, specialize):
    a, b, expected = factors(m, n, k)
    meta = {
        "BM": 64, "BN": 128, "BK": 64, "GROUP": 8, "PROGRAMS": 2, "HALVES": halves,
        "FLATTEN": flatten, "SPECIALIZE": specialize,
    }  # fmt: skip
    out = device.put(np.full((m, n), -1, np.float32))
    a, b = device.put(a), device.put(b)
    c_desc = TensorDescriptor.from_tensor(out, [64, 64 if halves else 128])
    a_desc, b_desc = (
        TensorDescriptor.from_tensor(each, [rows, 64]) for each, rows in ((a, 64), (b, 128))
    )
    by_descriptors[2,](a_desc, b_desc, c_desc, m, n, k, **meta)
    assert_same_bits(device.get(out), expected)
    if k > 0:
        again = device.put(np.full((m, n), -1, np.float32))
        with_own_descriptors[2,](a, b, again, m, n, k, **meta)
        assert_same_bits(device.get(again), expected)


def described(rows, columns, block):
    return TensorDescriptor.from_tensor(eft.MockTensor(tl.float16, (rows, columns)), block)


def code_by_pointers(flatten=True):
    half, n = tl.float16, 4096
    return by_pointers.warmup(
        half, half, half, n, n, n, n, 1, n, 1, n, 1, BM=128, BN=256, BK=64, GROUP=8, PROGRAMS=132,
        FLATTEN=flatten, num_warps=8, target="sm_90",
    )  # fmt: skip


def code_by_descriptors(halves=False, flatten=True, specialize=False):
    n = 4096
    c_desc = described(n, n, [128, 128 if halves else 256])
    return by_descriptors.warmup(
        described(n, n, [128, 64]), described(n, n, [256, 64]), c_desc, n, n, n, BM=128, BN=256,
        BK=64, GROUP=8, PROGRAMS=132, HALVES=halves, FLATTEN=flatten, SPECIALIZE=specialize,
        num_warps=8, target="sm_90",
    )  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [
        code_by_pointers,
        code_by_descriptors,
        lambda: code_by_descriptors(halves=True),
        lambda: code_by_descriptors(flatten=False, specialize=True),
    ],
    ids=["pointers", "descriptors", "halves", "specialized"],
)
def test_tiles_are_made_by_warpgroups_from_copies(make):
    ptx = make().asm["ptx"]
    assert "wgmma.mma_async" in ptx and "ld.global" not in ptx
    assert set(re.findall(r"cp\.async\.(c[ag]).*\], (\d+)", ptx)) == {("cg", "16")}
    assert "st.global.v4" in ptx


@pytest.mark.parametrize("make", [code_by_pointers, code_by_descriptors])
@pytest.mark.parametrize("flatten", [False, True])
def test_the_assembler_keeps_products_of_tiles_under_way(make, flatten):
    assert "serialized" not in log_of_ptxas(make(flatten=flatten).asm["ptx"])


def copies_in_loop(ptx: str) -> tuple[str, list[tuple[str, str]]]:
    """The code from the first products to the end of the copies after them. Also returns, for each
    copy, the registers of its address and of its number of bytes."""
    code = ptx.split("wgmma.commit_group")[1].split("cp.async.commit_group")[0]
    copy = r"cp\.async\.cg\.shared\.global \[.*\], \[(%rd\d+)\], 16, (%r\d+);"
    return code, re.findall(copy, code)


def test_addresses_of_copies_take_no_multiplier():
    code, copies = copies_in_loop(code_by_pointers(flatten=False).asm["ptx"])
    assert len(copies) == 12
    assert "mad.wide.s32" in code and "mul.wide" not in code


def test_masks_along_k_cost_each_copy_one_comparison():
    code, copies = copies_in_loop(code_by_pointers(flatten=False).asm["ptx"])
    bounds = set()
    for size in {size for _, size in copies}:
        (holds,) = re.findall(rf"selp\.b32 +\t{size}, 16, 0, (%p\d+);", code)
        (bound,) = re.findall(rf"setp\.lt\.s32 +\t{holds}, %r\d+, (%r\d+);", code)
        bounds.add(bound)
    assert len(bounds) == 1


def test_rows_outside_of_an_array_cost_a_loop_one_instruction_each():
    code, copies = copies_in_loop(code_by_descriptors(flatten=False).asm["ptx"])
    sizes = {size for _, size in copies}
    assert len(sizes) == 12
    assert all(re.search(rf"and\.b32 +\t{size}, ", code) for size in sizes)


@eft.jit
def far_apart(a_ptr, b_ptr, out_ptr, first, turns, STRIDE: tl.constexpr):
    i = tl.arange(0, 64)
    block = i[:, None] * 64 + i[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for turn in range(turns):
        row = (first + turn * 3).to(tl.int64)
        total = tl.dot(tl.load(a_ptr + block + row * STRIDE), tl.load(b_ptr + block), total)
    tl.store(out_ptr + block, total)


@pytest.mark.parametrize("bits", [28, 29, 30, 31, 33])
def test_distances_of_more_than_31_bits(bits):
    half = eft.MockTensor(tl.float16)
    arguments = half, half, eft.MockTensor(tl.float32), 1, 4
    ptx = far_apart.warmup(*arguments, STRIDE=1 << bits, target="sm_90").asm["ptx"]
    factors = {int(factor) for factor in re.findall(r"mad\.wide\.s32 [^,]*, [^,]*, (\d+),", ptx)}
    assert (2 << bits in factors) == (bits < 30)
    assert max(factors, default=0) < 2**31


def copies_between_products_and_stores(code: str) -> int:
    behind_products = code.split('wgmma.wait_group.sync.aligned $0;", "n"(i32 0)')[-1]
    return behind_products.split("st.global")[0].count("cp.async.cg")


@pytest.mark.parametrize("make", [code_by_pointers, code_by_descriptors])
def test_the_next_tile_is_copied_while_one_is_stored(make):
    assert copies_between_products_and_stores(make(flatten=True).asm["llvm"]) == 24
    assert copies_between_products_and_stores(make(flatten=False).asm["llvm"]) == 0


def test_halves_of_a_tile_change_threads_one_after_the_other():
    """Staging uses C's element type, and the shared memory that the loop's slots leave free."""
    asm = code_by_descriptors(halves=True).asm
    assert copies_between_products_and_stores(asm["llvm"]) == 24
    assert "ldmatrix" in asm["ptx"] and "selp.f32" not in asm["ptx"]


def test_the_hint_of_either_name():
    flat, specialized = (
        code_by_descriptors(flatten=flatten, specialize=not flatten).asm["ptx"]
        for flatten in (False, True)
    )
    assert flat == specialized
