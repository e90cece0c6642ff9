# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, residual and norm on a GPU, forward and backward, beside Triton, PyTorch and a copy.

Eft is measured by its operator, Triton by the kernel `dropout_add_norm` of kernels/rows.py (forward
only), and PyTorch by its functions one after the other. The bytes per second count each array
once, as read or as written: x, the residual, z and y in the forward pass; dy, dz, z, dx and the
gradient of the residual in the backward pass.
"""

from __future__ import annotations

import eft.ops
import eft.ops.torch
from common import arguments, gpu_torch, peer, seconds_on_gpu
from report import Report

P, SEED, EPS = 0.1, 123, 1e-5
ROWS = 16384


class Case:
    def __init__(self, torch, columns: int, dtype: str, is_layer: bool):
        of = {"device": "cuda", "dtype": getattr(torch, dtype)}
        self.torch, self.columns, self.is_layer = torch, columns, is_layer
        self.about = {"norm": "layer" if is_layer else "rms", "dtype": dtype, "columns": columns}
        self.x, self.residual, self.dy, self.dz = (
            torch.randn(ROWS, columns, **of) for _ in range(4)
        )
        self.weight, self.bias = (torch.randn(columns, **of) for _ in range(2))
        self.z, self.y = torch.empty_like(self.x), torch.empty_like(self.x)
        self.mean, self.rstd = (torch.empty(ROWS, device="cuda") for _ in range(2))
        self.array_bytes = self.x.numel() * self.x.element_size()

    def eft(self):
        if self.is_layer:
            arrays = self.x, self.weight, self.bias, self.residual
            return eft.ops.dropout_add_layer_norm(*arrays, P, SEED, EPS)
        return eft.ops.dropout_add_rms_norm(self.x, self.weight, self.residual, P, SEED, EPS)

    def eft_backward(self, normed):
        return eft.ops.dropout_add_norm_backward(self.dy, normed, self.weight, P, self.dz)

    def triton(self, kernel, warps: int):
        block = 1 << (self.columns - 1).bit_length()
        arrays = self.x, self.residual, self.weight, self.bias, self.z, self.y, self.mean, self.rstd
        sizes = {"BLOCK": block, "IS_LAYER": self.is_layer, "num_warps": warps}
        kernel[(ROWS,)](*arrays, self.columns, P, SEED, EPS, **sizes)

    def pytorch(self, x, residual, weight, bias):
        functional = self.torch.nn.functional
        z = residual + functional.dropout(x, P)
        if self.is_layer:
            return functional.layer_norm(z, (self.columns,), weight, bias, EPS), z
        return functional.rms_norm(z, (self.columns,), weight, EPS), z

    def pytorch_backward(self):
        """Returns a function that runs the backward pass of PyTorch's functions."""
        parts = self.x, self.residual, self.weight, self.bias
        leaves = [part.detach().clone().requires_grad_() for part in parts]
        y, z = self.pytorch(*leaves)
        wanted = leaves if self.is_layer else leaves[:3]
        return lambda: self.torch.autograd.grad(
            (y, z), wanted, (self.dy, self.dz), retain_graph=True
        )


def check(case: Case) -> None:
    """Checks that y of Eft's operator is PyTorch's norm of the operator's z, up to some
    roundings."""
    normed = case.eft()
    functional = case.torch.nn.functional
    z, weight, bias = (each.float() for each in (normed.z, case.weight, case.bias))
    if case.is_layer:
        expected = functional.layer_norm(z, (case.columns,), weight, bias, EPS)
    else:
        expected = functional.rms_norm(z, (case.columns,), weight, EPS)
    tolerance = 1e-4 if case.x.dtype == case.torch.float32 else 3e-2
    case.torch.testing.assert_close(normed.y.float(), expected, rtol=tolerance, atol=tolerance)


def measure(report: Report, case: Case, triton_kernel) -> None:
    def add(direction: str, system: str, arrays: int, fn, configuration: str = "") -> None:
        seconds = seconds_on_gpu(case.torch, fn, calls=20)
        report.add(
            direction=direction,
            **case.about,
            system=system,
            configuration=configuration,
            milliseconds=seconds * 1e3,
            GB_per_s=arrays * case.array_bytes / seconds / 1e9,
        )

    torch = case.torch
    add("copy", "PyTorch", 2, lambda: case.y.copy_(case.x))
    add("forward", "Eft", 4, case.eft)
    parts = case.x, case.residual, case.weight, case.bias
    with torch.no_grad():
        add("forward", "PyTorch", 4, lambda: case.pytorch(*parts))
    if triton_kernel is not None:
        times = {
            warps: seconds_on_gpu(torch, lambda warps=warps: case.triton(triton_kernel, warps), 5)
            for warps in (1, 2, 4, 8, 16, 32)
        }
        warps = min(times, key=times.__getitem__)
        add("forward", "Triton", 4, lambda: case.triton(triton_kernel, warps), f"{warps} warps")
    normed = case.eft()
    add("backward", "Eft", 5, lambda: case.eft_backward(normed))
    add("backward", "PyTorch", 5, case.pytorch_backward())


def note(report: Report, case: Case) -> None:
    def rate(direction: str, system: str) -> float | None:
        return report.find("GB_per_s", direction=direction, system=system, **case.about)

    copy = rate("copy", "PyTorch")
    for direction in ("forward", "backward"):
        about = ", ".join(map(str, (direction, *case.about.values())))
        found = rate(direction, "Eft")
        report.note_ratio(f"{about}: Eft's bandwidth over the copy's", found, copy, "0.93")
        report.note_ratio(f"{about}: over PyTorch's", found, rate(direction, "PyTorch"))
        if direction == "forward":
            report.note_ratio(f"{about}: over Triton's", found, rate(direction, "Triton"), "1")


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    sizes = [768, 1024, 2048, 4096, 5120, 8192, 16384]
    parser.add_argument("--columns", type=int, nargs="+", default=sizes)
    parser.add_argument("--quick", action="store_true", help="two lengths of rows alone")
    options = parser.parse_args()
    torch = gpu_torch()
    triton_kernel = None
    if triton := peer("triton"):
        import triton.language
        from common import load_kernels

        kernels = load_kernels(triton.jit, triton.language, "rows")
        triton_kernel = kernels.dropout_add_norm
    title = f"Dropout, residual and norm of {ROWS} rows on a GPU, p = {P}"
    report = Report("norm_gpu", title, options.out)
    for columns in (1024, 4096) if options.quick else options.columns:
        for dtype in ("float32", "float16"):
            for is_layer in (True, False):
                case = Case(torch, columns, dtype, is_layer)
                check(case)
                measure(report, case, triton_kernel)
                note(report, case)
    report.save()


if __name__ == "__main__":
    main()
