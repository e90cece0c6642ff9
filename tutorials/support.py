# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of the tutorials: arrays on the device, tables, plots, and random numbers in NumPy."""

from __future__ import annotations

import os
import platform
from types import FunctionType

import eft
import eft.language
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

try:
    import torch
except ModuleNotFoundError:
    torch = None

console = Console(width=None if os.isatty(1) else 160, highlight=False)


class Arrays:
    """Makes arrays on the device on which the kernels run.

    The arrays are PyTorch's, on a GPU if there is one. Without PyTorch they are NumPy's,
    on the CPU.

    Attributes:
        device: "cuda" or "cpu".
        library: "PyTorch" or "NumPy".
        description: the device's name, and the library with its version.
    """

    def __init__(self):
        self.device = "cuda" if torch and torch.cuda.is_available() else "cpu"
        self.library = "PyTorch" if torch else "NumPy"
        version = torch.__version__ if torch else np.__version__
        name = torch.cuda.get_device_name() if self.device == "cuda" else cpu_name()
        self.description = f"{name}, arrays of {self.library} {version}"

    def put(self, values: np.ndarray):
        """Returns a copy of a NumPy array, on the device."""
        return torch.from_numpy(values.copy()).to(self.device) if torch else values.copy()

    def like(self, array):
        """Returns an array with the shape and type of another array, without initial values."""
        return torch.empty_like(array) if torch else np.empty_like(array)

    def zeros(self, *shape: int):
        """Returns an array of float32 zeros, on the device."""
        return torch.zeros(shape, device=self.device) if torch else np.zeros(shape, np.float32)

    def numpy(self, array) -> np.ndarray:
        """Returns an array of the device as a NumPy array."""
        return array.cpu().numpy() if torch else array


def strides(array) -> tuple[int, ...]:
    """Returns the stride of each axis of an array of NumPy or PyTorch, in elements."""
    if isinstance(array, np.ndarray):
        return tuple(step // array.itemsize for step in array.strides)
    return array.stride()


def in_triton(kernel):
    """Makes a kernel of Triton from the function of one of Eft's kernels, to compare their speed.

    Args:
        kernel: a kernel of Eft, or the result of `eft.autotune`. In the second case Triton tunes
            its kernel over the same configurations.

    Returns:
        A kernel of Triton with the same parameters. None if Triton is not installed, or if the
        module `triton` is only another name for Eft.
    """
    try:
        import triton
        import triton.language
    except ModuleNotFoundError:
        return None
    if triton.jit is eft.jit:
        return None
    if not isinstance(kernel, eft.JITFunction):
        configs = [
            triton.Config(each.kwargs, num_warps=each.num_warps, num_stages=each.num_stages)
            for each in kernel.configs
        ]
        return triton.autotune(configs=configs, key=list(kernel.keys))(in_triton(kernel.fn))

    def translated(value):
        if value is eft.language:
            return triton.language
        if isinstance(value, eft.language.constexpr):
            return triton.language.constexpr(value.value)
        return in_triton(value) if isinstance(value, eft.JITFunction) else value

    function = kernel.fn
    names = {"__name__", *function.__code__.co_names} & function.__globals__.keys()
    meanings = {name: translated(function.__globals__[name]) for name in names}
    twin = FunctionType(function.__code__, meanings)
    twin.__annotations__ = dict.fromkeys(function.__annotations__, triton.language.constexpr)
    return triton.jit(twin)


def cpu_name() -> str:
    """Returns the processor's name and the number of threads that this process may use."""
    name = platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        name = names[0] if names else name
    except OSError:
        pass
    return f"{name}, {len(os.sched_getaffinity(0))} threads"


def show_table(title: str, header: list[str], rows: list[list]) -> None:
    """Prints a table.

    The first column is aligned to the left, the others to the right. Numbers are shown with three
    digits.
    """
    table = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False
    )
    table.add_column(header[0], no_wrap=True)
    for name in header[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, str) else f"{cell:.3g}" for cell in row))
    console.print(table)
    console.print()


def announce(rows: int) -> None:
    """Prints how many rows the next table has, if the output is a terminal.

    The table takes a while to measure, and is printed only when it is complete.
    """
    if console.is_terminal:
        console.print(f"Measuring {rows} rows …\n", style="dim")


def show_vectors(title: str, **vectors: np.ndarray) -> None:
    """Prints short vectors as the rows of a table."""
    size = max(len(vector) for vector in vectors.values())
    rows = [
        [name.replace("_", " "), *(f"{value:.3g}" for value in vector)]
        for name, vector in vectors.items()
    ]
    show_table(title, ["", *(f"[{index}]" for index in range(size))], rows)


def words_of(count: float, unit: str = "B") -> str:
    """Returns a count with a binary prefix and the unit: "64 MiB" for 67108864."""
    for prefix in ("", "Ki", "Mi"):
        if count < 1024:
            return f"{count:.4g} {prefix}{unit}"
        count /= 1024
    return f"{count:.4g} Gi{unit}"


def reference_words(seed: int, offsets: np.ndarray) -> list[np.ndarray]:
    """Computes `tl.randint4x(seed, offsets)` in NumPy: the four words of Philox4x32-10.

    Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """
    low32 = np.uint64(0xFFFFFFFF)
    wide = offsets.astype(np.uint64)
    counter = [wide & low32, wide >> np.uint64(32), np.zeros_like(wide), np.zeros_like(wide)]
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        product0 = np.uint64(0xD2511F53) * counter[0]
        product1 = np.uint64(0xCD9E8D57) * counter[2]
        counter = [
            (product1 >> np.uint64(32)) ^ counter[1] ^ np.uint64(key[0]),
            product1 & low32,
            (product0 >> np.uint64(32)) ^ counter[3] ^ np.uint64(key[1]),
            product0 & low32,
        ]
        key = [key[0] + 0x9E3779B9 & 0xFFFFFFFF, key[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return [word.astype(np.uint32) for word in counter]


def reference_rand(seed: int, offsets: np.ndarray) -> np.ndarray:
    """Computes `tl.rand(seed, offsets)` in NumPy: the first word as a float32 in [0, 1)."""
    word = reference_words(seed, offsets)[0].view(np.int32)
    folded = np.where(word < 0, -word - 1, word)
    return folded.astype(np.float32) * np.float32(4.6566127342e-10)


def save_plot(
    path: str,
    title: str,
    sizes: list[int],
    rates: dict[str, list[float]],
    axes: tuple[str, str],
    unit: float = 1e9,
) -> bool:
    """Saves a plot of rates over sizes.

    Args:
        path: the file for the plot.
        title: the title of the plot.
        sizes: the values of the x axis, powers of two.
        rates: for each line, by name, a rate for each size, such as bytes or operations per second.
        axes: the label of the x axis, and that of the y axis, which names the unit of the rates.
        unit: the rate that is drawn as 1 on the y axis.

    Returns:
        Whether the plot was saved. False if Matplotlib is not installed.
    """
    pyplot = import_pyplot()
    if pyplot is None:
        return False
    figure, plot = pyplot.subplots(figsize=(9, 4.2), layout="constrained")
    for (name, values), marker in zip(rates.items(), "os^vDX", strict=False):
        plot.plot(sizes, [value / unit for value in values], marker=marker, label=name)
    plot.set_xscale("log", base=2)
    plot.set_ylim(bottom=0)
    finish_plot(figure, plot, path, title, axes)
    return True


def save_spread(
    path: str, title: str, sizes: list[int], samples: dict[str, list], axes: tuple[str, str]
) -> bool:
    """Saves a plot of the distribution of samples over sizes.

    For each size the plot shows the median of the samples, and a band from their 1st to their 99th
    percentile.

    Args:
        path: the file for the plot.
        title: the title of the plot.
        sizes: the values of the x axis, powers of two.
        samples: maps the name of each line to its samples: one array for each size.
        axes: the labels of the x axis and of the y axis.

    Returns:
        Whether the plot was saved. False if Matplotlib is not installed.
    """
    pyplot = import_pyplot()
    if pyplot is None:
        return False
    figure, plot = pyplot.subplots(figsize=(9, 4.2), layout="constrained")
    for (name, arrays), marker in zip(samples.items(), "os^vDX", strict=False):
        low, median, high = np.array([np.quantile(each, (0.01, 0.5, 0.99)) for each in arrays]).T
        (line,) = plot.plot(sizes, median, marker=marker, label=name)
        plot.fill_between(sizes, low, high, color=line.get_color(), alpha=0.2)
    plot.set_xscale("log", base=2)
    finish_plot(figure, plot, path, title, axes)
    return True


def import_pyplot():
    """Returns Matplotlib's `pyplot`, set up to draw into files; None if it is not installed."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        return None
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot


def finish_plot(figure, plot, path: str, title: str, axes: tuple[str, str]) -> None:
    """Adds the labels, the legend and the title to a plot, saves it and closes it."""
    plot.set_xlabel(axes[0])
    plot.set_ylabel(axes[1])
    plot.grid(alpha=0.3)
    plot.legend(loc="upper left", bbox_to_anchor=(1, 1))  # to the right of the plot
    plot.set_title(title, fontsize=10)
    figure.savefig(path, dpi=150)
    import_pyplot().close(figure)
