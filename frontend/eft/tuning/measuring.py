# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures candidates against each other.

The candidates run in rounds. In a round, each candidate runs once. So a change of the clock rate,
or other work on the machine, affects all candidates alike. A candidate that is clearly slower than
others is dropped after a few rounds. So most of the time is spent on the candidates among which the
choice is hard.
"""

from __future__ import annotations

import contextlib
import math
import sys
from time import perf_counter

from eft.timing import CpuTimer, GpuTimer
from eft.tuning.candidates import Candidate, running

#: The quantiles in `Candidate.timing`: the median first, then two that show the spread of the
#: times.
QUANTILES = (0.5, 0.2, 0.8)
_WARMUP, _REP = 25, 50  # milliseconds
_FEWEST_ROUNDS, _MOST_ROUNDS = 5, 100
_FEWEST_WARMUPS = 2
#: A candidate is dropped if its best time exceeds the best median of all candidates by one of these
#: factors. The first applies after the warm-up, in which times still vary much. The second applies
#: after each round from the third on.
_SLOWER_AT_FIRST, _SLOWER = 2.0, 1.15
_ROUNDS_BEFORE = 3
#: The number of launches in a CUDA graph. With several launches, the time to launch the graph
#: itself matters little.
_CALLS_IN_GRAPH = 10


def measure(tuner, candidates: list[Candidate], device: int, progress):
    """Measures the candidates: sets the `timing` of each candidate, or its `failure`. Candidates
    with the same code are measured once."""
    if tuner._do_bench is not None:
        for number, each in enumerate(running(candidates)):
            _measure_by(tuner._do_bench, each)
            progress.measured((number + 1) / len(candidates), len(candidates) - number)
        return
    firsts = {}  # by the key of a code, the first candidate with this code
    same = {each: firsts.setdefault(each.code(), each) for each in running(candidates)}
    with _on(device):
        timer = CpuTimer() if device < 0 else GpuTimer(device)
        _measure(tuner, list(firsts.values()), timer, device, progress)
    for each, first in same.items():
        each.failure = first.failure
        if first.failure is None:
            each.timing = [quantile(first.times, share) for share in QUANTILES]


def _measure_by(do_bench, candidate: Candidate):
    """Measures a candidate with the user's function `do_bench`, which may launch the kernel any
    number of times."""
    returned = do_bench(candidate.run_measured, quantiles=QUANTILES)
    if candidate.failure is None:
        candidate.timing = _read_times(candidate.tuner, returned)


def _read_times(tuner, returned) -> list[float]:
    """Returns the result of a user's `do_bench` as a list of times. If the result is a single time,
    the list has this time for each quantile. Choices compare the first time.

    Raises:
        TypeError: the result is not a number and not a sequence of numbers.
        ValueError: the result is empty or contains NaN.
    """
    words = (
        f"do_bench of {tuner.__name__!r} must return a time in milliseconds or the {len(QUANTILES)}"
        f" quantiles that it is asked for, got {returned!r}"
    )
    if isinstance(returned, str):
        raise TypeError(words)
    has_many = hasattr(returned, "__iter__") and getattr(returned, "ndim", 1) > 0
    try:
        if not has_many:
            times = [float(returned)] * len(QUANTILES)
        else:
            times = [float(each) for each in returned]
    except (TypeError, ValueError):
        raise TypeError(words) from None
    if not times or any(map(math.isnan, times)):
        raise ValueError(words)
    return times


def _measure(tuner, candidates: list[Candidate], timer, device: int, progress):
    warmup = _WARMUP if tuner.num_warmups is None else tuner.num_warmups
    rep = _REP if tuner.num_reps is None else tuner.num_reps
    # The first run brings the arrays into memory, for all candidates.
    running(candidates)[0].run_measured()
    in_graph = tuner.use_cuda_graph and device >= 0 and "torch" in sys.modules
    runs = {}
    for each in running(candidates):
        launch = _in_graph(each) if in_graph else each.launch
        runs[each] = (each.prepare, launch, each.finish)

    def run_round():
        left = [each for each in running(candidates) if not each.is_slow]
        for each, time in zip(left, timer.measure_in_turn([runs[c] for c in left]), strict=True):
            each.times.append(time / (_CALLS_IN_GRAPH if in_graph else 1))
        return left

    begin, rounds = perf_counter(), 0
    while run_round():
        rounds += 1
        if rounds >= _FEWEST_WARMUPS and (perf_counter() - begin) * 1e3 >= warmup:
            break
    _drop(candidates, _SLOWER_AT_FIRST)
    for each in candidates:
        if not each.is_slow:
            each.times.clear()
    spent = 0.0
    for done in range(1, _MOST_ROUNDS + 1):
        begin = perf_counter()
        left = run_round()
        if not left:
            return
        spent += (perf_counter() - begin) * 1e3 / len(left)
        progress.measured(max(done / _MOST_ROUNDS, min(spent / max(rep, 1e-3), 1)), len(left))
        if done >= _ROUNDS_BEFORE:
            _drop(candidates, _SLOWER)
        alone = sum(not each.is_slow for each in running(candidates)) == 1
        if done >= _FEWEST_ROUNDS and (spent >= rep or alone):
            return


def _drop(candidates: list[Candidate], factor: float):
    """Marks a candidate as slow if each of its times is greater than `factor` times the best
    median.
    """
    compared = [each for each in running(candidates) if each.times]
    limit = factor * min((quantile(each.times, 0.5) for each in compared), default=0.0)
    for each in compared:
        each.is_slow = each.is_slow or min(each.times) > limit


def _in_graph(candidate: Candidate):
    """Returns a function that launches a CUDA graph of `_CALLS_IN_GRAPH` launches."""
    torch = sys.modules["torch"]
    candidate.run_measured()
    torch.cuda.synchronize()
    if candidate.failure is not None:
        return candidate.launch
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(_CALLS_IN_GRAPH):
            candidate.launch()
    return graph.replay


@contextlib.contextmanager
def _on(device: int):
    """A context in which the GPU `device` is the current one of PyTorch, or of CuPy if PyTorch
    can't use a GPU. Timing uses the events and buffers of these libraries. A negative `device` is
    the CPU, and changes nothing."""
    with contextlib.ExitStack() as stack:
        if device >= 0:
            torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
            if torch is not None and torch.cuda.is_available():
                stack.enter_context(torch.cuda.device(device))
            elif cupy is not None:
                stack.enter_context(cupy.cuda.Device(device))
        yield


def quantile(values: list[float], share: float) -> float:
    """Returns the quantile `share` of the values, interpolated linearly between two of them."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
