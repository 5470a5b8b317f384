"""Texts of compiled modules: of real ones, and of small files of C strings."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.mined import ORIGIN
from whyraise.lookup.explain import explain
from whyraise.mine.message_template import Placeholder
from whyraise.mine.mine import mine, write
from whyraise.mine.native import is_native, is_prose, site_of_module, template_of
from whyraise.mine.targets import SourceFile, source_files
from whyraise.quality.lint import check


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("the requested array has an inhomogeneous shape", True),
        ("mat1 and mat2 shapes cannot be multiplied (", True),
        ("DDP expects same model across all ranks, but Rank ", True),
        ("Could not do it: index %d is out of range for size %zd.", True),
        ("_foreach_add.out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()", False),
        ("std::vector<int, std::allocator<int> > of the caller", False),
        ("%sprimitive,create%s,shuffle,%s,data type of it,%s:%d", False),
        ("DSYEVD(%c,%c,%lli,%p,%lli,%p,%p,%lli,%p,%lli,%lli)", False),
        ("torch.distributed.reducer read_write", False),
    ],
)
def test_sentences_and_their_parts_are_distinguished_from_declarations_and_tables(text: str, prose: bool) -> None:
    assert is_prose(text) is prose


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("no such thing", ("no such thing",)),
        ("got %.200s, not %zd", ("got ", Placeholder("%.200s"), ", not ", Placeholder("%zd"))),
        ("100%% of %R", ("100", "%", " of ", Placeholder("%R"))),
        ("worker (pid {}) got {:d}.", ("worker (pid ", Placeholder("{}"), ") got ", Placeholder("{:d}"), ".")),
        ("a set like {1, 2} is none", ("a set like {1, 2} is none",)),
        ("50% of {name}", ("50% of ", Placeholder("{name}"))),
    ],
)
def test_placeholders_of_format_strings_are_read(text: str, template: tuple[str | Placeholder, ...]) -> None:
    assert template_of(text) == template


@pytest.mark.parametrize(
    ("path", "native", "site"),
    [
        ("numpy/_core/_umath.cpython-311-x86_64-linux-gnu.so", True, "numpy/_core/_umath.so"),
        ("torch/lib/libtorch_cpu.so", True, "torch/lib/libtorch_cpu.so"),
        ("pyarrow/libarrow.so.2600", True, "pyarrow/libarrow.so"),
        ("thing/_core.cp311-win_amd64.pyd", True, "thing/_core.pyd"),
        ("thing/core.py", False, ""),
        ("thing/also.something", False, ""),
    ],
)
def test_a_compiled_modules_site_names_no_interpreter(path: str, native: bool, site: str) -> None:
    assert is_native(path) is native
    assert not native or site_of_module(path) == site


def write_module(folder: Path, *texts: str, filler: int = 0) -> SourceFile:
    """Write a file of C strings after so many bytes of filler."""
    path = folder / "core.so"
    path.write_bytes(b"\x7fELF" + b"\x01" * filler + b"\0" + b"".join(text.encode() + b"\0" for text in texts))
    return SourceFile(str(path), "thing/core.so", ORIGIN)


SENTENCE = "Trying to read the box a second time. Keep what was read."
PART, FORMAT = "shapes of both sides cannot be multiplied (", "no room for %d things in the box of %s"


@pytest.mark.parametrize("filler", [0, (8 << 20) - 20, (8 << 20) - 60])
def test_a_text_is_read_once_wherever_it_is_in_the_file(tmp_path: Path, filler: int) -> None:
    envelopes = mine([write_module(tmp_path, PART, FORMAT, PART, filler=filler)])
    assert [envelope["record"]["errorMessage"] for envelope in envelopes] == [
        PART,
        "no room for {%d} things in the box of {%s}",
    ]


def test_format_strings_and_whole_sentences_are_messages_and_other_texts_are_fragments(tmp_path: Path) -> None:
    part, whole, _ = envelopes = list(mine([write_module(tmp_path, PART, FORMAT, SENTENCE)]))
    assert [envelope["site"]["kind"] for envelope in envelopes] == ["fragment", "template", "template"]
    assert whole["record"]["filePath"] == "thing/core.so"
    assert (whole["record"]["errorClass"], whole["record"]["lineNumber"], whole["record"]["sourceCode"]) == (
        None,
        0,
        None,
    )
    out = tmp_path / "mined.jsonl"
    write([part, whole], out)
    assert check([str(out)]).faults == ()


def paste(file: str) -> str:
    return f"""Traceback (most recent call last):
  File "/home/user/train.py", line 3, in <module>
    multiply(a, b)
  File "/home/user/.venv/lib/python3.11/site-packages/{file}", line 9, in multiply
    return core.multiply(a, b)
RuntimeError: {PART}2x3 and 4x5)
"""


def test_a_fragment_is_likely_if_the_traceback_goes_through_its_package(
    tmp_path: Path, make_catalog: MakeCatalog
) -> None:
    catalog = make_catalog(list(mine([write_module(tmp_path, PART)])))
    assert [finding.confidence for finding in explain(paste("thing/linear.py"), catalog).findings] == ["likely"]
    assert [finding.confidence for finding in explain(paste("other/linear.py"), catalog).findings] == ["possible"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_text_in_a_compiled_library_is_read(tmp_path: Path) -> None:
    source = tmp_path / "thing.c"
    source.write_text('#include <stdio.h>\nvoid f(int n) { printf("no room for %d things in the box", n); }\n', "utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "thing.so", source], check=True)
    envelopes = mine(source_files(str(tmp_path), tmp_path))
    assert "no room for {%d} things in the box" in [envelope["record"]["errorMessage"] for envelope in envelopes]


def test_an_installed_compiled_module_is_mined_with_its_package(tmp_path: Path) -> None:
    site = "yaml/_yaml.so"
    files = [file for file in source_files("PyYAML", tmp_path) if is_native(file.site)]
    assert [site_of_module(file.site) for file in files] == [site]
    assert Path(files[0].path).suffix in str(sysconfig.get_config_var("EXT_SUFFIX"))
