# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: `python -m eft run SCRIPT [ARGS]`, `compile`, `info`, `--version`."""

from __future__ import annotations

import sys

from eft.version import __version__

_USAGE = """\
usage: python -m eft run SCRIPT [ARGUMENTS...]   run a script with `import triton` meaning Eft
       python -m eft compile FILE.py ...         compile a kernel ahead of time, for C and C++
       python -m eft info                        show the devices, the versions and the cache
       python -m eft --version
"""


def main(arguments: list[str]) -> int:
    match arguments:
        case ["run", script, *rest] if not script.startswith("-"):
            from eft.script import run

            return run(script, rest)
        case ["compile", *rest]:
            from eft.aot.command import main as compile_ahead

            return compile_ahead(rest)
        case ["info"]:
            from eft.info import print_info

            return print_info()
        case ["--version"]:
            print(f"eft {__version__}")
            return 0
        case ["-h" | "--help"] | ["run", "-h" | "--help"]:
            print(_USAGE, end="")
            return 0
    print(_USAGE, end="", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
