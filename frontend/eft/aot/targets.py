# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the names of targets, such as `sm_90`, `compute_90`, `host:x86-64-v3` or `host`."""

from __future__ import annotations

from collections import namedtuple

from eft.aot.errors import AheadError

#: A target. `text` is its name in messages and file names, `compiler` its name for the compiler.
#: `is_host` is true for CPUs, `is_ptx` for GPUs that get PTX in any case. `capability` is 90 for
#: compute capability 9.0, and 0 for CPUs.
Target = namedtuple("Target", "text compiler is_host is_ptx capability")

_OLDEST = 80


def read_target(text: str) -> Target:
    """Returns the target with this name. The code for `compute_90` and `gpu` is PTX.

    Raises:
        AheadError: there is no such target.
    """
    from eft import _compiler

    try:
        name = _compiler.target_name(text)
    except ValueError as error:
        raise AheadError(str(error)) from None
    is_ptx = name.startswith("compute_")
    if is_ptx or name.startswith("cuda:"):
        capability = int(name.removeprefix("compute_").removeprefix("cuda:"))
        if capability < _OLDEST:
            raise AheadError(f"target {text!r} is too old: sm_{_OLDEST} is the oldest")
        shown = f"{'compute' if is_ptx else 'sm'}_{capability}"
        return Target(shown, name, False, is_ptx, capability)
    shown = "host" if name == "cpu" else name
    try:
        _compiler.host_features(shown)
    except ValueError as error:
        raise AheadError(f"target {text!r}: {error}") from None
    return Target(shown, shown, True, False, 0)


def read_targets(texts: list[str]) -> list[Target]:
    """Returns the targets with these names. Raises an AheadError if two names mean the same
    target."""
    targets = [read_target(text) for text in texts]
    for number, target in enumerate(targets):
        if target in targets[:number]:
            raise AheadError(f"target {texts[number]!r} is given twice")
    return targets


#: The bits by which `cpuid` says which features a CPU has: for each (leaf, subleaf, register) the
#: number of each feature's bit. Features that every x86-64 CPU has are left out. So are features
#: that the compiler uses only if a target names them.
_BITS = {
    (1, 0, "c"): {
        "sse3": 0,
        "pclmul": 1,
        "ssse3": 9,
        "fma": 12,
        "cx16": 13,
        "sse4.1": 19,
        "sse4.2": 20,
        "movbe": 22,
        "popcnt": 23,
        "aes": 25,
        "avx": 28,
        "f16c": 29,
    },
    (7, 0, "b"): {
        "bmi": 3,
        "avx2": 5,
        "bmi2": 8,
        "avx512f": 16,
        "avx512dq": 17,
        "adx": 19,
        "avx512ifma": 21,
        "avx512cd": 28,
        "sha": 29,
        "avx512bw": 30,
        "avx512vl": 31,
    },
    (7, 0, "c"): {
        "avx512vbmi": 1,
        "avx512vbmi2": 6,
        "gfni": 8,
        "vaes": 9,
        "vpclmulqdq": 10,
        "avx512vnni": 11,
        "avx512bitalg": 12,
        "avx512vpopcntdq": 14,
    },
    (7, 0, "d"): {"avx512vp2intersect": 8, "avx512fp16": 23},
    (7, 1, "a"): {"avxvnni": 4, "avx512bf16": 5, "avxifma": 23},
    (7, 1, "d"): {"avxvnniint8": 4, "avxneconvert": 5, "avxvnniint16": 10},
    (0x80000001, 0, "c"): {"sahf": 0, "lzcnt": 5, "sse4a": 6, "xop": 11, "fma4": 16, "tbm": 21},
}

#: The order of the words of `cpuid` in the generated C source.
WORDS = tuple(_BITS)


def needed_words(target: Target) -> tuple[int, ...]:
    """Returns the bits that a CPU must have to run code for a host target: one word for each of
    `WORDS`, then one word with bits of XCR0, the register in which the operating system states
    which registers it saves."""
    from eft import _compiler

    features = set(_compiler.host_features(target.compiler))
    words = [
        sum(1 << bit for name, bit in bits.items() if name in features) for bits in _BITS.values()
    ]
    saved = 0xE6 if "avx512f" in features else 0x6 if "avx" in features else 0
    return (*words, saved)
