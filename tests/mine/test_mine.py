"""What is mined from source: each way in which messages are really made, and what a record says of it."""

import json
import os
import re
import zipfile
from pathlib import Path

import pytest

from tests.support.mined import mined
from whyraise.cli.main import main
from whyraise.errors import BadInput
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.mine.fragments import fragments
from whyraise.mine.mine import mine, write
from whyraise.mine.raises import raises
from whyraise.mine.scopes import read_module
from whyraise.mine.targets import Origin, source_files
from whyraise.mine.templates import Hole
from whyraise.mine.to_record import record
from whyraise.quality.lint import check

ORIGIN = Origin("pypi/thing", "1.2", "MIT", "")


def shown(source: str) -> list[str]:
    """Return class and message of all that a source may raise, placeholders in braces.

    The rows without text that stand for what else a statement may raise are left out where there is one with text.
    """
    found = mined(source)
    told = {one.error_class for one in found if one.template}
    return [
        f"{one.error_class}: "
        + "".join(part if isinstance(part, str) else f"{{{part.source}}}" for part in one.template)
        for one in found
        if one.template or one.error_class not in told
    ]


MADE = {
    "constants and implicit concatenation": (
        "def f():\n    raise ValueError('no such ' 'thing here')", ["ValueError: no such thing here"],
    ),
    "f-strings": ("def f(x):\n    raise ValueError(f'no {x.name!r} in {len(x):>3}')", ["ValueError: no {x.name} in {len(x)}"]),
    "percent": (
        "def f(a, b):\n    raise KeyError('%s is no %5.2f, 100%% %(k)s' % (a, b))",
        ["KeyError: {a} is no {b}, 100% {k}"],
    ),
    "format": (
        "def f(a, b):\n    raise TypeError('{} and {name} and {0.x} {{}}'.format(a, name=b))",
        ["TypeError: {a} and {b} and {a.x} {}"],
    ),
    "the text of what was caught": (
        "class NoApp(Exception): ...\ndef g(a):\n    raise NoApp(f'no {a} in it')\n"
        "def f(a):\n    try:\n        g(a)\n    except NoApp as exc:\n        raise OSError('cannot load. %s' % exc)",
        ["NoApp: no {a} in it", "OSError: cannot load. no {a} in it", "OSError: cannot load. {exc}"],
    ),
    "a local text in a format": (
        "def f(a):\n    why = f'no such {a}'\n    raise OSError('cannot load: {}!'.format(why))",
        ["OSError: cannot load: no such {a}!", "OSError: cannot load: {why}!"],
    ),
    "dedented": (
        "def f(a):\n    raise ValueError(dedent(f\"\"\"\n        no such {a}\n          in it\n        \"\"\").strip())",
        ["ValueError: no such {a}\n  in it"],
    ),
    "a helper's text, where not all of it is known": (
        "def name(a):\n    if a.kind:\n        return a.kind()\n    return f'the {a.id} of it'\n"
        "def f(a):\n    raise ValueError('no room for ' + name(a))",
        ["ValueError: no room for the {a.id} of it", "ValueError: no room for {name(a)}"],
    ),
    "a method's text": (
        "class C:\n    def why(self, a):\n        return f'no room for {a} here'\n"
        "    def f(self, a):\n        raise ValueError(self.why(a))",
        ["ValueError: no room for {a} here"],
    ),
    "prose given to a class that prints itself": (
        "class AxisError(Exception):\n    def __init__(self, axis, ndim=None):\n        self.axis = axis\n"
        "    def __str__(self):\n        return f'axis {self.axis} is out of bounds'\n"
        "def f(axis):\n    raise AxisError('the axes must be distinct elements')\n"
        "def g(axis):\n    raise AxisError('code')",
        [
            "AxisError: axis {self.axis} is out of bounds",
            "AxisError: the axes must be distinct elements",
            "AxisError: axis {self.axis} is out of bounds",
        ],
    ),
    "plus": ("def f(a):\n    raise OSError('cannot open ' + a + ' now')", ["OSError: cannot open {a} now"]),
    "conditional expressions": (
        "def f(a):\n    raise ValueError('too long' if a else 'too short')", ["ValueError: too long", "ValueError: too short"],
    ),
    "local variables": (
        "def f(a):\n    msg = f'bad {a}'\n    msg += ', try again'\n    raise ValueError(msg)",
        ["ValueError: bad {a}", "ValueError: bad {a}, try again"],
    ),
    "module constants": ("TEXT = 'no %s'\ndef f(a):\n    raise ValueError(TEXT % a)", ["ValueError: no {a}"]),
    "class constants": (
        "class A:\n    text = 'never called'\n    def f(self):\n        raise ValueError(self.text)", ["ValueError: never called"],
    ),
    "default arguments": ("def f(msg='nothing to do'):\n    raise ValueError(msg)", ["ValueError: nothing to do"]),
    "dictionaries of messages": (
        "ALL = {1: 'too low', 2: 'too high'}\ndef f(k):\n    raise ValueError(ALL[k])", ["ValueError: too low", "ValueError: too high"],
    ),
    "lists that collect messages": (
        "def f(a):\n    errors = ['first is bad']\n    errors.append(f'second {a}')\n    raise ValueError('; '.join(errors))",
        ["ValueError: {errors}first is bad{errors}", "ValueError: {errors}second {a}{errors}"],
    ),
    "helpers that raise": (
        "def _raise(kind, msg):\n    raise kind(msg)\ndef f(x):\n    _raise(TypeError, f'no {x}')", ["TypeError: no {x}"],
    ),
    "helpers that build": (
        "def _text(x):\n    return f'no {x} at all'\ndef f(y):\n    raise ValueError(_text(y))", ["ValueError: no {x} at all"],
    ),
    "classes that carry the text in __init__": (
        "class Bad(Exception):\n    def __init__(self, name):\n        super().__init__(f'no field {name} here')\n"
        "def f(n):\n    raise Bad(n)",
        ["Bad: no field {name} here"],
    ),
    "classes that carry the text in __str__": (
        "class Bad(Exception):\n    def __str__(self):\n        return f'broken at {self.at}'\ndef f():\n    raise Bad(3)",
        ["Bad: broken at {self.at}"],
    ),
    "messages passed to a parent exception by its name": (
        "class Bad(Base):\n    def __init__(self, n):\n        Base.__init__(self, f'no part {n} here')\ndef f(n):\n    raise Bad(n)",
        ["Bad: no part {n} here"],
    ),
    "a class that keeps its argument prints it": (
        "class Bad(Base):\n    def __init__(self, n):\n        self.n = n\ndef f(n):\n    raise Bad('x of it')", ["Bad: x of it"],
    ),
    "percent with a width among the values": ("def f(w, a):\n    raise ValueError('%*d is bad' % (w, a))", ["ValueError: {a} is bad"]),
    "a percent sign at the end": ("def f(a):\n    raise ValueError('%d of 100%' % a)", ["ValueError: {a} of 100%"]),
    "what is raised was made before": ("def f():\n    error = ValueError('made early')\n    raise error from None", ["ValueError: made early"]),
    "assertions": ("def f(x):\n    assert x, f'x is {x}'", ["AssertionError: x is {x}"]),
    "torch._check": ("def f(x):\n    torch._check(x > 0, lambda: f'got {x}')", ["RuntimeError: got {x}"]),
    "warnings": (
        "def f(x):\n    warnings.warn(f'{x} is old', DeprecationWarning)\n    rank_zero_warn('slow path')",
        ["DeprecationWarning: {x} is old", "UserWarning: slow path"],
    ),
    "warnings of a logger have no class": ("def f(x):\n    log.warning('a %s b', x)", [": a {x} b"]),
    "dictionaries asked with get": (
        "ALL = {1: 'too low'}\ndef f(k):\n    raise ValueError(ALL.get(k))", ["ValueError: too low"],
    ),
    "loggers": ("def f(x):\n    logger.error('lost %s of %d', x, 3)", [": lost {x} of {3}"]),
    "dedent and gettext": (
        "def f():\n    raise ValueError(dedent('two words'))\ndef g():\n    raise ValueError(_('three words'))",
        ["ValueError: two words", "ValueError: three words"],
    ),
    "helpers that return an exception": (
        "class A:\n    def _bad(self, name):\n        return ValueError(f'no {name} here')\n    def f(self):\n        raise self._bad('x')",
        ["ValueError: no {name} here"],
    ),
    "a code first and the text next": (
        "def f(z):\n    raise CustomError('zone', 'no time zone {zone} here', {'zone': z})", ["CustomError: zone", "CustomError: no time zone {zone} here"],
    ),
    "attributes of a base class that a class text is made of": (
        "class Base(Exception):\n    text = 'nothing of {0} is known'\n    def __str__(self):\n        return self.text.format(self.name)\n"
        "class Bad(Base):\n    text = 'no colour {0} here'\ndef f():\n    raise Bad()",
        ["Bad: no colour {self.name} here"],
    ),
    "a class whose name is assigned to itself": ("def f(kind):\n    kind = kind\n    raise kind('cannot go on')", [": "]),
    "site alone": ("def f(key):\n    raise KeyError(key)", ["KeyError: {key}"]),
}  # fmt: skip


@pytest.mark.parametrize("way", MADE)
def test_messages_are_read_as_they_are_really_made(way: str) -> None:
    source, expected = MADE[way]
    assert shown(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    raise",
        "def f():\n    try:\n        g()\n    except OSError as e:\n        raise e",
        "x = 'raise ValueError(1)'",
        "def f(self):\n    self.warning('x')",
    ],
)
def test_what_says_nothing_of_its_own_gives_no_record(source: str) -> None:
    assert shown(source) == []


GUARDED = '''
class Loader:
    def open(self, path, mode="r"):
        """Open a file of weights.

        More words.
        """
        if mode not in ("r", "w"):
            raise ValueError(f"mode {mode!r} is neither r nor w")
        else:
            try:
                return read(path)
            except OSError as error:
                raise RuntimeError(f"cannot read {path}") from error
'''


def test_the_conditions_that_lead_to_a_raise_are_kept_and_negated_where_needed() -> None:
    assert [(one.function, one.line, one.guards) for one in mined(GUARDED)] == [
        ("Loader.open", 9, ("mode not in ('r', 'w')",)),
        ("Loader.open", 14, ("not (mode not in ('r', 'w'))", "except OSError")),
    ]


def test_a_record_says_what_the_source_says_and_gives_no_advice() -> None:
    tree, module = read_module(GUARDED, "thing/core.py")
    envelope = record(next(raises(tree, module)), module, ORIGIN)
    assert envelope
    fields = envelope["record"]
    assert (envelope["origin"], envelope["licence"], envelope["versions"]) == ("mined", "MIT", ["1.2"])
    assert envelope["site"] == {"function": "Loader.open", "kind": "template", "made": "raise"}
    assert (fields["errorMessage"], fields["messagePattern"]) == (
        "mode {mode} is neither r nor w", r"mode\ (.*?)\ is\ neither\ r\ nor\ w",
    )  # fmt: skip
    assert (fields["errorClass"], fields["filePath"], fields["lineNumber"]) == ("ValueError", "thing/core.py", 9)
    assert (
        fields["sourceCode"]
        .splitlines()[fields["lineNumber"] - fields["sourceCodeStart"]]
        .startswith("            raise")
    )
    assert fields["triggerScenarios"] == "mode not in ('r', 'w')"
    assert fields["documentation"].split("\n\n") == [
        "Derived from source: error of `Loader.open` in `thing/core.py`, line 9.",
        "Its signature: `open(self, path, mode='r')`.",
        "Its summary: Open a file of weights.",
        "It is reached where: `mode not in ('r', 'w')`.",
        "Its placeholders are: `mode`.",
    ]
    assert (fields["solutions"], fields["exampleFix"], fields["githubUrl"]) == ([], None, None)


def test_a_checkout_gives_links_and_source_can_be_left_out() -> None:
    tree, module = read_module(GUARDED, "src/thing/core.py")
    envelope = record(next(raises(tree, module)), module, Origin("o/thing", "1", "", "abc123"), excerpts=False)
    assert envelope
    assert envelope["record"]["githubUrl"] == "https://github.com/o/thing/blob/abc123/src/thing/core.py#L9"
    assert (envelope["record"]["sourceCode"], envelope["record"]["sourceCodeStart"]) == (None, None)


def test_two_wordings_are_two_records_and_what_else_may_be_raised_a_third_and_the_same_source_gives_the_same_bytes(
    tmp_path: Path,
) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing/a.py").write_text(MADE["conditional expressions"][0], "utf-8")
    for out in ("one.jsonl", "two.jsonl", "three.jsonl.zst"):
        assert main(["mine", str(tmp_path), "-o", str(tmp_path / out)]) == 0
    first, second = ((tmp_path / name).read_bytes() for name in ("one.jsonl", "two.jsonl"))
    assert first == second
    assert len({json.loads(line)["record"]["id"] for line in first.splitlines()}) == 3
    assert build([tmp_path / "three.jsonl.zst"], tmp_path / "k.db").records == 3


def test_every_mined_record_of_installed_packages_can_be_searched_for(tmp_path: Path) -> None:
    files = [file for name in ("uvicorn", "httpx", "h11") for file in source_files(name, tmp_path)]
    path = tmp_path / "mined.jsonl"
    path.write_text("\n".join(map(json.dumps, mine(files))), "utf-8")
    report = check([path])
    assert report.records > 150
    assert report.faults == ()


def test_what_a_package_really_raises_is_found_by_message_and_site(tmp_path: Path) -> None:
    import traceback

    import h11

    path = tmp_path / "mined.jsonl"
    path.write_text("\n".join(map(json.dumps, mine(source_files("h11", tmp_path)))), "utf-8")
    build([path], tmp_path / "k.db")
    catalog = Catalog(str(tmp_path / "k.db"), str(tmp_path))
    try:
        h11.Request(method="GET", target="/", headers=[], http_version="1.1")
    except h11.LocalProtocolError:
        text = traceback.format_exc()
    found = explain(text, catalog).findings[0]
    assert (found.confidence, found.record.site, found.record.function) == ("exact", "h11/_events.py", "__init__")
    assert re.search(found.record.message_pattern, text)


def test_a_file_that_does_not_parse_is_reported_and_the_others_are_mined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("def f(:\n", "utf-8")
    (tmp_path / "b.py").write_text("raise ValueError('still here')\n", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/c.py").write_text("raise ValueError('left out')\n", "utf-8")
    assert [each["record"]["errorMessage"] for each in mine(source_files(str(tmp_path), tmp_path))] == ["still here"]
    assert capsys.readouterr().err.startswith("skipped: a.py: ")


def test_a_wheel_is_mined_as_it_would_be_installed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "thing-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("thing/a.py", "raise ValueError('from a wheel')\n")
    [file] = source_files(str(tmp_path / "thing-1.0-py3-none-any.whl"), tmp_path / "out")
    assert (file.site, [each["record"]["filePath"] for each in mine([file])]) == ("thing/a.py", ["thing/a.py"])


def test_what_cannot_be_mined_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no-such-thing is not installed"):
        source_files("no-such-thing", tmp_path)
    (tmp_path / "bad.whl").write_text("x")
    with pytest.raises(BadInput, match=r"bad\.whl cannot be unpacked"):
        source_files(str(tmp_path / "bad.whl"), tmp_path)


def test_placeholders_keep_their_source_text() -> None:
    [one] = mined("def f(module):\n    raise TypeError(f'got {module.__class__.__name__}')")
    assert one.template == ("got ", Hole("module.__class__.__name__"))


REWRITTEN = '''
class Strategy:
    def on_exception(self, error):
        _augment(error, new=("It looks like some parameters were never used: find them and "
                             f"leave {self.names} out of the loss."))

    def documented(self):
        """This is documentation of many words and no message."""
        raise ValueError("this text is known already as a message")
'''


def test_prose_that_may_end_up_in_a_message_becomes_a_fragment() -> None:
    tree, module = read_module(REWRITTEN, "thing/strategy.py")
    known = list(raises(tree, module))
    assert [("".join(str(part) for part in one.template[:1]), one.function) for one in fragments(module, known)] == [
        ("It looks like some parameters were never used: find them and leave ", "Strategy.on_exception")
    ]


def test_a_fragment_is_possible_alone_likely_with_its_site_and_below_a_template(tmp_path: Path) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing/strategy.py").write_text(REWRITTEN, "utf-8")
    path = tmp_path / "mined.jsonl"
    path.write_text("\n".join(map(json.dumps, mine(source_files(str(tmp_path), tmp_path)))), "utf-8")
    build([path], tmp_path / "k.db")
    catalog = Catalog(str(tmp_path / "k.db"), str(tmp_path))
    message = "RuntimeError: It looks like some parameters were never used: find them and leave head out of the loss.\n"
    for name, confidence in (
        ("thing/strategy.py", "likely"),
        ("thing/other.py", "likely"),
        ("else/where.py", "possible"),
    ):
        frame = f'  File "/x/site-packages/{name}", line 4, in on_exception\n    _augment(error)\n'
        found = explain(f"Traceback (most recent call last):\n{frame}{message}", catalog).findings
        assert [each.confidence for each in found] == [confidence], name


HOSTILE = {
    "unclosed.py": "def f(n):\n    logger.warning('disk is 100%(almost full', n)\n",
    "hex.py": "# -*- coding: hex -*-\nx = 1\n",
    "deep.py": "x = " + "-" * 20_000 + "1\n",
    "surrogate.py": 'def f():\n    """Says \\ud800 all."""\n    raise ValueError("a message which is long here")\n',
    "wide.py": "".join(f"def f{n}(a):\n    raise ValueError(f'no {{a{n}}}')\n" for n in range(50)),
    "cycle.py": "def f():\n" + "    a = b\n    b = c\n    c = a\n" * 30 + "    raise ValueError(a)\n",
}


def test_hostile_files_spoil_no_other_and_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, text in HOSTILE.items():
        (source / name).write_text(text, "utf-8")
    (source / "zgood.py").write_text("def f():\n    raise ValueError('nothing is wrong with this file')\n", "utf-8")
    os.mkfifo(source / "pipe.py")
    (source / "zero.py").symlink_to("/dev/zero")
    out = tmp_path / "out.jsonl"
    write(mine(source_files(str(source), tmp_path)), out)
    found = [json.loads(line)["record"] for line in out.read_text("utf-8").splitlines()]
    assert "nothing is wrong with this file" in [each["errorMessage"] for each in found]
    assert "a message which is long here" in [each["errorMessage"] for each in found]
    assert sorted(re.findall(r"skipped: (\S+):", capsys.readouterr().err)) == ["deep.py", "hex.py"]
