# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""EFT_PRINT_IR, which prints the IR after passes to standard error."""

import re

import eft
import eft.language as tl
import pytest


@eft.jit
def double(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) * 2)


def compile_for(target, block=64):
    return double.warmup(eft.MockTensor(tl.float32), BLOCK=block, target=target)


def passes(capfd) -> list[str]:
    return re.findall(r"IR Dump After \w+ \(([\w-]+)\)", capfd.readouterr().err)


def test_nothing_is_printed_without_it(capfd, monkeypatch):
    monkeypatch.delenv("EFT_PRINT_IR", raising=False)
    compile_for("cpu")
    monkeypatch.setenv("EFT_PRINT_IR", "")
    compile_for("cpu", 128)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("target", ["cpu", "cuda:90"])
def test_after_every_pass(capfd, monkeypatch, target):
    monkeypatch.setenv("EFT_PRINT_IR", "all")
    compile_for(target)
    printed = passes(capfd)
    last = "eft-lower-to-llvm" if target == "cpu" else "eft-share-blocks"
    assert printed[0] == "eft-add-debug-scopes" and printed[-1] == last
    assert "eft-expand-philox" in printed and len(printed) > 15


def test_after_passes_that_change_something(capfd, monkeypatch):
    monkeypatch.setenv("EFT_PRINT_IR", "changed")
    compile_for("cuda:90")
    printed = passes(capfd)
    assert "eft-place" in printed and "eft-expand-philox" not in printed


def test_after_passes_by_name(capfd, monkeypatch):
    monkeypatch.setenv("EFT_PRINT_IR", "eft-place, eft-hoist-uniform")
    compile_for("cuda:90")
    text = capfd.readouterr().err
    assert re.findall(r"\((eft-[\w-]+)\)", text) == ["eft-hoist-uniform", "eft-place"]
    assert "func.func public @double" in text or "func.func @double" in text
    assert "#eft.layout<register" in text


def test_a_pass_of_another_target_prints_nothing(capfd, monkeypatch):
    monkeypatch.setenv("EFT_PRINT_IR", "eft-lower-to-gpu")
    compile_for("cpu")
    assert capfd.readouterr().err == ""


def test_a_kernel_that_is_in_the_cache_is_compiled_for_it(capfd, monkeypatch):
    monkeypatch.setenv("EFT_PRINT_IR", "eft-place")
    for _ in range(2):
        compile_for("cuda:80", 256)
        assert passes(capfd) == ["eft-place"]


def test_looking_at_a_stage_prints_no_more(capfd, monkeypatch):
    monkeypatch.setenv("EFT_PRINT_IR", "eft-place")
    compiled = compile_for("cuda:80", 512)
    assert passes(capfd) == ["eft-place"]
    assert "eft.layout" in compiled.asm["placed"]
    assert passes(capfd) == []


def test_a_pass_for_one_generation_of_gpus(capfd, monkeypatch):
    monkeypatch.setenv("EFT_PRINT_IR", "eft-overlap-products")
    compile_for("cuda:80", 512)
    assert passes(capfd) == []
    compile_for("cuda:90", 512)
    assert passes(capfd) == ["eft-overlap-products"]


@pytest.mark.parametrize("name", ["eft-plaec", "ALL", "eft-place,", "eft-place{num-warps=4}"])
def test_a_pass_that_there_is_not(monkeypatch, name):
    monkeypatch.setenv("EFT_PRINT_IR", name)
    with pytest.raises(ValueError) as raised:
        compile_for("cpu")
    wrong = name.removeprefix("eft-place,")
    start = (
        "EFT_PRINT_IR must be 'all', 'changed', or passes with commas between them, got "
        f"'{wrong}'; the passes are canonicalize, cse, "
    )
    assert str(raised.value).startswith(start)
    assert "eft-lower-to-cpu, eft-lower-to-gpu" in str(raised.value)
