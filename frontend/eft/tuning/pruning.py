# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configurations that are worth measuring, by the functions in `prune_configs_by`."""

from __future__ import annotations

import math
from operator import index

from eft.errors import AutotunerError
from eft.tuning.config import Config


def prune(tuner, kwargs: dict) -> list[Config]:
    """The configurations of a tuner that its `early_config_prune` leaves, and of those the ones for
    which its `perf_model` estimates the least times.

    Args:
        kwargs: the keyword arguments of the call; the others are the tuner's `nargs`.

    Raises:
        AutotunerError: none is left.
        TypeError, ValueError: a function returned something else, or `top_k` is no number to keep.
    """
    configs = tuner.configs
    if tuner.early_config_prune:
        # A copy of its own: what the function removes from it should be there in the next choice.
        configs = _left(tuner, tuner.early_config_prune(list(configs), tuner.nargs, **kwargs))
    if not tuner.perf_model:
        return configs
    count = _count(tuner)
    if len(configs) <= count:
        return configs
    times = [
        _estimate(tuner, tuner.perf_model(**tuner.nargs, **kwargs, **each.all_kwargs()))
        for each in configs
    ]
    order = sorted(range(len(configs)), key=times.__getitem__)
    return [configs[number] for number in order[:count]]


def _left(tuner, returned) -> list[Config]:
    """The result of `early_config_prune`, as a list."""
    if returned is not None and not hasattr(returned, "__iter__"):
        raise TypeError(
            f"early_config_prune of {tuner.__name__!r} must return a list of eft.Config, got "
            f"{returned!r}"
        )
    configs = list(returned or ())
    for number, each in enumerate(configs):
        if not isinstance(each, Config):
            raise TypeError(
                f"early_config_prune of {tuner.__name__!r} must return a list of eft.Config, got "
                f"{each!r} at {number}"
            )
    if not configs:
        raise AutotunerError(
            "No valid autotuner configs after pruning: early_config_prune of "
            f"{tuner.__name__!r} must return at least one of {len(tuner.configs)}"
        )
    return configs


def _count(tuner) -> int:
    """The number of configurations that `top_k` keeps."""
    top_k = tuner.configs_top_k
    if isinstance(top_k, float):
        if 0 < top_k <= 1:
            return max(1, int(len(tuner.configs) * top_k))
    elif hasattr(top_k, "__index__") and index(top_k) > 0:
        return index(top_k)
    raise TypeError(f"top_k must be a float of at most 1.0 or a positive int, got {top_k!r}")


def _estimate(tuner, returned) -> float:
    """A time that `perf_model` has returned."""
    words = f"perf_model of {tuner.__name__!r} must return a number, got {returned!r}"
    if isinstance(returned, str):
        raise TypeError(words)
    try:
        time = float(returned)
    except (TypeError, ValueError):
        raise TypeError(words) from None
    if math.isnan(time):
        raise ValueError(words)
    return time
