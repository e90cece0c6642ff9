# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Room for calls in calls, of which Python allows a thread a certain number."""

from __future__ import annotations

import sys


def with_room(run):
    """Returns or raises what `run()` does. If many calls are under way here, it runs in a
    thread."""
    try:
        sys._getframe(sys.getrecursionlimit() // 4)
    except ValueError:  # there are not so many
        return run()
    return in_thread(run)


def in_thread(run):
    """Returns or raises what `run()` does in a thread of its own, where no other call is under
    way."""
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
