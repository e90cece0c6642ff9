# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The disk cache as seen from Python. Tests in C++ cover damaged files and failed writes."""

from runtime_kernels import run_child

PRELUDE = "import warnings; warnings.simplefilter('always'); import eft._runtime as r\n"


def run(code, **environment):
    child = run_child(PRELUDE + code, **environment)
    assert child.returncode == 0, child.stderr
    return child


def test_bytes_pass_from_process_to_process(tmp_path):
    folder = str(tmp_path / "cache")
    run("r.cache_put('key', bytes(range(256)))", EFT_CACHE_DIR=folder)
    child = run("print(r.cache_get('key') == bytes(range(256)))", EFT_CACHE_DIR=folder)
    assert (child.stdout, child.stderr) == ("True\n", "")
    child = run("print(r.cache_get('other'))", EFT_CACHE_DIR=folder)
    assert child.stdout == "None\n"


def test_a_folder_that_can_not_be_used_is_one_warning(tmp_path):
    (tmp_path / "cache").write_text("in the way")
    code = "for _ in range(3): r.cache_put('k', b'v'); assert r.cache_get('k') is None\n"
    child = run(code, EFT_CACHE_DIR=str(tmp_path / "cache"))
    assert child.stderr.count("RuntimeWarning: the compile cache can't be written: '") == 1
    assert "Not a directory; kernels will be compiled again in the next process" in child.stderr


def test_a_warning_may_be_an_error(tmp_path):
    (tmp_path / "cache").write_text("in the way")
    child = run(
        "warnings.simplefilter('error')\n"
        "try: r.cache_put('k', b'v')\n"
        "except RuntimeWarning: print('raised')",
        EFT_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert child.stdout == "raised\n"


def test_a_tilde_is_the_home_folder(tmp_path):
    code = "print(r.cache_folder())"
    for given, meant in (("~", ""), ("~/x/y", "/x/y"), ("./~", None), ("~other/x", None)):
        child = run(code, EFT_CACHE_DIR=given, HOME=str(tmp_path))
        folder = child.stdout.strip()
        assert folder == f"{tmp_path}{meant}" if meant is not None else folder.endswith(given[-1])
        assert folder.startswith("/")


def test_a_smaller_bound_holds_at_once(tmp_path):
    folder = tmp_path / "cache"
    settings = {"EFT_CACHE_DIR": str(folder)}
    run("for i in range(20): r.cache_put(f'k{i}', bytes(10000))", **settings)
    run("r.cache_get('k0')", **settings)
    assert len(list(folder.glob("*.eft"))) == 20
    run("r.cache_get('none')", **settings, EFT_CACHE_SIZE="100K")
    assert 0 < len(list(folder.glob("*.eft"))) < 10
