# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of the disk cache: everything that a kernel's code depends on."""

from __future__ import annotations

from eft import host
from eft.stable_text import StableText
from eft.version import fingerprint


def stable_facts(function, variant) -> str:
    """A text that is another one for each kernel, and for all that a variant of it is compiled for
    but its specialization.

    Raises:
        NotStable: the code depends on something that has no stable text.
    """
    text = StableText()
    parts = [
        fingerprint(),
        text.of(function),
        variant.target,
        host.description() if variant.target == "cpu" else "",
        repr(variant.types),
        *(f"{name} {text.of(value, name)}" for name, value in sorted(variant.constexprs.items())),
        text.of(sorted(variant.options.items())),
    ]
    return "\0".join(parts)


def cache_key(facts: str, kind: str, specialization=None) -> bytes:
    """The key for what `kind` says of a variant of a kernel with these `stable_facts`."""
    return joined_key((kind, facts, repr(specialization)))


def joined_key(parts) -> bytes:
    """The key of what depends on some texts: the texts themselves. The cache's files are named for
    a hash, and have the whole key in them."""
    return "\0".join(parts).encode(errors="surrogatepass")
