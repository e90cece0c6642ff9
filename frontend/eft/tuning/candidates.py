# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The candidates: configurations that are measured against each other. Compiles them in
parallel."""

from __future__ import annotations

from eft import _runtime
from eft.errors import AutotunerError, CompilationError
from eft.tuning.autotuner import is_array
from eft.tuning.config import Config


class Candidate:
    """A configuration for one call.

    Attributes:
        config: the configuration.
        args: the positional arguments of the call.
        kwargs: the keyword arguments of the call and those of the configuration.
        arguments: all of these arguments, by name.
        final: the keyword arguments that the kernel gets, which include those of further wrappers.
        for_compile: the positional and the keyword arguments with which the kernel is compiled.
        compiled: the compiled kernel; None before the compile.
        failure: the exception because of which the candidate can't run, or None.
        raised: the exception that a function of the user has raised in a run, or None.
        times: the times of the candidate's runs, in milliseconds.
        timing: the median, the 20 % and the 80 % quantile of `times`.
        is_slow: whether the candidate is no longer measured, because it is much slower than others.
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
        """Returns the arguments with which the kernel is compiled, as (args, kwargs). The
        configuration's hook may set the block shapes of tensor descriptors. This method passes
        copies of the descriptors to the hook, because other candidates use the same descriptors and
        are compiled at the same time."""
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
        """Returns a key that is equal for candidates whose runs do the same. It consists of the
        code and the arguments that are not arrays. The arguments belong to the key because the
        kernel and the grid read them. Launch options don't, because different options can give the
        same code. A candidate with a `pre_hook` equals no other candidate."""
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
        """Launches the kernel once, with the configuration's hook, as the program would. If the
        launch itself fails, sets `failure`. If a function of the user raises an exception, sets
        `raised`, and the exception reaches the caller."""
        if self.failure is not None:
            return
        raised = []
        try:
            if self.config.pre_hook is not None:
                raised.append(None)  # for an exception of the hook, which is no failed launch
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
        """Launches the kernel once, with the hooks of the tuner before and after."""
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
    """Returns the grid. If it is a function, returns a function that calls it and appends any
    exception that it raises to `raised`."""
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
    """Compiles the candidates in parallel, in at most as many threads as kernels on the host use.
    Calls `report` with the number of candidates that are done.

    Raises:
        TypeError: a configuration does not fit the kernel's parameters.
        AutotunerError: no candidate could be compiled.
    """
    pending = candidates[::-1]  # shared by the threads, because `pop` of a list is atomic
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
    except BaseException:  # from a signal handler: the other threads finish their current compiles
        pending.clear()
        raise
    for each in candidates:
        if isinstance(each.failure, TypeError):
            raise each.failure
    check_left(tuner, candidates)


def running(candidates: list[Candidate]) -> list[Candidate]:
    return [each for each in candidates if each.failure is None]


def check_left(tuner, candidates: list[Candidate]):
    """Raises an error with the reasons if no candidate can run. If all candidates have the same
    `CompilationError`, raises that error; otherwise an `AutotunerError`."""
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
    """Returns a failure as one line of text."""
    text = getattr(failure, "message", None) or str(failure)
    return " ".join(text.split()) or type(failure).__name__
