# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selects the configurations that are worth measuring, with the functions in `prune_configs_by`."""

from __future__ import annotations

import math
from operator import index

from eft.errors import AutotunerError
from eft.tuning.config import Config


def prune(tuner, kwargs: dict) -> list[Config]:
    """Returns the configurations of a tuner that remain after pruning. `early_config_prune` selects
    first. Among the configurations that it returns, those remain for which `perf_model` estimates
    the shortest times; `top_k` gives their number.

    Args:
        kwargs: the keyword arguments of the call. The positional arguments are in `tuner.nargs`.

    Raises:
        AutotunerError: no configuration remains.
        TypeError, ValueError: a function returned a value of the wrong kind, or `top_k` is not a
            positive int or a fraction.
    """
    configs = tuner.configs
    if tuner.early_config_prune:
        # The function gets a copy of the list. So configurations that it removes from the list are
        # still there at the next choice.
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
    """Checks the result of `early_config_prune` and returns it as a list."""
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
    """Returns the number of configurations that `top_k` keeps."""
    top_k = tuner.configs_top_k
    if isinstance(top_k, float):
        if 0 < top_k <= 1:
            return max(1, int(len(tuner.configs) * top_k))
    elif hasattr(top_k, "__index__") and index(top_k) > 0:
        return index(top_k)
    raise TypeError(f"top_k must be a float of at most 1.0 or a positive int, got {top_k!r}")


def _estimate(tuner, returned) -> float:
    """Checks the result of `perf_model` and returns it as a float."""
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
