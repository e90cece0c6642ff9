# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stack that no caller has used yet."""

from __future__ import annotations


def in_thread(run):
    """What `run()` returns or raises in a thread of its own, where no other call is under way."""
    import threading

    done = []

    def target():
        try:
            done.append((run(), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    result, error = done[0]
    if error is not None:
        raise error
    return result
