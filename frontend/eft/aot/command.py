# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line `python -m eft compile`, which turns a kernel into files for a C or C++
program."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections import namedtuple

from eft import _runtime
from eft.aot.c_source import check_name, launch_arguments, make_files
from eft.aot.errors import AheadError
from eft.aot.files import write_files
from eft.aot.kernels import find_kernel, load_module
from eft.aot.signature import read_signature
from eft.aot.targets import read_targets
from eft.aot.variants import compile_variants
from eft.compiler.functions import symbol_name
from eft.errors import CompilationError

#: The exit status for a wrong command line, the same as argparse's.
WRONG_COMMAND = 2

_EXAMPLE = """\
example:
  python -m eft compile kernels.py --kernel dropout --signature "*fp32:16, *fp32:16, i32, fp32, i32,
      1024" --target sm_90 --target sm_80 --target host:x86-64-v3 --out build/kernels

docs/ahead-of-time.md says what the files are and how a program uses them.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m eft compile",
        description="Compiles a kernel ahead of time, for programs in C or C++.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="FILE.py", help="the file that defines the kernel")
    add("--kernel", required=True, metavar="NAME", help="the kernel's name in the file")
    add(
        "--signature",
        required=True,
        help="for each parameter a type or a constant; after a type ':16' if its values are "
        "divisible by 16, ':1' if they are 1",
    )
    add(
        "--target",
        required=True,
        action="append",
        metavar="TARGET",
        help="sm_90 or cuda:90: a cubin if ptxas is found, else PTX; compute_90: PTX; gpu: PTX for "
        "every GPU; host:x86-64-v3: an object for a CPU, by LLVM's name; host or cpu: for the CPU "
        "at hand. May be given several times",
    )
    add("--out", required=True, metavar="DIR", help="the folder for the files")
    add("--name", help="what the files and functions are called (default: the kernel's name)")
    add("--num-warps", type=int, metavar="N", help="warps of a program on a GPU (default: 4)")
    add("--num-stages", type=int, metavar="N", help="as in a launch")
    add("--maxnreg", type=int, metavar="N", help="registers of a thread on a GPU at most")
    add(
        "--lines",
        action="store_true",
        help="name FILE.py and its lines in the code, for debuggers and profilers",
    )
    return parser


def main(arguments: list[str]) -> int:
    """Runs the command; returns the exit status."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as done:
        return done.code
    try:
        module = load_module(options.file)
    except AheadError as error:
        return _fail(error, WRONG_COMMAND)
    except Exception as error:
        # Show an error of the user's file as Python would, without the frames of this command.
        frames = error.__traceback__.tb_next.tb_next
        sys.excepthook(type(error), error.with_traceback(frames), frames)
        return 1
    try:
        kernel = find_kernel(module, options.kernel)
        request = _read(kernel, options)
    except AheadError as error:
        return _fail(error, WRONG_COMMAND)
    except CompilationError as error:
        return _fail(error, 1)
    try:
        _compile(kernel, request, options, arguments)
    except (AheadError, CompilationError) as error:
        return _fail(error, 1)
    return 0


def _fail(error: Exception, status: int) -> int:
    print(f"python -m eft compile: {error}", file=sys.stderr)
    return status


#: The checked options: the name for files and functions, the signature, the launch options, and the
#: targets.
_Request = namedtuple("_Request", "name signature launch targets")


def _read(kernel, options) -> _Request:
    """Checks the options and returns them as a _Request."""
    name = options.name or symbol_name(kernel.__name__)
    targets = read_targets(options.target)
    check_name(name)
    signature = read_signature(options.signature, kernel)
    return _Request(name, signature, _options(kernel, options), targets)


def _compile(kernel, request: _Request, options, words: list[str]) -> None:
    """Compiles the kernel for the targets and writes the files."""
    name, signature, launch, targets = request
    codes = compile_variants(kernel, name, signature, launch, targets)
    files, lines = {}, []
    for code in codes:
        file = f"{name}.{code.suffix}.{'o' if code.kind == 'host' else code.kind}"
        files[file] = code.code.removesuffix(b"\0") if code.kind == "ptx" else code.code
        lines.append(f"{file}: {code.how}, {len(files[file])} bytes")
    files |= make_files(name, _command(options, words), launch_arguments(kernel, signature), codes)
    write_files(options.out, files)
    print("\n".join([*lines, f"{name}.h, {name}.c: what a program includes and compiles"]))


def _options(kernel, options) -> dict:
    """Returns the launch options, checked by the rules of a launch, and `lines`."""
    names = ("num_warps", "num_stages", "maxnreg")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    try:
        return _runtime.read_options(kernel.__name__, given) | {"lines": options.lines}
    except TypeError as error:
        raise AheadError(str(error)) from None


def _command(options, words: list[str]) -> str:
    """Returns the command line for the header's comment. Folders are left out, so that the same
    kernel gives the same files on every machine."""
    hidden = {options.out: "DIR", options.file: os.path.basename(options.file)}

    def shown(word: str) -> str:
        option, equals, value = word.partition("=")
        return option + equals + hidden.get(value, value) if equals else hidden.get(word, word)

    return "python -m eft compile " + shlex.join(map(shown, words))
