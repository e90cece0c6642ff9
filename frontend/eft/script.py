# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a script as Python itself would, but for what `import triton` means."""

from __future__ import annotations

import os
import sys
from types import ModuleType


def run(script: str, arguments: list[str]) -> int:
    """Runs a file as `__main__`, with `import triton` meaning Eft.

    The script sees its own `sys.argv`, `sys.path[0]`, `__file__` and `__main__`; an exception that
    it lets through is reported without Eft's frames.

    Returns:
        The exit status. What the script says with `sys.exit` goes through as a SystemExit.
    """
    from eft.triton.finder import install

    try:
        with open(script, "rb") as file:
            text = file.read()
    except OSError as error:
        print(f"python -m eft run: can't open {script!r}: {error.strerror}", file=sys.stderr)
        return 2
    main = ModuleType("__main__")
    main.__file__ = script
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    install()
    try:
        code = compile(text, script, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return _report(error, None)
    try:
        exec(code, main.__dict__)
    except Exception as error:
        return _report(error, error.__traceback__.tb_next)
    except KeyboardInterrupt as error:
        _report(error, error.__traceback__.tb_next)
        return 130  # what a shell makes of an interrupted command
    return 0


def _report(error: BaseException, traceback) -> int:
    """Shows an exception as Python would if the script had been its only argument."""
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
    return 1
