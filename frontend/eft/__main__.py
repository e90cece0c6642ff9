# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: `python -m eft run`, `compile`, `info`, `cache`, `as-triton`, `--version`. The
script `eft` takes the same commands.

The exit status is 2 if the command line is wrong or names a file that does not exist. It is 1 if
the command was understood but failed.
"""

from __future__ import annotations

import sys

from eft.version import __version__

_USAGE = """\
usage: python -m eft run SCRIPT [ARGUMENTS...]      run a script with `import triton` meaning Eft,
                                                    - for one from standard input
       python -m eft run -m MODULE [ARGUMENTS...]   the same for a module
       python -m eft compile FILE.py ...            compile a kernel ahead of time, for C and C++
       python -m eft info                           show the devices, the versions and the cache
       python -m eft cache list [NAME]              show what is in the cache, of all kernels or one
       python -m eft cache verify                   look for damaged entries in the cache
       python -m eft cache clear [NAME]             empty the cache, or forget one kernel
       python -m eft as-triton                      print a folder in which Eft is Triton
       python -m eft --version
"""


def main(arguments: list[str]) -> int:
    match arguments:
        case ["-h" | "--help"] | ["run" | "info" | "cache" | "as-triton", "-h" | "--help"]:
            print(_USAGE, end="")
            return 0
        case ["run", "-m", module, *rest]:
            from eft.script import run_module

            return run_module(module, rest)
        case ["run", "-", *rest]:
            from eft.script import run_input

            return run_input(rest)
        case ["run", script, *rest] if not script.startswith("-"):
            from eft.script import run

            return run(script, rest)
        case ["compile", *rest]:
            from eft.aot.command import main as compile_ahead

            return compile_ahead(rest)
        case ["info"]:
            from eft.info import print_info

            return print_info()
        case ["cache", "list" | "clear" as action, *name] if len(name) <= 1:
            from eft import cache_command

            act = cache_command.clear if action == "clear" else cache_command.list_entries
            return act(*name or (None,))
        case ["cache", "verify"]:
            from eft import cache_command

            return cache_command.verify()
        case ["as-triton"]:
            from eft.triton.finder import FOLDER

            print(FOLDER)
            return 0
        case ["--version"]:
            print(f"eft {__version__}")
            return 0
    print(f"python -m eft{_mistake(arguments)}\n{_USAGE}", end="", file=sys.stderr)
    return 2


def _mistake(arguments: list[str]) -> str:
    """Returns an error message: the part of the command that was understood, a colon, and the
    mistake."""
    match arguments:
        case []:
            return ": expected a command"
        case ["run"]:
            return " run: expected a script, or -m and a module"
        case ["run", "-m"]:
            return " run: expected a module after -m"
        case ["run", option, *_]:
            return f" run: unknown option {option!r}"
        case ["cache"]:
            return " cache: expected list, verify or clear"
        case ["cache", "verify", more, *_]:
            return f" cache verify: takes no arguments, got {more!r}"
        case ["cache", "list" | "clear" as action, _, more, *_]:
            return f" cache {action}: takes one name, got {more!r} too"
        case ["cache", action, *_]:
            return f" cache: expected list, verify or clear, got {action!r}"
        case ["info" | "as-triton" | "--version" as command, more, *_]:
            return f" {command}: takes no arguments, got {more!r}"
    return f": unknown command {arguments[0]!r}: expected run, compile, info, cache or as-triton"


def command() -> int:
    """Runs the command line; the entry point of the script `eft`."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(command())
