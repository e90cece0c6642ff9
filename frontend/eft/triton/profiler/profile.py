# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.profiler.profile`: sessions begin and end."""

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
    """Begins to time launches.

    Args:
        name: the file that `finalize` writes, without its suffix; "proton" by default.
        context, data, backend, mode, hook: accepted; the context is that of the scopes, the data a
            tree.

    Returns:
        The session's number; None if `knobs.proton.disable` says that there is none.
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
    """Lets a session take what happens, or all of them."""
    for each in _chosen(session):
        each.is_active = True


def deactivate(session: int | None = None) -> None:
    """Keeps what happens from a session, or from all of them."""
    for each in _chosen(session):
        each.is_active = False


def finalize(session: int | None = None, output_format: str = "hatchet") -> None:
    """Ends a session, or all of them, and writes NAME.hatchet: a list of the tree of scopes and
    kernels, with their numbers, and of the devices."""
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
    """Makes a function begin a session when it is called, and deactivate it at its end; `options`
    are those of `start`."""
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
