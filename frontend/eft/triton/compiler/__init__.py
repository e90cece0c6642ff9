# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.compiler`."""

from __future__ import annotations

from eft.triton import lazy

__all__ = [  # noqa: F822
    "ASTSource",
    "CompilationError",
    "CompiledKernel",
    "IRSource",
    "LazyDict",
    "compile",
    "get_cache_key",
    "make_backend",
]

_PLACES = {
    "CompilationError": "eft.errors",
    "CompiledKernel": "eft.triton.compiler.compiled",
    "LazyDict": "eft.hooks:LaunchMetadata",
    "get_cache_key": "eft.triton.runtime.cache",
    **dict.fromkeys(
        ("ASTSource", "IRSource", "compile", "make_backend", "max_shared_mem"),
        "eft.triton.compiler.compiler",
    ),
    **{name: f"eft.triton.compiler.{name}" for name in ("code_generator", "compiler", "errors")},
}

__getattr__ = lazy.attributes(__name__, _PLACES)
