# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses a configuration for a call: from the earlier choices of this process, from the disk
cache, or by measuring."""

from __future__ import annotations

import contextlib
import os
import sys
from time import perf_counter

from eft import _runtime, host
from eft.errors import AutotunerError, CompilationError
from eft.tuning import results
from eft.tuning.autotuner import element_type, with_one_nan
from eft.tuning.candidates import (
    Candidate,
    check_left,
    compile_all,
    describe,
    make_candidates,
    running,
)
from eft.tuning.config import Config


def choose(tuner, plan, args, kwargs: dict, grid) -> tuple[tuple, Config]:
    """Chooses the configuration for a call. Returns the key of the choice and the configuration.
    Only one thread at a time may call this function."""
    final = tuner.resolve(args, {**kwargs, **tuner.configs[0].all_kwargs()})
    final.pop("ir_override", None)  # `make_candidates` refuses it with a better message
    device, is_captured = tuner.kernel.place(*args, **final)
    key = _key(tuner, plan, args, kwargs, device)
    # Another thread may have chosen in the meantime. Programs may also put their own choices into
    # `cache`, under keys with a device, or without a device as in Triton.
    for known in (key, key[:-1]):
        if known in tuner.cache:
            return known, tuner.cache[known]
    configs = tuner.prune_configs({**kwargs, "grid": grid, "warmup": False})
    tuner.check_conflicts(configs, args, kwargs)
    if len(configs) == 1:
        tuner.cache[key] = configs[0]
        return key, configs[0]
    candidates = make_candidates(tuner, configs, args, kwargs, grid)
    name = device_name(device)
    kept = results.Kept(tuner, candidates, key, name) if tuner.cache_results else None
    if kept is not None and kept.load():
        tuner.bench_time = None
        return key, _take(tuner, key, candidates)
    if is_captured:
        raise AutotunerError(
            f"{tuner.__name__!r} has no configuration yet for {describe_key(key)}, and can't be "
            "measured while a CUDA graph is being captured: run it once before"
        )
    begin = perf_counter()
    _measure(tuner, candidates, device)
    tuner.bench_time = perf_counter() - begin
    config = _take(tuner, key, candidates)
    if kept is not None:
        kept.save()
    tuner.pre_hook({**tuner.nargs, **kwargs, **config.all_kwargs()}, reset_only=True)
    _tell(tuner, key, config, len(candidates))
    return key, config


def bench(tuner, config: Config, args, kwargs: dict, grid) -> list[float]:
    """Measures one configuration. Returns its `Candidate.timing`, which is infinities if the
    configuration can't run."""
    (candidate,) = candidates = make_candidates(tuner, [config], args, kwargs, grid)
    device, _ = tuner.kernel.place(*args, **candidate.final)
    with contextlib.suppress(AutotunerError, CompilationError):
        _measure(tuner, candidates, device)
    return candidate.timing


def _measure(tuner, candidates: list[Candidate], device: int):
    """Compiles and measures the candidates. Sets their `timing`, or their `failure` if they can't
    run.

    Raises:
        AutotunerError: none of them can run.
    """
    from eft.tuning import measuring, progress

    with progress.Progress(tuner.__name__, len(candidates)) as line:
        compile_all(tuner, candidates, line.compiled)
        measuring.measure(tuner, candidates, device, line)
    check_left(tuner, candidates)


def _take(tuner, key: tuple, candidates: list[Candidate]) -> Config:
    """Stores the results in the attributes of `tuner`. Returns the configuration with the smallest
    median time."""
    tuner.configs_timings = {each.config: each.timing for each in candidates}
    tuner.left_out = {each.config: describe(each.failure) for each in candidates if each.failure}
    best = min(running(candidates), key=lambda each: each.timing[0])
    tuner.cache[key] = best.config
    return best.config


def _key(tuner, plan, args, kwargs: dict, device: int) -> tuple:
    named = {**dict(zip(tuner.arg_names, args, strict=False)), **kwargs}
    return (
        *(with_one_nan(named[name]) for name in plan.keys),
        *(element_type(named[name]) for name in plan.typed),
        "cpu" if device < 0 else f"cuda:{device}",
    )


def device_name(device: int) -> str:
    """Returns the name of a device, with the facts about the device that affect times."""
    if device < 0:
        return f"{host.description()}, {_runtime.host_threads()} threads"
    properties = _runtime.device_properties(device)
    return f"{properties['name']}, {properties['target']}"


def describe_key(key: tuple) -> str:
    return f"({', '.join(map(str, key))})"


def _tell(tuner, key: tuple, config: Config, count: int):
    """Logs the choice. Also prints the choice if EFT_PRINT_AUTOTUNING or TRITON_PRINT_AUTOTUNING is
    set."""
    left_out = [f"left out {each}: {why}" for each, why in tuner.left_out.items()]
    names = ("EFT_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING")
    if any(os.environ.get(name, "0") not in ("", "0") for name in names):
        print(
            *left_out,
            f"Eft autotuning for function {tuner.__name__},\nwith key as {key},\n"
            f"finished after {tuner.bench_time:.2f}s,\nbest config selected: {config};",
            sep="\n",
        )
    logging = sys.modules.get("logging")  # if it was never imported, no handler is set
    if logging is None:
        return
    logger = logging.getLogger("eft")
    for line in left_out:
        logger.info("autotuning %s %s", tuner.__name__, line)
    logger.info(
        "autotuned %s for %s in %.2f s: of %d configurations %s",
        tuner.__name__,
        describe_key(key),
        tuner.bench_time,
        count,
        config,
    )
