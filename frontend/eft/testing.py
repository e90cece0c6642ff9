# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels, compares results, and draws charts, on GPUs and CPUs. Has the names of Triton's
`triton.testing`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from eft.timing import make_timer

_FOR_GPUS = (
    "cuda_memcheck",
    "do_bench_cudagraph",
    "get_dram_gbps",
    "get_max_simd_tflops",
    "get_max_tensorcore_tflops",
    "nvsmi",
    "set_gpu_clock",
)

_MODES = {
    "min": np.min,
    "max": np.max,
    "mean": np.mean,
    "median": np.median,
    "all": lambda times: [float(time) for time in times],
}


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    device: str | None = None,
):
    """Times a function. The caches are flushed before every call that is timed.

    On a GPU, two events around the call measure its time. On a CPU, the wall clock does.

    Args:
        fn: the function to time; takes no arguments.
        warmup, rep: the milliseconds to warm up and to measure. On a GPU, dividing them by the time
            of a call with a flush gives the numbers of calls, which are at least one. On a CPU, the
            time for flushing does not count, and at least ten calls are timed.
        grad_to_none: tensors of PyTorch whose `grad` is set to None before every call that is
            timed.
        quantiles: the quantiles of the times to return, each in [0, 1]. They override
            `return_mode`.
        return_mode: "mean", "median", "min", "max", or "all" for the list of all times.
        device: "cuda" or "cpu"; by default "cuda" if this process can use a GPU.

    Returns:
        Milliseconds. With `quantiles` a list of floats, or a float if there is only one quantile;
        otherwise a float, or a list of floats for "all".

    Raises:
        ValueError: `return_mode` or `device` is unknown, a quantile is out of range, or `warmup` or
            `rep` is not finite.
        RuntimeError: `device` is "cuda" and there is no GPU.
    """
    check_summary(quantiles, return_mode)
    for name, milliseconds in (("warmup", warmup), ("rep", rep)):
        if not np.isfinite(milliseconds):
            raise ValueError(f"{name} must be a number of milliseconds, got {milliseconds!r}")

    def clear_gradients():
        for tensor in grad_to_none or ():
            tensor.grad = None

    times = make_timer(device).measure(fn, warmup, rep, clear_gradients)
    return summary(times, quantiles, return_mode)


def check_summary(quantiles: Sequence[float] | None, return_mode: str):
    """Raises a ValueError if `summary` can't handle `quantiles` or `return_mode`."""
    if return_mode not in _MODES:
        raise ValueError(f"return_mode must be one of {', '.join(_MODES)}, got {return_mode!r}")
    if quantiles is not None and not all(0 <= quantile <= 1 for quantile in quantiles):
        raise ValueError(f"quantiles must be in [0, 1], got {list(quantiles)}")


def summary(times: Sequence[float], quantiles: Sequence[float] | None, return_mode: str):
    """Returns the result of `do_bench` for the measured times."""
    if quantiles is not None:
        values = [float(value) for value in np.quantile(times, quantiles)]
        return values[0] if len(values) == 1 else values
    value = _MODES[return_mode](times)
    return value if return_mode == "all" else float(value)


def assert_close(x, y, atol: float | None = None, rtol: float | None = None, err_msg: str = ""):
    """Raises an AssertionError unless `|x - y| <= atol + rtol * |y|` everywhere.

    Args:
        x, y: arrays of NumPy, PyTorch or CuPy on any device, or numbers. NaN counts as equal to
            NaN, and an infinity as equal to an infinity of the same sign.
        atol, rtol: the tolerances; 1e-2 and 0 by default. A tolerance may be a function: it is then
            called with the number of elements of the larger array.
        err_msg: a text that is added to the error's text.
    """
    x, y = _as_numpy(x), _as_numpy(y)
    size = max(x.size, y.size)
    atol = 1e-2 if atol is None else atol(size) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(size) if callable(rtol) else rtol
    if not atol and not rtol:
        np.testing.assert_array_equal(x, y, err_msg)
        return
    np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)


def _as_numpy(x) -> np.ndarray:
    """Returns the values as an array of NumPy: booleans and integers unchanged, others as
    float64."""
    if hasattr(x, "detach"):  # PyTorch; NumPy can't read its bfloat16
        x = x.detach().cpu()
        x = (x.double() if x.is_floating_point() else x).numpy()
    elif hasattr(x, "get"):  # CuPy
        x = x.get()
    x = np.asarray(x)
    return x if x.dtype.kind in "biu" else x.astype(np.float64)


@dataclass
class Benchmark:
    """The description of a plot with one line for each of `line_vals`, over `x_vals`.

    Attributes:
        x_names: the names of the function's parameters that vary along the x axis.
        x_vals: the values along the x axis. If a value is a tuple or a list, it has one element for
            each of `x_names`. Otherwise all of these parameters get the same value.
        line_arg: the name of the parameter whose value is different for each line.
        line_vals, line_names: the values of this parameter, and the names of the lines.
        plot_name: the plot's title. The files are named after it, with `.png` and `.csv` added.
        args: the other arguments of the function, by name.
        xlabel, ylabel: the labels of the axes. By default the x axis has the first of `x_names`.
        x_log, y_log: whether the axis is logarithmic.
        styles: for each line a pair of a colour and a line style, as Matplotlib names them.
    """

    x_names: Sequence[str]
    x_vals: Sequence
    line_arg: str
    line_vals: Sequence
    line_names: Sequence[str]
    plot_name: str
    args: dict
    xlabel: str = ""
    ylabel: str = ""
    x_log: bool = False
    y_log: bool = False
    color: object = None  # without effect; here because Triton has it
    styles: Sequence[tuple[str, str]] | None = None


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]):
    """Returns a decorator for a function that measures one point of a plot. The decorator returns a
    `Mark`, whose method `run` measures all points, and shows and saves the plots.

    The function is called with the arguments that the `Benchmark` describes. It returns a number to
    draw, or three numbers: the number to draw, and the lower and the upper end of a band around it.
    """
    return lambda fn: Mark(fn, benchmarks)


@dataclass
class Series:
    """The numbers of one plot.

    Attributes:
        bench: the description of the plot.
        x: for each row the values of `bench.x_names`.
        lines: for each row a list with one element for each line: a tuple of the value and the two
            ends of its band, which are None if there is no band.
    """

    bench: Benchmark
    x: list[tuple] = field(default_factory=list)
    lines: list[list[tuple]] = field(default_factory=list)

    def header(self) -> list[str]:
        return [*self.bench.x_names, *self.bench.line_names]

    def rows(self) -> list[list]:
        return [[*x, *(y[0] for y in ys)] for x, ys in zip(self.x, self.lines, strict=True)]


class Mark:
    """A function under `perf_report`, with the descriptions of its plots."""

    def __init__(self, fn, benchmarks: Benchmark | Sequence[Benchmark]):
        self.fn = fn
        self.benchmarks = benchmarks

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str = "",
        return_df: bool = False,
        **kwargs,
    ):
        """Measures all points of the plots, and shows and saves the results.

        Args:
            show_plots: whether to open a window with each plot; needs Matplotlib.
            print_data: whether to print the numbers of each plot as a table.
            save_path: a folder, which is created if necessary. For each plot, a CSV file with its
                numbers is written there, and a PNG file if Matplotlib is installed. "" writes none.
            return_df: whether to return the numbers as a pandas DataFrame, or as a list of
                DataFrames if `benchmarks` is a list; needs pandas.
            kwargs: further arguments of the function.
        """
        single = isinstance(self.benchmarks, Benchmark)
        results = []
        for bench in [self.benchmarks] if single else self.benchmarks:
            if print_data and sys.stdout.isatty():
                print(f"{bench.plot_name}: measuring {len(bench.x_vals)} rows ...", flush=True)
            series = self._measure(bench, kwargs)
            if print_data:
                print(f"{bench.plot_name}:\n{_text_table(series)}")
            if save_path:
                os.makedirs(save_path, exist_ok=True)
                _save_csv(series, os.path.join(save_path, f"{bench.plot_name}.csv"))
            if show_plots or save_path:
                _plot(series, save_path, show_plots)
            results.append(series)
        if not return_df:
            return None
        import pandas

        frames = [pandas.DataFrame(series.rows(), columns=series.header()) for series in results]
        return frames[0] if single else frames

    def _measure(self, bench: Benchmark, kwargs: dict) -> Series:
        series = Series(bench)
        for x in bench.x_vals:
            values = tuple(x) if isinstance(x, list | tuple) else (x,) * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"expected {len(bench.x_names)} x values, got {len(values)}")
            named = dict(zip(bench.x_names, values, strict=True))
            series.x.append(values)
            series.lines.append(
                [
                    _with_band(self.fn(**named, **{bench.line_arg: line}, **bench.args, **kwargs))
                    for line in bench.line_vals
                ]
            )
        return series


def _with_band(y) -> tuple:
    return (*y, None, None)[:3] if isinstance(y, list | tuple) else (y, None, None)


def _text_table(series: Series) -> str:
    cells = [series.header()]
    cells += [[f"{value:.6g}" for value in row] for row in series.rows()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    )


def _save_csv(series: Series, path: str) -> None:
    import csv

    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(series.header())
        writer.writerows(series.rows())


def _plot(series: Series, save_path: str, show: bool) -> None:
    try:
        import matplotlib
    except ModuleNotFoundError:
        if show:
            raise
        print("Matplotlib is not installed: no plot was saved", file=sys.stderr)
        return
    if not show:
        matplotlib.use("agg")
    from matplotlib import pyplot

    bench = series.bench
    figure, axes = pyplot.subplots(layout="constrained")
    x = [values[0] for values in series.x]
    for number, name in enumerate(bench.line_names):
        y, low, high = zip(*(lines[number] for lines in series.lines), strict=True)
        color, style = bench.styles[number] if bench.styles else (None, None)
        (line,) = axes.plot(x, y, label=name, color=color, linestyle=style)
        if None not in low and None not in high:
            axes.fill_between(x, low, high, alpha=0.15, color=line.get_color())
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))  # beside the lines
    axes.set_xlabel(bench.xlabel or bench.x_names[0])
    axes.set_ylabel(bench.ylabel)
    axes.set_xscale("log" if bench.x_log else "linear")
    axes.set_yscale("log" if bench.y_log else "linear")
    axes.set_title(bench.plot_name)
    if save_path:
        figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
    if show:
        pyplot.show()
    pyplot.close(figure)


def __getattr__(name: str):
    if name in _FOR_GPUS:
        from eft import gpu_testing  # few programs need it

        return getattr(gpu_testing, name)
    from eft.triton import missing  # only a script that is written for Triton needs it

    return missing.attribute("triton.testing", name)
