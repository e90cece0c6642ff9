# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a script or a module as Python itself would, except that `import triton` imports Eft."""

from __future__ import annotations

import os
import sys
from types import ModuleType

_INPUT = "<stdin>"


def run(script: str, arguments: list[str]) -> int:
    """Runs a file as `__main__`, where `import triton` imports Eft. For a folder or a zip archive,
    runs the file `__main__.py` in it.

    The script gets the same `sys.argv`, `sys.path[0]`, `__file__` and `__main__` as under Python.
    An exception that the script does not catch is printed without Eft's frames.

    Returns:
        The exit status. If the script calls `sys.exit`, its SystemExit reaches the caller instead.
    """
    if (importer := _importer(script)) is not None:
        return _run_inside(script, importer, arguments)
    try:
        with open(script, "rb") as file:
            text = file.read()
    except OSError as error:
        return _fail(f"can't open {script!r}: {error.strerror}")
    path = os.path.abspath(script)  # remains correct if the script changes the current folder
    main = _become(script, arguments, os.path.dirname(os.path.realpath(script)))
    main.__file__ = path
    return _execute_text(text, path, main)


def run_input(arguments: list[str]) -> int:
    """Runs the text from standard input as a script; see `run`."""
    import linecache

    text = sys.stdin.buffer.read()
    main = _become("-", arguments, "")
    del main.__file__
    lines = text.decode(errors="replace").splitlines(keepends=True)
    # With this entry, tracebacks show lines of the script, and its kernels have a source.
    linecache.cache[_INPUT] = len(text), None, lines, _INPUT
    return _execute_text(text, _INPUT, main)


def _importer(place: str):
    """Returns the importer of modules in a folder or a zip archive; None for any other path."""
    for make in sys.path_hooks:
        try:
            return make(place)
        except ImportError:
            continue
    return None


def _run_inside(place: str, importer, arguments: list[str]) -> int:
    main = _become(place, arguments, place)
    spec = importer.find_spec("__main__")
    if spec is None:
        return _fail(f"can't find a module __main__ in {place!r}")
    try:
        code = spec.loader.get_code("__main__")
    except Exception as error:  # such as a syntax error in the module
        return _report(error, _frames_outside(error.__traceback__))
    _specify(main, spec)
    return _execute(code, main)


def _execute_text(text: bytes, path: str, main: ModuleType) -> int:
    try:
        code = compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return _report(error, None)
    return _execute(code, main)


def run_module(name: str, arguments: list[str]) -> int:
    """Runs a module as `python -m` would; for a package, its module `__main__`. See `run`."""
    main = _become("-m", arguments, os.getcwd())
    try:
        spec = _find(name)
        code = spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None
        if code is None:
            raise _NoModule(f"{name!r} has no code that could be run")
    except _NoModule as error:
        return _fail(str(error))
    except Exception as error:  # an error in an enclosing package, or a syntax error
        return _report(error, _frames_outside(error.__traceback__))
    _specify(main, spec)
    sys.argv[0] = spec.origin
    return _execute(code, main)


def _specify(main: ModuleType, spec):
    """Sets the attributes of the module `main` to those of a module with this specification."""
    main.__file__ = spec.origin
    main.__spec__, main.__loader__ = spec, spec.loader
    main.__package__, main.__cached__ = spec.parent, spec.cached


class _NoModule(Exception):
    """There is no module of the given name, or the module can't be run."""


def _find(name: str):
    """Returns the specification of the module that `python -m` runs for a name.

    Raises:
        _NoModule: there is none.
    """
    from importlib.util import find_spec

    is_relative = name.startswith(".")
    try:
        spec = find_spec(name) if name and not is_relative else None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        spec = None
    if spec is None:
        raise _NoModule(f"there is no module {name!r}")
    if spec.submodule_search_locations is None:
        return spec
    main = find_spec(f"{name}.__main__")
    if main is None:
        raise _NoModule(f"{name!r} is a package without a module __main__")
    return main


def _become(file: str, arguments: list[str], folder: str) -> ModuleType:
    """Sets up this process for a script: replaces the module `__main__`, `sys.argv` and
    `sys.path[0]`, and makes `import triton` import Eft. Returns the new `__main__`."""
    from eft.triton.finder import install

    main = ModuleType("__main__")
    main.__file__ = file
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    sys.argv = [file, *arguments]
    sys.path[0] = folder
    install(children=True)
    return main


def _execute(code, main: ModuleType) -> int:
    try:
        exec(code, main.__dict__)
    except Exception as error:
        return _report(error, error.__traceback__.tb_next)
    except KeyboardInterrupt as error:
        _report(error, error.__traceback__.tb_next)
        return 130  # 128 + SIGINT, the status that shells report for an interrupted command
    return 0


def _frames_outside(traceback):
    """Returns the rest of a traceback, from the first frame that belongs neither to this file nor
    to Python's import system."""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file != __file__ and "importlib" not in file:
            break
        traceback = traceback.tb_next
    return traceback


def _fail(message: str) -> int:
    print(f"python -m eft run: {message}", file=sys.stderr)
    return 2


def _report(error: BaseException, traceback) -> int:
    """Prints an exception as Python would if it had run the script itself. Returns the exit status
    1."""
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
    return 1
