# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the benchmarks one after the other, each in its own process. Compares Eft's speed relative
to its peers with that in the committed results, and draws plots.

    benchmarks/run --gpu            # the benchmarks for a GPU
    benchmarks/run --cpu --quick    # a part of the benchmarks for a CPU, in a few minutes
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from compare import differences

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Benchmark:
    file: str
    quick: tuple[str, ...] | None  # the arguments with --quick; None: not part of a quick run
    arguments: tuple[str, ...] = ()
    result: str = ""  # the name of the result, if it differs from that of the file

    @property
    def name(self) -> str:
        return self.result or self.file.removesuffix(".py")


ON_GPU = (
    Benchmark("dropout_gpu.py", ("--quick", "--bits", "26")),
    Benchmark("operators_gpu.py", None),
    Benchmark("norm_gpu.py", ("--quick",)),
    Benchmark("rows_gpu.py", ("--columns", "1024", "16384")),
    Benchmark("blocks_gpu.py", ("--only", "transposed copy", "argmax")),
    Benchmark("matmul_gpu.py", ("--quick", "--sizes", "4096")),
    Benchmark("attention_gpu.py", ("--lengths", "4096")),
    Benchmark("attention_backward_gpu.py", None),
    Benchmark("projection_gpu.py", None),
    Benchmark("launch.py", ()),
    Benchmark("start.py", ("--repeats", "3")),
)


def on_cpu() -> tuple[Benchmark, ...]:
    """Returns the benchmarks for a CPU: first those with all cores, then dropout and rows with 1, 2
    and 8 threads. Numbers of threads that are not below the number of cores are left out."""
    cores = len(os.sched_getaffinity(0))
    counts = [count for count in (1, 2, 8) if count < cores]
    found = [
        Benchmark("dropout_cpu.py", ("--bits", "22")),
        Benchmark("rows_cpu.py", None),
        Benchmark("matmul_cpu.py", ("--sizes", "1024")),
    ]
    for count in counts:
        threads = ("--threads", str(count))
        quick = (*threads, "--bits", "22") if count == 1 else None
        found.append(Benchmark("dropout_cpu.py", quick, threads, f"dropout_cpu_{count}"))
        quick = (*threads, "--only", "softmax", "sum") if count == 1 else None
        found.append(Benchmark("rows_cpu.py", quick, threads, f"rows_cpu_{count}"))
    return tuple(found)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="store_true", help="measure what needs a GPU and PyTorch")
    parser.add_argument("--cpu", action="store_true", help="measure what runs on the CPU")
    parser.add_argument("--quick", action="store_true", help="some of it, in a few minutes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these benchmarks alone, by name")
    parser.add_argument(
        "--out", type=Path, help="where the new results go; by default they are not kept"
    )
    parser.add_argument(
        "--against", type=Path, default=FOLDER / "results", help="the results to compare with"
    )
    parser.add_argument(
        "--tolerance", type=float, default=0.05, help="the share by which a ratio may differ"
    )
    options = parser.parse_args()
    if not options.gpu and not options.cpu:
        parser.error("say what to measure: --gpu, --cpu, or both")
    chosen = (ON_GPU if options.gpu else ()) + (on_cpu() if options.cpu else ())
    if options.quick:
        chosen = tuple(each for each in chosen if each.quick is not None)
    if options.only:
        names = {each.name for each in chosen}
        if unknown := set(options.only) - names:
            known = ", ".join(sorted(names))
            parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {known}")
        chosen = tuple(each for each in chosen if each.name in options.only)
    with tempfile.TemporaryDirectory() as folder:
        return run(chosen, options, options.out or Path(folder))


def run(chosen: tuple[Benchmark, ...], options, out: Path) -> int:
    """Runs the benchmarks, compares their results, and draws plots. Returns the number of
    benchmarks that failed."""
    out.mkdir(parents=True, exist_ok=True)
    # The old results are read first, because the new results may overwrite them.
    before = {each.name: read(options.against / f"{each.name}.json") for each in chosen}
    failed = []
    for each in chosen:
        arguments = each.quick if options.quick else each.arguments
        print(f"\n== {each.name}", flush=True)
        command = [sys.executable, str(FOLDER / each.file), *arguments, "--out", str(out)]
        if subprocess.run(command).returncode != 0:
            failed.append(each.name)
    for each in chosen:
        if each.name not in failed:
            compare(each.name, before[each.name], read(out / f"{each.name}.json"), options)
    draw(out)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


def read(path: Path) -> dict | None:
    return json.loads(path.read_text()) if path.is_file() else None


def compare(name: str, before: dict | None, after: dict | None, options) -> None:
    print(f"\n== {name}, beside {options.against}")
    if before is None or after is None:
        print("there is nothing to compare with")
        return
    if before["machine"] != after["machine"]:
        print(f"they are of another machine: {before['machine']}")
    found = differences(before, after, options.tolerance)
    for text, old, new in found:
        print(f"{'slower' if new < old else 'faster'}: {text}: {old:.3f} -> {new:.3f}")
    if not found:
        print(f"no ratio to a peer differs by more than {options.tolerance:.0%}")


def draw(out: Path) -> None:
    """Draws plots of all results in the folder `out`, if Matplotlib is installed."""
    try:
        import plot
    except ImportError as error:
        print(f"no plots: {error}")
        return
    for path in sorted(out.glob("*.json")):
        if plot.value_of(json.loads(path.read_text())):
            print(f"plot: {plot.draw(path)}")
    if picture := plot.draw_beside(out):
        print(f"plot: {picture}")


if __name__ == "__main__":
    sys.exit(main())
