# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.knobs`, and Triton's environment variables."""

from __future__ import annotations

import os
import warnings

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import hooks
from eft.triton import environment, knobs


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """After each test, restores the knobs, their variables and the record of warnings."""
    monkeypatch.setattr(knobs, "_told", set())
    groups = [value for value in vars(knobs).values() if isinstance(value, knobs.base_knobs)]
    settings = [dict(vars(group)) for group in groups]
    variables = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(variables)
    for group, setting in zip(groups, settings, strict=True):
        vars(group).clear()
        vars(group).update(setting)
    knobs.runtime._restored()


@eft.jit
def kernel(x_ptr, VALUE: tl.constexpr):
    tl.store(x_ptr, VALUE)


def launch(value: float = 1):
    x = np.zeros(1, np.float32)
    again = eft.jit(kernel)
    return again[(1,)](x, VALUE=value)


def test_a_knob_follows_its_variable_until_it_is_set(monkeypatch):
    assert knobs.redis.port == 6379 and knobs.redis.host == "localhost"
    monkeypatch.setenv("TRITON_REDIS_PORT", "17")
    assert knobs.redis.port == 17
    knobs.redis.port = 18
    assert (knobs.redis.port, os.environ["TRITON_REDIS_PORT"]) == (18, "18")
    knobs.redis.port = knobs.env
    assert knobs.redis.port == 18
    del knobs.redis.port
    monkeypatch.setenv("TRITON_REDIS_PORT", "many")
    with pytest.raises(RuntimeError, match="^TRITON_REDIS_PORT must be an int, got 'many'$"):
        _ = knobs.redis.port


def test_copies_and_resets():
    knobs.redis.host = "there"
    other = knobs.redis.copy()
    other.host = "elsewhere"
    assert (knobs.redis.host, other.host) == ("there", "elsewhere")
    del os.environ["TRITON_REDIS_HOST"]
    assert knobs.redis.reset().host == "localhost"
    assert set(knobs.redis.knobs) == {"host", "port", "key_format"}


def test_a_scope_brings_back_what_was_before(monkeypatch):
    monkeypatch.setenv("EFT_DEBUG", "0")
    knobs.runtime.debug = False
    with knobs.runtime.scope():
        knobs.runtime.debug = True
        knobs.runtime.jit_cache_hook = print
        assert os.environ["TRITON_DEBUG"] == os.environ["EFT_DEBUG"] == "1"
        assert hooks.before_compile is print
    assert knobs.runtime.debug is False and os.environ["EFT_DEBUG"] == "0"
    assert hooks.before_compile is None


def test_a_knob_without_effect_says_so_once():
    with pytest.warns(UserWarning) as warned:
        knobs.nvidia.disable_ptxas_opt = True
        knobs.nvidia.disable_ptxas_opt = True
        knobs.amd.use_buffer_ops = True  # no warning: this is the value that it has
    (warning,) = warned
    assert str(warning.message) == "triton.knobs.nvidia.disable_ptxas_opt has no effect in Eft"
    assert warning.filename == __file__
    assert knobs.nvidia.disable_ptxas_opt is True and os.environ["DISABLE_PTXAS_OPT"] == "1"


def test_processes_that_are_started_need_not_follow(monkeypatch):
    monkeypatch.setattr(knobs, "propagate_env", False)
    knobs.redis.host = "there"
    assert "TRITON_REDIS_HOST" not in os.environ


def test_assertions_are_checked_where_the_knob_says_so():
    @eft.jit
    def fails(x_ptr, n):
        tl.device_assert(n < 0, "positive")

    x = np.zeros(1, np.float32)
    knobs.runtime.debug = False
    fails[(1,)](x, 1)
    knobs.runtime.debug = True
    with pytest.raises(eft.DeviceAssertionError):
        eft.jit(fails)[(1,)](x, 1)


def test_every_stage_is_written(tmp_path):
    knobs.cache.dump_dir = str(tmp_path)
    knobs.compilation.dump_ir = True
    made = launch(3)
    (folder,) = tmp_path.iterdir()
    assert {each.name for each in folder.iterdir()} == {f"kernel.{name}" for name in made.asm}
    assert (folder / "kernel.ir").read_text() == made.asm["ir"]
    knobs.compilation.dump_ir = False
    launch(4)
    assert len(list(tmp_path.iterdir())) == 1


def test_what_the_disk_has_is_compiled_again(caplog):
    caplog.set_level("INFO", "eft")
    launch(5)
    caplog.clear()
    launch(5)
    assert not caplog.records
    knobs.compilation.always_compile = True
    launch(5)
    assert [record.message for record in caplog.records] == ["compiling kernel for cpu: first use"]


def test_hooks_of_launches_are_chained():
    seen = []
    first, second = (lambda data, n=n: seen.append((n, data.get()["name"])) for n in (1, 2))
    knobs.runtime.launch_enter_hook.add(first)
    knobs.runtime.launch_enter_hook.add(second)
    knobs.runtime.launch_enter_hook.add(second)
    knobs.runtime.launch_exit_hook.add(first)
    knobs.runtime.launch_exit_hook.add(second)
    try:
        launch()
        assert seen == [(1, "kernel"), (2, "kernel"), (2, "kernel"), (1, "kernel")]
        knobs.runtime.launch_enter_hook = None
        launch()
        assert len(seen) == 6
    finally:
        del knobs.runtime.launch_enter_hook
        for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
            for hook in (first, second):
                chain.remove(hook)
    assert hooks.launch_enter is hooks.launch_exit is None
    launch()
    assert len(seen) == 6


def test_hooks_of_compiles():
    seen = []
    knobs.runtime.jit_post_compile_hook = lambda **kwargs: seen.append(kwargs["fn"].name)
    launch(7)
    assert seen == [f"{__name__}.kernel"]
    knobs.runtime.jit_post_compile_hook = None
    launch(8)
    assert len(seen) == 1


def test_classes_by_their_names(monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "eft.triton.runtime.cache:FileCacheManager")
    assert knobs.cache.manager_class.__name__ == "FileCacheManager"
    for value, message in (
        ("FileCacheManager", "must be MODULE:CLASS, got 'FileCacheManager'"),
        ("builtins:int", "must name a CacheManager, got 'builtins:int'"),
    ):
        monkeypatch.setenv("TRITON_CACHE_MANAGER", value)
        with pytest.raises(RuntimeError, match=f"^TRITON_CACHE_MANAGER {message}$"):
            _ = knobs.cache.manager_class


def test_programs_of_the_toolkit(tmp_path):
    tool = tmp_path / "cuobjdump"
    tool.write_text("#!/bin/sh\necho Cuda tools, release 12.8, V12.8.1\n")
    tool.chmod(0o755)
    knobs.nvidia.cuobjdump = str(tool)
    found = knobs.nvidia.cuobjdump
    assert (found.path, found.version) == (str(tool), "12.8")
    assert knobs.NvidiaTool.from_path(str(tmp_path / "none")) is None


def test_a_program_of_the_toolkit_that_is_not_there(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError) as raised:
        _ = knobs.nvidia.ptxas
    assert str(raised.value) == "ptxas is not found: TRITON_PTXAS_PATH names one"


def test_variables_are_adopted_under_eft_s_names(monkeypatch):
    for own in environment.OWN_NAMES.values():
        monkeypatch.delenv(own, raising=False)
    monkeypatch.setenv("TRITON_CACHE_DIR", "/there")
    monkeypatch.setenv("TRITON_DEBUG", "on")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        environment.adopt()
    names = ("EFT_CACHE_DIR", "EFT_DEBUG", "EFT_ALWAYS_COMPILE")
    assert [os.environ[name] for name in names] == ["/there", "1", "0"]
    monkeypatch.setenv("TRITON_DEBUG", "0")
    environment.adopt()
    assert os.environ["EFT_DEBUG"] == "1"
    knobs.refresh_knobs()
    assert os.environ["EFT_DEBUG"] == "0"


def test_a_variable_has_every_stage_written(monkeypatch, tmp_path):
    monkeypatch.setenv("EFT_DUMP_DIR", "")
    monkeypatch.delenv("EFT_DUMP_DIR")  # monkeypatch deletes the variable afterwards
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
    for word, folder in (("0", None), ("1", str(tmp_path))):
        monkeypatch.setenv("TRITON_KERNEL_DUMP", word)
        environment.adopt()
        assert os.environ.get("EFT_DUMP_DIR") == folder


def test_variables_without_effect_are_named(monkeypatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    with pytest.warns(UserWarning) as warned:
        environment.adopt()
    assert [str(each.message) for each in warned] == [
        "no effect in Eft: TRITON_F32_DEFAULT, TRITON_STORE_BINARY_ONLY"
    ]


@pytest.mark.parametrize("name", ["build", "language", "nvidia", "proton", "compilation"])
def test_every_knob_can_be_read_and_set(name):
    group = getattr(knobs, name)
    for knob, each in group.knob_descriptors.items():
        if isinstance(each, knobs.env_nvidia_tool):
            continue
        value = getattr(group, knob)
        setattr(group, knob, value)
        assert getattr(group, knob) == value
