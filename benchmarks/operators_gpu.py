# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's dropout operator on a GPU beside PyTorch's dropout and a copy.

The arrays have about 2^28 elements: row-major fp32 matrices of many shapes, and fewer shapes with
other types and other layouts. The benchmark needs PyTorch with a GPU:

    python benchmarks/operators_gpu.py
"""

from __future__ import annotations

import eft.ops
from common import arguments, gpu_torch, seconds_on_gpu
from report import Report

WIDTHS = [
    *(1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 20, 23, 25, 28, 32, 33, 34, 41, 48, 63, 64, 65, 100, 127),
    *(128, 129, 193, 255, 256, 257, 260, 400, 511, 1000, 1023, 1024, 1028, 2047, 4097, 16384),
    100003,
]
ROWS = [1, 7, 32, 100, 1023, 1025, 1040, 1100, 2047]
#: The widths of matrices whose type is not fp32.
SOME_WIDTHS = [255, 1 << 10, 1 << 18]
#: By name, two functions. The first returns the shape in memory of an array of about the given
#: number of elements. The second returns a view of the array. The benchmark drops elements of this
#: view.
LAYOUTS = {
    "turned": (lambda n: (1024, n >> 10), lambda x: x.T),
    "batches, turned": (lambda n: (max(n >> 22, 1), 1024, 4096), lambda x: x.transpose(1, 2)),
    "gaps between rows": (lambda n: (n >> 10, 1032), lambda x: x[:, :1024]),
    "heads": (lambda n: (max(n >> 22, 1), 4096, 16, 64), lambda x: x.transpose(1, 2)),
    "outputs of heads": (lambda n: (max(n >> 22, 1), 16, 4096, 64), lambda x: x.transpose(1, 2)),
    "channels last": (lambda n: (max(n >> 22, 1), 256, 256, 64), lambda x: x.permute(0, 3, 1, 2)),
    "4 channels last": (lambda n: (n >> 16, 16, 1024, 4), lambda x: x.permute(0, 3, 1, 2)),
}


def main() -> None:
    parser = arguments("Times dropout beside PyTorch's, by the shape.")
    parser.add_argument("--bits", type=int, default=28, help="about 2^BITS elements")
    options = parser.parse_args()
    torch = gpu_torch()
    title = f"The dropout operator, 2^{options.bits} elements, p = 0.5, milliseconds"
    report = Report("operators_gpu", title, options.out)
    shapes = [(2**options.bits // columns, columns) for columns in WIDTHS]
    shapes += [(rows, 2**options.bits // rows - less) for rows in ROWS for less in (0, 1)]
    for shape in shapes:
        add_row(report, torch, torch.randn(shape, device="cuda"), "row-major")
    for name in ("float16", "bfloat16", "float64"):
        of = {"device": "cuda", "dtype": getattr(torch, name)}
        for columns in SOME_WIDTHS:
            x = torch.randn(2**options.bits // columns, columns, **of)
            add_row(report, torch, x, "row-major")
    for name, (shape_for, view_of) in LAYOUTS.items():
        for dtype in (torch.float32, torch.float16):
            shape = shape_for(2**options.bits)
            x = view_of(torch.randn(shape, device="cuda", dtype=dtype))
            add_row(report, torch, x, name)
    ratios = [row["PyTorch"] / row["Eft"] for row in report.rows]
    slowest = min(range(len(ratios)), key=ratios.__getitem__)
    report.notes.append(
        f"the least that Eft is faster than PyTorch, without a mask: {ratios[slowest]:.3f} times, "
        f"for {report.rows[slowest]['rows']} x {report.rows[slowest]['columns']} (goal: 1)"
    )
    for dtype in ("float32", "float16", "bfloat16", "float64"):
        rows = report.matching(dtype=dtype, layout="row-major")
        share = min(row["copy"] / row["Eft"] for row in rows)
        text = f"{dtype}, without a mask: the least share of a copy's speed"
        report.notes.append(f"{text}: {share:.3f} (goal: 0.97)")
    report.save()


def add_row(report: Report, torch, x, layout: str) -> None:
    """Times the operator, PyTorch and a copy on the array `x`, and adds a row to the report."""

    def milliseconds(fn) -> float:
        return 1e3 * seconds_on_gpu(torch, fn, calls=15, warmup=3)

    y, mask = eft.ops.dropout(x, 0.5, 3)
    report.add(
        rows=x.shape[:-1].numel(),
        columns=x.shape[-1],
        dtype=str(x.dtype).removeprefix("torch."),
        layout=layout,
        Eft=milliseconds(lambda: eft.ops.dropout(x, 0.5, 3, return_mask=False)),
        PyTorch=milliseconds(lambda: torch.nn.functional.dropout(x, 0.5)),
        copy=milliseconds(lambda: y.copy_(x)),
        Eft_with_mask=milliseconds(lambda: eft.ops.dropout(x, 0.5, 3)),
        Eft_backward=milliseconds(lambda: eft.ops.dropout_backward(x, mask, 0.5)),
    )


if __name__ == "__main__":
    main()
