# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`EFT_CPU`: the processor for which kernels on the host are compiled."""

import subprocess
import sys

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import driver, host
from support import key_of


@eft.jit
def doubled(x, n):
    i = tl.arange(0, 64)
    tl.store(x + i, tl.load(x + i) * 2, mask=i < n)


def code(wanted: str, monkeypatch) -> str:
    monkeypatch.setenv("EFT_CPU", wanted)
    return eft.jit(doubled.fn).warmup(tl.float32, 3, target="cpu").asm["asm"]


def test_code_uses_what_the_processor_has(monkeypatch):
    assert "%ymm" in code("x86-64-v3", monkeypatch)
    assert "%ymm" not in code("x86-64", monkeypatch)
    assert "%ymm" not in code("native,-avx,-avx2,-avx512f", monkeypatch)


def test_none_and_native_are_the_one_at_hand(monkeypatch):
    monkeypatch.delenv("EFT_CPU", raising=False)
    at_hand = host.description()
    assert host.target() == "host"
    monkeypatch.setenv("EFT_CPU", "native")
    assert host.description() == at_hand


def test_the_disk_cache_tells_processors_apart(monkeypatch):
    variant = driver.Variant("cpu", ("*fp32", "i32"), {}, {"num_warps": 4}, ("16", ""))
    keys = set()
    for wanted in ("", "x86-64", "x86-64-v2", "x86-64-v2,-sse4.2"):
        monkeypatch.setenv("EFT_CPU", wanted)
        keys.add(key_of(doubled, variant, "code"))
    assert len(keys) == 4
    assert None not in keys


@pytest.mark.parametrize(
    "wanted, message",
    [
        ("pentium9", "LLVM knows no CPU 'pentium9' for "),
        ("native,+speed", "features must be '+' or '-' and a name that LLVM knows for "),
        ("native,+fma4", "this machine lacks the CPU's feature 'fma4'"),
        ("i486", "the CPU 'i486' does not run code of 64 bits"),
    ],
)
def test_a_processor_that_is_not_there(monkeypatch, wanted, message):
    monkeypatch.setenv("EFT_CPU", wanted)
    with pytest.raises(ValueError, match="^EFT_CPU is ") as raised:
        eft.jit(doubled.fn)[1](np.zeros(64, np.float32), 3)
    assert str(raised.value).startswith(f"EFT_CPU is {wanted!r}: {message}")


def test_info_says_which(monkeypatch):
    monkeypatch.setenv("EFT_CPU", "x86-64-v2")
    done = subprocess.run([sys.executable, "-m", "eft", "info"], capture_output=True, text=True)
    assert any(
        line.startswith("cpu ") and line.endswith("; EFT_CPU=x86-64-v2")
        for line in done.stdout.splitlines()
    )
