"""Mining files and whole packages."""

import json
import os
import re
import traceback
from pathlib import Path

import h11
import pytest

from tests.support.mined import build_catalog, write_lines
from whyraise.cli.main import main
from whyraise.knowledge.build import build
from whyraise.lookup.explain import explain
from whyraise.mine.mine import mine, write
from whyraise.mine.targets import source_files
from whyraise.quality.lint import check

TWO_MESSAGES = "def f(a):\n    raise ValueError('too long' if a else 'too short')"


def test_each_message_of_a_raise_is_a_record_and_any_other_message_of_it_one_more(tmp_path: Path) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing/a.py").write_text(TWO_MESSAGES, "utf-8")
    for name in ("one.jsonl", "two.jsonl", "three.jsonl.zst"):
        assert main(["mine", str(tmp_path), "-o", str(tmp_path / name)]) == 0
    lines = (tmp_path / "one.jsonl").read_bytes().splitlines()
    assert len({json.loads(line)["record"]["id"] for line in lines}) == 3
    assert build([tmp_path / "three.jsonl.zst"], tmp_path / "k.db").records == 3


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing/a.py").write_text(TWO_MESSAGES, "utf-8")
    for name in ("one.jsonl", "two.jsonl"):
        assert main(["mine", str(tmp_path), "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_every_mined_record_of_installed_packages_can_be_searched_for(tmp_path: Path) -> None:
    files = [file for name in ("uvicorn", "httpx", "h11") for file in source_files(name, tmp_path)]
    report = check([write_lines(mine(files), tmp_path / "mined.jsonl")])
    assert report.records > 150
    assert report.faults == ()


def test_what_a_package_really_raises_is_found_by_message_and_site(tmp_path: Path) -> None:
    catalog = build_catalog(mine(source_files("h11", tmp_path)), tmp_path)
    with pytest.raises(h11.LocalProtocolError) as raised:
        h11.Request(method="GET", target="/", headers=[], http_version="1.1")
    text = "".join(traceback.format_exception(raised.value))
    finding = explain(text, catalog).findings[0]
    assert (finding.confidence, finding.record.site, finding.record.function) == (
        "exact",
        "h11/_events.py",
        "__init__",
    )
    assert re.search(finding.record.message_pattern, text)


def test_a_file_that_does_not_parse_is_reported_and_the_others_are_mined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("def f(:\n", "utf-8")
    (tmp_path / "b.py").write_text("raise ValueError('still here')\n", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/c.py").write_text("raise ValueError('left out')\n", "utf-8")
    envelopes = mine(source_files(str(tmp_path), tmp_path))
    assert [envelope["record"]["errorMessage"] for envelope in envelopes] == ["still here"]
    assert capsys.readouterr().err.startswith("skipped: a.py: ")


HOSTILE = {
    "unclosed.py": "def f(n):\n    logger.warning('disk is 100%(almost full', n)\n",
    "hex.py": "# -*- coding: hex -*-\nx = 1\n",
    "deep.py": "x = " + "-" * 20_000 + "1\n",
    "surrogate.py": 'def f():\n    """Says \\ud800 all."""\n    raise ValueError("a message which is long here")\n',
    "wide.py": "".join(f"def f{n}(a):\n    raise ValueError(f'no {{a{n}}}')\n" for n in range(50)),
    "cycle.py": "def f():\n" + "    a = b\n    b = c\n    c = a\n" * 30 + "    raise ValueError(a)\n",
}


def test_hostile_files_do_not_affect_other_files_and_mining_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, text in HOSTILE.items():
        (source / name).write_text(text, "utf-8")
    (source / "zgood.py").write_text("def f():\n    raise ValueError('nothing is wrong with this file')\n", "utf-8")
    os.mkfifo(source / "pipe.py")
    (source / "zero.py").symlink_to("/dev/zero")
    out = tmp_path / "out.jsonl"
    write(mine(source_files(str(source), tmp_path)), out)
    records = [json.loads(line)["record"] for line in out.read_text("utf-8").splitlines()]
    messages = [record["errorMessage"] for record in records]
    assert "nothing is wrong with this file" in messages
    assert "a message which is long here" in messages
    assert sorted(re.findall(r"skipped: (\S+):", capsys.readouterr().err)) == ["deep.py", "hex.py"]
