# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.tools.compile`: writes a kernel to files for a C program. It uses
`python -m eft compile`, so the files differ from Triton's (docs/ahead-of-time.md)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CompileArgs", "compile_kernel", "main"]


@dataclass
class CompileArgs:
    """The arguments of a compile.

    Attributes:
        path: the Python file that defines the kernel.
        kernel_name: the kernel's name in the file.
        signature: a type or a constant for each parameter, such as "*fp32:16, i32, 1024".
        grid: without effect, because the compiled function takes the grid as an argument.
        target: the target, such as "cuda:90:32"; by default the current GPU, or the CPU if there is
            no GPU.
        num_warps, num_stages: the launch options.
        out_name: the name of the files and of the compiled function. By default the last part of
            `out_path`, or else the kernel's name.
        out_path: the path of the files without their suffix. Only its folder is used if `out_name`
            is given. By default the files are in the current folder.
    """

    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: str | None = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: str | None = None
    out_path: Path | None = None


def compile_kernel(args: CompileArgs) -> int:
    """Compiles the kernel and writes the files. Returns the exit status."""
    from eft.aot.command import main as compile_ahead
    from eft.triton.runtime.driver import driver

    if args.target is None:
        target = driver.active.get_current_target().name
    else:
        target = ":".join(args.target.split(":")[:2])
    folder = Path.cwd() if args.out_path is None else Path(args.out_path).parent
    name = args.out_name or (args.kernel_name if args.out_path is None else args.out_path.name)
    return compile_ahead(
        [str(args.path), "--kernel", args.kernel_name, "--signature", args.signature,
         "--target", target, "--num-warps", str(args.num_warps),
         "--num-stages", str(args.num_stages), "--name", name, "--out", str(folder)]
    )  # fmt: skip


def main() -> int:
    """Runs the command line. Returns the exit status."""
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("path")
    add("--kernel-name", "-n", required=True)
    add("--target", "-t")
    add("--num-warps", "-w", type=int, default=1)
    add("--num-stages", "-ns", type=int, default=3)
    add("--out-name", "-on")
    add("--out-path", "-o", type=Path)
    add("--signature", "-s", required=True)
    add("--grid", "-g", required=True)
    return compile_kernel(CompileArgs(**vars(parser.parse_args())))


if __name__ == "__main__":
    sys.exit(main())
