# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`eft.testing`: timing, comparing, reports."""

from __future__ import annotations

import builtins
import time
from types import SimpleNamespace

import numpy as np
import pytest
import pytorch
from eft.testing import Benchmark, assert_close, do_bench, perf_report
from eft.timing import make_timer


def sleep():
    time.sleep(2e-3)


@pytest.mark.parametrize("mode", ["mean", "median", "min", "max"])
def test_time_is_in_milliseconds(mode):
    # On a busy machine the time may be longer, but it is neither seconds nor microseconds.
    assert 2 <= do_bench(sleep, warmup=1, rep=10, return_mode=mode, device="cpu") < 500


def test_all_times():
    times = do_bench(sleep, warmup=1, rep=100, return_mode="all", device="cpu")
    assert times
    assert all(isinstance(value, float) and value >= 2 for value in times)


def test_a_cpu_gives_ten_samples_and_more():
    assert len(do_bench(sleep, warmup=0, rep=0, return_mode="all", device="cpu")) == 10
    times = do_bench(lambda: None, warmup=1, rep=100, return_mode="all", device="cpu")
    low, high = np.quantile(times, [0.2, 0.8])
    assert len(times) >= 10
    assert low < high


def test_to_flush_the_cache_takes_no_samples_away(monkeypatch):
    timer = make_timer("cpu")
    monkeypatch.setattr(timer, "_flush", lambda: time.sleep(20e-3))
    times = timer.measure(sleep, 0, 30, lambda: None)
    assert len(times) == 10
    assert min(times) < 20


def test_the_buffer_of_the_flush_is_bounded(monkeypatch):
    sizes = []
    zeros = np.zeros
    monkeypatch.setattr("eft.timing._last_cache_bytes", lambda: 1 << 40)
    monkeypatch.setattr(np, "zeros", lambda size, dtype: sizes.append(size) or zeros(1, dtype))
    make_timer("cpu")
    assert sizes == [64 << 20]


def test_quantiles():
    low, high = do_bench(sleep, warmup=1, rep=50, quantiles=[0.0, 1.0], device="cpu")
    assert 2 <= low <= high
    assert isinstance(do_bench(sleep, warmup=1, rep=1, quantiles=[0.5], device="cpu"), float)


def test_gradients_are_cleared_before_every_call():
    tensor = SimpleNamespace(grad=None)
    found = []

    def call():
        found.append(tensor.grad)
        tensor.grad = 1

    do_bench(call, warmup=1, rep=1, grad_to_none=[tensor], device="cpu")
    assert found[-1] is None


def test_unknown_mode():
    with pytest.raises(ValueError) as raised:
        do_bench(sleep, return_mode="fastest")
    assert str(raised.value) == (
        "return_mode must be one of min, max, mean, median, all, got 'fastest'"
    )


def test_quantile_out_of_range():
    with pytest.raises(ValueError) as raised:
        do_bench(sleep, quantiles=[0.5, 50])
    assert str(raised.value) == "quantiles must be in [0, 1], got [0.5, 50]"


def test_unknown_device():
    for option, value in (("warmup", float("nan")), ("rep", float("inf"))):
        with pytest.raises(ValueError) as raised:
            do_bench(sleep, **{option: value})
        assert str(raised.value) == f"{option} must be a number of milliseconds, got {value}"
    with pytest.raises(ValueError) as raised:
        do_bench(sleep, device="tpu")
    assert str(raised.value) == "device must be 'cuda' or 'cpu', got 'tpu'"


def test_no_gpu_where_one_is_asked_for(monkeypatch):
    monkeypatch.setattr("eft._runtime.device_count", lambda: 0)
    with pytest.raises(RuntimeError) as raised:
        do_bench(sleep, device="cuda")
    assert str(raised.value) == "there is no GPU to time on"


def test_time_on_the_gpu():
    from eft import _runtime

    if _runtime.device_count() == 0:
        pytest.skip("there is no GPU")
    torch = pytest.importorskip("torch", reason=pytorch.REASON)
    x = torch.zeros(1 << 26, device="cuda")
    assert 0.05 < do_bench(lambda: x.add_(1), warmup=5, rep=20) < 50


def test_equal_arrays_are_close():
    x = np.array([1.0, np.nan, np.inf], np.float32)
    assert_close(x, x.copy())
    assert_close(1.005, 1.0)
    assert_close(np.int64(2**53 + 1), np.int64(2**53 + 1), atol=0)


def test_distant_arrays_are_not():
    with pytest.raises(AssertionError, match="by much"):
        assert_close(np.zeros(3), np.full(3, 0.02), err_msg="by much")
    with pytest.raises(AssertionError):
        assert_close(np.int64(2**53 + 1), np.int64(2**53), atol=0)


def test_tolerances_may_depend_on_the_size():
    assert_close(np.zeros(100), np.full(100, 0.5), atol=lambda size: size / 100)
    with pytest.raises(AssertionError):
        assert_close(np.zeros(10), np.full(10, 0.5), atol=lambda size: size / 100)


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch", reason=pytorch.REASON)
    x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    assert_close(x, np.ones(3))
    with pytest.raises(AssertionError):
        assert_close(x, torch.zeros(3))


def squares(**changes) -> Benchmark:
    settings = {
        "x_names": ["n"],
        "x_vals": [1, 2, 4],
        "line_arg": "power",
        "line_vals": [1, 2],
        "line_names": ["n", "n squared"],
        "plot_name": "squares",
        "args": {"factor": 10},
    }
    return Benchmark(**{**settings, **changes})


def product(n, power, factor):
    return factor * n**power, factor * n**power - 1, factor * n**power + 1


def test_report_prints_a_table(capsys):
    perf_report(squares())(product).run(print_data=True)
    assert capsys.readouterr().out == (
        "squares:\nn   n  n squared\n1  10         10\n2  20         40\n4  40        160\n"
    )


def test_report_says_on_a_terminal_that_it_measures(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    perf_report(squares())(product).run(print_data=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["squares: measuring 3 rows ...", "squares:"]


def test_the_legend_stands_beside_the_lines(monkeypatch):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    from matplotlib import pyplot

    figures = []
    monkeypatch.setattr(pyplot, "close", figures.append)
    monkeypatch.setattr(pyplot, "show", lambda: None)
    perf_report(squares())(product).run(show_plots=True)
    (figure,) = figures
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1


def test_report_saves_numbers_and_a_plot(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    report = perf_report([squares(styles=[("red", "-"), ("blue", "--")], x_log=True)])(product)
    report.run(save_path=str(tmp_path / "new"))
    assert (tmp_path / "new" / "squares.csv").read_text().split() == [
        "n,n,n", "squared", "1,10,10", "2,20,40", "4,40,160",
    ]  # fmt: skip
    assert (tmp_path / "new" / "squares.png").read_bytes().startswith(b"\x89PNG")


def test_report_without_matplotlib_saves_the_numbers(tmp_path, monkeypatch, capsys):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    perf_report(squares())(product).run(save_path=str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["squares.csv"]
    assert capsys.readouterr().err == "Matplotlib is not installed: no plot was saved\n"


def test_several_names_along_the_x_axis():
    calls = []
    bench = squares(x_names=["n", "m"], x_vals=[3, (4, 5)], line_vals=[1], line_names=["n"])
    perf_report(bench)(lambda **named: calls.append(named) or 0).run()
    assert calls == [
        {"n": 3, "m": 3, "power": 1, "factor": 10},
        {"n": 4, "m": 5, "power": 1, "factor": 10},
    ]


def test_x_values_that_don_t_fit_their_names():
    with pytest.raises(ValueError) as raised:
        perf_report(squares(x_vals=[(1, 2)]))(product).run()
    assert str(raised.value) == "expected 1 x values, got 2"


def test_report_as_a_data_frame():
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = perf_report(squares())(product).run(return_df=True)
    assert list(frame["n squared"]) == [10, 40, 160]
