# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.profiler.profile`: starts and ends sessions."""

from __future__ import annotations

import functools
import itertools
import json

from eft.triton import knobs
from eft.triton.profiler import session as _session

__all__ = ["DEFAULT_PROFILE_NAME", "activate", "deactivate", "finalize", "profile", "start"]

DEFAULT_PROFILE_NAME = "proton"

_numbers = itertools.count()


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Starts a session, which times launches.

    Args:
        name: the name, without its suffix, of the file that `finalize` writes; "proton" by default.
        context, data, backend, mode, hook: accepted without effect. Launches are always recorded
            under the scopes of the program, in a tree.

    Returns:
        The session's number. None if `knobs.proton.disable` is true: then there is no session.
    """
    if knobs.proton.disable:
        return None
    number = next(_numbers)
    _session.sessions[number] = _session.Session(name or DEFAULT_PROFILE_NAME)
    knobs.runtime.launch_enter_hook.add(_session.before_launch)
    knobs.runtime.launch_exit_hook.add(_session.after_launch)
    return number


def _chosen(session):
    chosen = _session.sessions if session is None else [session]
    return [_session.sessions[number] for number in chosen]


def activate(session: int | None = None) -> None:
    """Makes a session record launches and metrics. None means all sessions."""
    for each in _chosen(session):
        each.is_active = True


def deactivate(session: int | None = None) -> None:
    """Makes a session ignore launches and metrics until it is activated. None means all
    sessions."""
    for each in _chosen(session):
        each.is_active = False


def finalize(session: int | None = None, output_format: str = "hatchet") -> None:
    """Ends a session and writes its file NAME.hatchet. None means all sessions. The file contains a
    list in JSON: the tree of scopes and kernels with their metrics, and an empty object where
    Triton describes the devices."""
    if output_format not in ("", "hatchet", "tree"):
        raise ValueError(f"output_format must be 'hatchet', got {output_format!r}")
    for each in _chosen(session):
        each.root.read_marks()
        with open(f"{each.name}.hatchet", "w") as file:
            json.dump([each.root.as_tree(), {}], file)
    for number in list(_session.sessions) if session is None else [session]:
        del _session.sessions[number]
    if not _session.sessions:
        knobs.runtime.launch_enter_hook.remove(_session.before_launch)
        knobs.runtime.launch_exit_hook.remove(_session.after_launch)


def profile(func=None, **options):
    """A decorator for functions. A call of the function starts a session, and deactivates the
    session when the function returns. `options` are those of `start`."""
    if func is None:
        return lambda func: profile(func, **options)

    @functools.wraps(func)
    def profiled(*args, **kwargs):
        number = start(**options)
        result = func(*args, **kwargs)
        if number is not None:
            deactivate(number)
        return result

    return profiled
