# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions that need many nested calls. Python limits the depth of calls in each thread."""

from __future__ import annotations

import sys


def with_room(run):
    """Calls `run()`; returns its result or raises its exception. If this thread has already used a
    quarter of the allowed depth of calls, `run` is called in a new thread."""
    try:
        sys._getframe(sys.getrecursionlimit() // 4)
    except ValueError:  # the stack has fewer frames
        return run()
    return in_thread(run)


def in_thread(run):
    """Calls `run()` in a new thread, which has no other calls on its stack, and waits for it.
    Returns its result or raises its exception. `run` sees the context variables of this thread."""
    import threading
    from contextvars import copy_context

    done, context = [], copy_context()

    def target():
        try:
            done.append((context.run(run), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    result, error = done[0]
    if error is not None:
        raise error
    return result
