# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dropout operator on a GPU beside PyTorch's, for matrices of 2^28 elements of many shapes.

Needs PyTorch with a GPU:

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


def main() -> None:
    parser = arguments("Times dropout beside PyTorch's, by the shape.")
    parser.add_argument("--bits", type=int, default=28, help="about 2^BITS elements")
    options = parser.parse_args()
    torch = gpu_torch()
    title = f"The dropout operator, 2^{options.bits} elements of fp32, p = 0.5, milliseconds"
    report = Report("operators_gpu", title, options.out)
    shapes = [(2**options.bits // columns, columns) for columns in WIDTHS]
    shapes += [(rows, 2**options.bits // rows - less) for rows in ROWS for less in (0, 1)]
    for shape in shapes:
        add_row(report, torch, torch.randn(shape, device="cuda"))
    ratios = [row["PyTorch"] / row["Eft"] for row in report.rows]
    slowest = min(range(len(ratios)), key=ratios.__getitem__)
    report.notes.append(
        f"the least that Eft is faster than PyTorch, without a mask: {ratios[slowest]:.3f} times, "
        f"for {report.rows[slowest]['rows']} x {report.rows[slowest]['columns']} (goal: 1)"
    )
    report.save()


def add_row(report: Report, torch, x) -> None:
    """Times one matrix."""

    def milliseconds(fn) -> float:
        return 1e3 * seconds_on_gpu(torch, fn, calls=15, warmup=3)

    _, mask = eft.ops.dropout(x, 0.5, 3)
    report.add(
        rows=x.shape[0],
        columns=x.shape[1],
        Eft=milliseconds(lambda: eft.ops.dropout(x, 0.5, 3, return_mask=False)),
        PyTorch=milliseconds(lambda: torch.nn.functional.dropout(x, 0.5)),
        copy=milliseconds(lambda: x.clone()),
        Eft_with_mask=milliseconds(lambda: eft.ops.dropout(x, 0.5, 3)),
        Eft_backward=milliseconds(lambda: eft.ops.dropout_backward(x, mask, 0.5)),
    )


if __name__ == "__main__":
    main()
