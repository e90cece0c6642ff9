# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime._async_compile`."""

from __future__ import annotations

from contextvars import ContextVar

__all__ = ["AsyncCompileMode", "FutureKernel", "active_mode"]

active_mode: ContextVar[AsyncCompileMode | None] = ContextVar("active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled.

    Attributes:
        kernel: the compiled kernel; None until `result` has returned it.
    """

    def __init__(self, finalize_compile, future):
        self._finalize = finalize_compile
        self._future = future
        self.kernel = None

    def result(self, ignore_errors: bool = False):
        """Waits for the compile, and returns the compiled kernel. If the compile has failed, raises
        its exception, or returns None with `ignore_errors`."""
        if self.kernel is None:
            try:
                kernel = self._future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self._finalize(kernel)
            self.kernel = kernel
        return self.kernel


class AsyncCompileMode:
    """A context in which programs pass compiles to `submit`, and an executor runs them.

    It does not affect the warmups of Eft's kernels, which compile before they return.
    """

    def __init__(self, executor, *, ignore_errors: bool = False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.future_kernels = {}

    def submit(self, key, compile_fn, finalize_fn) -> FutureKernel:
        """Makes the executor call `compile_fn`, unless the key was submitted before. Returns the
        `FutureKernel` of the key."""
        if key not in self.future_kernels:
            future = self.executor.submit(compile_fn)
            self.future_kernels[key] = FutureKernel(finalize_fn, future)
        return self.future_kernels[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("an AsyncCompileMode is entered already")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, *raised):
        active_mode.reset(self._token)
        for kernel in self.future_kernels.values():
            kernel.result(self.ignore_errors)
