"""File paths of tracebacks, normalized."""

import pytest

from whyraise.source_paths import is_in_library, is_installed, same_file, site_of

INSTALLED = "/home/user/.venv/lib/python3.11/site-packages/thing/pool.py"
OWN = "/home/user/project/train.py"


@pytest.mark.parametrize(
    "path",
    [
        "src/lightning/fabric/strategies/ddp.py",
        "/opt/conda/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py",
        "/usr/lib/python3/dist-packages/lightning_fabric/strategies/ddp.py",
        r"C:\Users\me\anaconda3\envs\x\lib\site-packages\lightning_fabric\strategies\ddp.py",
        "/home/me/pytorch-lightning/src/lightning/fabric/strategies/ddp.py",
    ],
)
def test_all_paths_of_one_file_are_normalized_to_the_same_path(path: str) -> None:
    assert site_of(path) == "lightning/fabric/strategies/ddp.py"


@pytest.mark.parametrize(
    ("pasted", "known", "same"),
    [
        ("rich/table.py", "rich/table.py", True),
        ("rich/table.py", "lib/rich/table.py", True),
        ("rich/table.py", "pip/_vendor/rich/table.py", False),
        ("pip/_vendor/rich/table.py", "pip/_vendor/rich/table.py", True),
        ("table.py", "rich/table.py", False),
        ("rich/table.py", "prich/table.py", False),
    ],
)
def test_a_copy_inside_another_package_is_a_different_file(pasted: str, known: str, same: bool) -> None:
    assert (same_file(pasted, known), same_file(known, pasted)) == (same, same)


@pytest.mark.parametrize(
    ("path", "installed"),
    [
        (INSTALLED, True),
        ("/usr/lib/python3.11/json/decoder.py", True),
        (r"C:\Users\me\AppData\Local\Programs\Python\Python311\Lib\json\decoder.py", True),
        (r"D:\env\Lib\site-packages\thing\pool.py", True),
        (r"C:\ProgramData\Anaconda3\lib\json\decoder.py", True),
        ("/usr/lib/pypy3.10/json/decoder.py", True),
        ("/usr/lib64/python3.12/json/decoder.py", True),
        ("/usr/lib/python3.13t/json/decoder.py", True),
        ("/usr/lib/python3/dist-packages/thing/pool.py", True),
        ("/opt/conda/envs/x/lib/python3.11/json/decoder.py", True),
        ("site-packages/thing/pool.py", True),
        (r"C:\Users\me\work\lib\train.py", False),
        ("/home/user/my-site-packages/train.py", False),
        ("<frozen importlib._bootstrap>", True),
        (OWN, False),
        ("/home/user/lib/python/train.py", False),
    ],
)
def test_a_path_shows_whether_a_file_is_installed(path: str, installed: bool) -> None:
    assert is_installed(path) is installed


@pytest.mark.parametrize(
    "path",
    [
        "/usr/lib/python3.11/json/decoder.py",
        "/usr/lib64/python3.12/json/decoder.py",
        "/usr/lib/pypy3.10/json/decoder.py",
        "/usr/lib/python3.13t/json/decoder.py",
        "/opt/conda/envs/x/lib/python3.11/json/decoder.py",
    ],
)
def test_all_paths_of_a_file_of_the_standard_library_are_normalized_to_the_same_path(path: str) -> None:
    assert (site_of(path), is_in_library(path)) == ("json/decoder.py", True)


@pytest.mark.parametrize("path", [OWN, "/home/user/lib/python/train.py", r"C:\Python311\Lib\json\decoder.py", ""])
def test_other_paths_are_not_in_a_library_folder_of_unix(path: str) -> None:
    assert not is_in_library(path)
