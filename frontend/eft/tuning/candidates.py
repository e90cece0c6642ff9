# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configurations that are measured against each other, and their compiles, in parallel."""

from __future__ import annotations

from eft import _runtime
from eft.errors import AutotunerError, CompilationError
from eft.tuning.autotuner import is_array
from eft.tuning.config import Config


class Candidate:
    """One configuration, for one call.

    Attributes:
        config: the configuration.
        kwargs: the keyword arguments of the call, with its own.
        final: those with which a launch reaches the kernel.
        compiled: the compiled kernel, once it is there.
        failure: the exception that says why it can't run, or None.
        raised: what a function of the user's has raised in a run, or None.
        times: how long its runs took, in milliseconds.
        timing: their median, and the 20 % and the 80 % quantile.
        is_slow: whether it is so much slower than others that it is not measured any more.
    """

    def __init__(self, tuner, config: Config, args, kwargs: dict, grid):
        self.tuner = tuner
        self.config = config
        self.args = args
        self.kwargs = {**kwargs, **config.all_kwargs()}
        self.arguments = {**dict(zip(tuner.arg_names, args, strict=False)), **self.kwargs}
        self.grid = grid
        self.final = tuner.resolve(args, self.kwargs)
        self.for_compile = self._with_hooked_descriptors()
        self.compiled = None
        self.failure = None
        self.raised = None
        self.times = []
        self.timing = [float("inf")] * 3
        self.is_slow = False

    def _with_hooked_descriptors(self):
        """The arguments to compile for: the configuration's hook may set the block shapes of
        descriptors. It does so for copies here, since candidates are compiled side by side."""
        if self.config.pre_hook is None:
            return self.args, self.final
        from copy import copy

        from eft.warmup import is_descriptor

        hooked = {
            name: copy(value)
            for name, value in {**self.arguments, **self.final}.items()
            if is_descriptor(value)
        }
        if not hooked:
            return self.args, self.final
        self.config.pre_hook({**self.arguments, **hooked})
        args = [
            hooked.get(name, value)
            for name, value in zip(self.tuner.arg_names, self.args, strict=False)
        ]
        return args, {name: hooked.get(name, value) for name, value in self.final.items()}

    def compile(self):
        args, kwargs = self.for_compile
        try:
            self.compiled = self.tuner.kernel.warmup(*args, **kwargs)
        except Exception as error:
            self.failure = error

    def code(self):
        """A key that tells its runs from those of others: the code, and the parameters that the
        call leaves to the configuration, which the kernel or the grid sees. Options may well make
        no difference to the code."""
        compilation = getattr(self.compiled, "compilation", None)
        if compilation is None or self.config.pre_hook is not None:
            return self
        parameters = {each.name for each in self.tuner.kernel.parameters}
        values = sorted(
            (name, repr(value))
            for name, value in self.final.items()
            if name in parameters and not is_array(value)
        )
        return (compilation.metadata, compilation.binary, *values)

    def launch(self):
        """Runs the kernel once as the program would. What stands in the way of the launch itself is
        the candidate's failure; what the user's functions raise goes on."""
        if self.failure is not None:
            return
        raised = []
        try:
            if self.config.pre_hook is not None:
                raised.append(None)  # an exception of the hook's is no failure of the launch
                self.config.pre_hook(self.arguments)
                raised.clear()
            self.tuner.fn[_guarded(self.grid, raised)](*self.args, **self.kwargs)
        except (_runtime.CudaError, ValueError) as error:
            if raised:
                self.raised = error
                raise
            self.failure = error
        except BaseException as error:
            self.raised = error
            raise

    def run_measured(self):
        """One run with all hooks around it."""
        self.prepare()
        try:
            self.launch()
        finally:
            self.finish()

    def prepare(self):
        self.tuner.pre_hook(self.arguments)

    def finish(self):
        self.tuner.post_hook(self.arguments, exception=self.raised or self.failure)


def _guarded(grid, raised: list):
    """The grid; if it is a function, one that notes what that raises."""
    if not callable(grid):
        return grid

    def guarded(arguments):
        try:
            return grid(arguments)
        except BaseException as error:
            raised.append(error)
            raise

    return guarded


def make_candidates(tuner, configs, args, kwargs: dict, grid) -> list[Candidate]:
    for each in configs:
        if each.ir_override is not None:
            raise NotImplementedError(
                f"a configuration of {tuner.__name__!r} has ir_override={each.ir_override!r}: Eft "
                "compiles kernels from their source only"
            )
    return [Candidate(tuner, each, args, kwargs, grid) for each in configs]


def compile_all(tuner, candidates: list[Candidate], report=lambda done: None):
    """Compiles the candidates in as many threads as kernels on the host run on.

    Raises:
        TypeError: a configuration does not fit the kernel's parameters.
        AutotunerError: none of them could be compiled.
    """
    pending = candidates[::-1]  # a list's pop is one step, whatever other threads do
    done = []

    def work(report=lambda done: None):
        while pending:
            try:
                candidate = pending.pop()
            except IndexError:
                return
            candidate.compile()
            done.append(candidate)
            report(len(done))

    threads = []
    if min(_runtime.host_threads(), len(candidates)) > 1:
        import threading

        for _ in range(min(_runtime.host_threads(), len(candidates)) - 1):
            threads.append(threading.Thread(target=work, daemon=True))
            threads[-1].start()
    try:
        work(report)
        for thread in threads:
            thread.join()
    except BaseException:  # a signal's handler raised it: the others finish what they have begun
        pending.clear()
        raise
    for each in candidates:
        if isinstance(each.failure, TypeError):
            raise each.failure
    check_left(tuner, candidates)


def running(candidates: list[Candidate]) -> list[Candidate]:
    return [each for each in candidates if each.failure is None]


def check_left(tuner, candidates: list[Candidate]):
    """Raises an error that says why, if no candidate can run. Where all have the same mistake of
    the kernel, it is that mistake."""
    if any(each.failure is None for each in candidates):
        return
    failures = [each.failure for each in candidates]
    first = failures[0]
    if isinstance(first, CompilationError) and len({str(each) for each in failures}) == 1:
        raise first.with_traceback(None)
    reasons = "".join(f"\n  {each.config}: {describe(each.failure)}" for each in candidates)
    raise AutotunerError(
        f"none of the {len(candidates)} configurations of {tuner.__name__!r} can run:{reasons}"
    ) from first


def describe(failure: BaseException) -> str:
    """A failure in one line."""
    text = getattr(failure, "message", None) or str(failure)
    return " ".join(text.split()) or type(failure).__name__
