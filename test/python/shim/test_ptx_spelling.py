# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The spelling of PTX: texts for which tools and tests of kernels search."""

from __future__ import annotations

import functools
import re

import eft
import eft.language as tl
import pytest
from eft.aot.ptxas import architecture, assemble, find_ptxas
from eft.triton.backends.compiler import GPUTarget
from eft.triton.compiler import compiler


def ptx(kernel, types: str, target: int = 80, divisible: bool = True, **constexprs) -> str:
    """A kernel's PTX; `types` has one word for each parameter that is no constexpr."""
    names = [name for name in kernel.arg_names if name not in constexprs]
    signature = dict(zip(names, types.split(), strict=True))
    signature |= dict.fromkeys(constexprs, "constexpr")
    facts = {(kernel.arg_names.index(name),): [["tt.divisibility", 16]] for name in names}
    source = compiler.ASTSource(kernel, signature, constexprs, facts if divisible else {})
    made = compiler.compile(source, target=GPUTarget("cuda", target, 32))
    text = made.asm["ptx"]
    if program := installed_ptxas():
        assemble(program, text, architecture(text))
    return text


@functools.cache
def installed_ptxas() -> str | None:
    return find_ptxas()


@eft.jit
def copies(x_ptr, y_ptr, CACHE: tl.constexpr, STORED: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, cache_modifier=CACHE), cache_modifier=STORED)


@eft.jit
def copies_the_first(x_ptr, y_ptr):
    tl.store(y_ptr, tl.load(x_ptr))


@pytest.mark.parametrize("cache", ["", ".ca", ".cg", ".cv"])
@pytest.mark.parametrize("stored", ["", ".wb", ".cg", ".cs", ".wt"])
def test_whole_vectors_of_bits_are_moved(cache, stored):
    text = ptx(copies, "*fp32 *fp32", CACHE=cache, STORED=stored, BLOCK=512)
    assert f"ld.global{cache}.v4.b32" in text
    assert f"st.global{stored}.v4.b32" in text


@pytest.mark.parametrize(
    "dtype, extent, shape",
    [
        ("fp32", 256, "v2.b32"),
        ("i32", 128, "b32"),
        ("fp16", 1024, "v4.b32"),
        ("bf16", 512, "v2.b32"),
        ("fp16", 128, "b16"),
        ("i8", 512, "b32"),
        ("i64", 256, "v2.b64"),
        ("fp64", 128, "b64"),
        ("u8", 128, "b8"),
    ],
)
def test_an_access_is_named_by_its_bits(dtype, extent, shape):
    text = ptx(copies, f"*{dtype} *{dtype}", CACHE="", STORED="", BLOCK=extent)
    assert f"ld.global.{shape}" in text and f"st.global.{shape}" in text
    assert not re.search(r"\b(ld|st)\.global\S*\.[uf]\d", text)


def test_a_scalar_and_what_is_not_aligned_are_moved_by_themselves():
    text = ptx(copies_the_first, "*fp32 *fp32")
    assert "ld.global.b32" in text and "st.global.b32" in text
    text = ptx(copies, "*fp32 *fp32", divisible=False, CACHE="", STORED="", BLOCK=512)
    assert "ld.global.b32" in text and "ld.global.v" not in text


@eft.jit
def extends_a_sign(x_ptr, y_ptr):
    tl.store(y_ptr, tl.load(x_ptr).to(tl.int32))


def test_a_load_that_extends_a_sign_still_does():
    assert "ld.global.s8" in ptx(extends_a_sign, "*i8 *i32")


@eft.jit
def loads_with_hints(x_ptr, y_ptr, POLICY: tl.constexpr, IS_VOLATILE: tl.constexpr):
    offsets = tl.arange(0, 512)
    x = tl.load(x_ptr + offsets, eviction_policy=POLICY, volatile=IS_VOLATILE)
    tl.store(y_ptr + offsets, x, eviction_policy=POLICY)


@pytest.mark.parametrize("policy", ["evict_first", "evict_last"])
def test_an_eviction_policy_stands_behind_the_space(policy):
    text = ptx(loads_with_hints, "*fp32 *fp32", POLICY=policy, IS_VOLATILE=False)
    assert f"ld.global.L1::{policy}" in text and f"st.global.L1::{policy}" in text


def test_a_volatile_load_is_marked_in_front():
    assert "ld.volatile.global" in ptx(loads_with_hints, "*fp32 *fp32", POLICY="", IS_VOLATILE=True)


@eft.jit
def adds(x_ptr, value, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.atomic_add(x_ptr + tl.arange(0, 128), value, sem=SEM, scope=SCOPE)


@eft.jit
def swaps(x_ptr, y_ptr, SEM: tl.constexpr, SCOPE: tl.constexpr):
    old = tl.atomic_cas(x_ptr, 0, 1, sem=SEM, scope=SCOPE)
    tl.store(y_ptr, old)


@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release", "acq_rel", None])
@pytest.mark.parametrize("scope", ["cta", "gpu", "sys", None])
@pytest.mark.parametrize("target", [80, 90])
def test_an_atomic_operation_names_its_scope_and_its_order(sem, scope, target):
    order, reach = sem or "acq_rel", scope or "gpu"
    text = ptx(adds, "*i32 i32", target, SEM=sem, SCOPE=scope)
    assert f"atom.global.{reach}.{order}.add.u32" in text
    text = ptx(swaps, "*i32 *i32", target, SEM=sem, SCOPE=scope)
    assert f"atom.global.{order}.{reach}.cas.b32" in text


@eft.jit
def changes(x_ptr, value, CHANGE: tl.constexpr):
    CHANGE(x_ptr + tl.arange(0, 128), value)


@pytest.mark.parametrize(
    "dtype, name, word",
    [
        ("i32", "add", "add.u32"),
        ("i64", "add", "add.u64"),
        ("fp16", "add", "add.noftz.f16"),
        ("fp32", "add", "add.f32"),
        ("fp64", "add", "add.f64"),
        ("i32", "max", "max.s32"),
        ("u32", "max", "max.u32"),
        ("i64", "min", "min.s64"),
        ("u64", "min", "min.u64"),
        ("fp32", "max", "max.s32"),
        ("fp32", "min", "min.s32"),
        ("i32", "and", "and.b32"),
        ("i64", "or", "or.b64"),
        ("i32", "xor", "xor.b32"),
        ("fp32", "xchg", "exch.b32"),
    ],
)
@pytest.mark.parametrize("target", [80, 90])
def test_an_atomic_operation_names_its_computation_last(dtype, name, word, target):
    text = ptx(changes, f"*{dtype} {dtype}", target, CHANGE=getattr(tl, f"atomic_{name}"))
    assert f"atom.global.gpu.acq_rel.{word}" in text
