# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the time from a fresh process to the first result, for Eft and for Triton.

Each figure is the median over several processes, each of which measures once. They run with an
empty disk cache, and with a cache that has the compiled kernels. The columns are:

- `import_ms`: the import of Eft or Triton.
- `first_ms`: from `kernel[grid](...)` to the result. All modules are imported before, and the GPU
  is already in use.
- `variant_ms`: the same for a second launch, with another block size.
- `process_ms`: the whole process.

The kernels are small ones of common kinds: dropout, softmax, a product of matrices, attention.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from common import arguments, load_kernels, peer
from report import Report


def dropout(kernels, library, array):
    x, output = array(4096), array(4096)

    def launch(block):
        grid = (library.cdiv(4096, block),)
        kernels.seeded[grid](x, output, 4096, 0.5, 123, BLOCK=block)

    return launch, (1024, 2048), output


def softmax(kernels, library, array):
    x, output = array(64, 1000), array(64, 1000)
    return (
        lambda block: kernels.softmax[(64,)](x, output, 1000, BLOCK=block),
        (1024, 2048),
        output,
    )


def matmul(kernels, library, array):
    size = 256
    a, b, c = array(size, size), array(size, size), array(size, size)

    def launch(block):
        blocks = {"BLOCK_M": block, "BLOCK_N": block, "BLOCK_K": 32, "GROUP": 8}
        kernels.multiply[((size // block) ** 2,)](a, b, c, size, size, size, **blocks)

    return launch, (64, 32), c


def attention(kernels, library, array):
    heads, n, width = 2, 128, 64
    q, k, v, output = (array(heads, n, width) for _ in range(4))

    def launch(block):
        blocks = {"M": block, "N": 32, "WIDTH": width}
        kernels.attention[(n // block, heads)](q, k, v, output, 0.1, n, **blocks)

    return launch, (64, 32), output


#: By name, functions that return a triple: a function that launches the kernel with a given block
#: size, two block sizes, and the array for the results.
KERNELS = {each.__name__: each for each in (dropout, softmax, matmul, attention)}
#: The files of these kernels in the folder `kernels`.
FILES = {"dropout": "dropout", "softmax": "rows", "matmul": "products", "attention": "attention"}


def child(system: str, device: str, kernel: str) -> dict[str, float]:
    """Measures in this process, and returns all columns but `process_ms`."""
    import numpy as np

    if device == "cuda":
        import torch

        synchronize = torch.cuda.synchronize

        def array(*shape):
            return torch.ones(shape, device="cuda")

        array(1)
        synchronize()
    else:
        synchronize = int

        def array(*shape):
            return np.ones(shape, np.float32)

    marks = [time.perf_counter()]
    if system == "Eft":
        import eft as library
        import eft.language as language
    else:
        import triton as library
        import triton.language as language
    marks.append(time.perf_counter())
    kernels = load_kernels(library.jit, language, FILES[kernel])
    launch, blocks, output = KERNELS[kernel](kernels, library, array)
    synchronize()
    marks.append(time.perf_counter())
    for block in blocks:
        launch(block)
        synchronize()
        marks.append(time.perf_counter())
    assert kernel == "attention" or bool((output != 1).any())
    imported, _, first, variant = ((b - a) * 1e3 for a, b in zip(marks, marks[1:], strict=False))
    return {"import_ms": imported, "first_ms": first, "variant_ms": variant}


def run_child(system: str, device: str, kernel: str, cache: str) -> dict[str, float]:
    environment = dict(os.environ, EFT_CACHE_DIR=cache, TRITON_CACHE_DIR=cache)
    # An installed package has bytecode. Eft's build gets it at its first import.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, __file__, "--child", system, device, kernel]
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{kernel} by {system} on {device} failed:\n{done.stderr}")
    return {**json.loads(done.stdout), "process_ms": seconds * 1e3}


def measure(report: Report, system: str, device: str, repeats: int) -> None:
    for kernel in KERNELS:
        results = {"empty": [], "full": []}
        with tempfile.TemporaryDirectory() as cache:
            run_child(system, device, kernel, cache)  # fills the file cache of the operating system
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as cache:
                for state in results:
                    results[state].append(run_child(system, device, kernel, cache))
        for state, times in results.items():
            medians = {key: statistics.median(each[key] for each in times) for key in times[0]}
            report.add(kernel=kernel, device=device, system=system, cache=state, **medians)


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7, help="processes for each figure")
    parser.add_argument("--child", nargs=3, help="what a measured process is started with")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(*options.child)))
        return
    report = Report("start", "From a fresh process to the first result", options.out)
    measure(report, "Eft", "cpu", options.repeats)
    torch, triton = peer("torch"), peer("triton")
    if torch and torch.cuda.is_available():
        measure(report, "Eft", "cuda", options.repeats)
        if triton:
            measure(report, "Triton", "cuda", options.repeats)
    peer("eft")  # for its version
    of_dropout = {"kernel": "dropout", "device": "cpu", "system": "Eft", "cache": "empty"}
    first = report.find("first_ms", **of_dropout)
    report.notes.append(
        f"dropout by Eft on the CPU, first result: {first:.0f} ms (goal: under 150)"
    )
    report.save()


if __name__ == "__main__":
    main()
