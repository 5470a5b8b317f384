"""Awkward records made by hand: what a pattern can be, each with a message and what its placeholders stand for."""

from typing import NamedTuple

from tests.support.records import record
from whyraise.matching import wording
from whyraise.patterns.parse import read_pattern


class Awkward(NamedTuple):
    """A record's template and pattern, a text, what is to be marked in it, and the captures by name."""

    template: str
    pattern: str
    message: str
    captures: list[tuple[str, str]]


CASES = (
    # leading and trailing placeholders
    Awkward("{a.b} is not attached to it", "(.+?) is not attached to it", "my.Module is not attached to it", [("a.b", "my.Module")]),
    Awkward("{x} and nothing else here", "(.+?) and nothing else here", "a and b and nothing else here", [("x", "a and b")]),
    Awkward("cannot reach host {host}", "cannot reach host (.+?)", "cannot reach host a.b.c. Or d.", [("host", "a.b.c. Or d.")]),
    Awkward("cannot reach port {port}", "cannot reach port (.+)", "cannot reach port 80 of x", [("port", "80 of x")]),
    Awkward("reply of peer was {r}", "reply of peer was (.*)", "reply of peer was None", [("r", "None")]),
    Awkward("{a} clashes badly with {b}", "(.+?) clashes badly with (.+?)", "x y clashes badly with z w", [("a", "x y"), ("b", "z w")]),
    # a short literal at the end
    Awkward("Wrong wrapper. Got: {t}.", r"Wrong wrapper\. Got: (.+?)\.", "Wrong wrapper. Got: torch.nn.Linear.", [("t", "torch.nn.Linear")]),
    Awkward("bad literal kind ({k})", r"bad literal kind \((.+?)\)", "bad literal kind (a(b)c)", [("k", "a(b)c")]),
    Awkward("unknown key was '{k}'", "unknown key was '(.+?)'", "unknown key was 'it's'", [("k", "it's")]),
    Awkward("shape was {s}!?", r"shape was (.+?)!\?", "shape was (1, 2)!?", [("s", "(1, 2)")]),
    # adjacent placeholders
    Awkward("digits run {a}{b} wild", "digits run (.+?)(.+?) wild", "digits run 123 wild", [("a", "1"), ("b", "23")]),
    Awkward("prefix of it {a}{b}", "prefix of it (.+?)(.+?)", "prefix of it xyz", [("a", "x"), ("b", "yz")]),
    Awkward("{a}{b} came in one piece", "(.+?)(.+?) came in one piece", "xyz came in one piece", [("a", "x"), ("b", "yz")]),
    # several lines
    Awkward("first of two\n\tsecond: {x}", "first of two\n\tsecond: (.+?)", "first of two\n\tsecond: 7", [("x", "7")]),
    Awkward("keys of {m}:\n- {k}\n- done", "keys of (.+?):\n- (.+?)\n- done", "keys of Net:\n- w.b\n- done", [("m", "Net"), ("k", "w.b")]),
    Awkward("blank line\n\nbelow {x} here", "blank line\n\nbelow (.+?) here", "blank line\n\nbelow it here", [("x", "it")]),
    Awkward("\nstarts with a line end {x}", "\nstarts with a line end (.+?)", "\nstarts with a line end 3", [("x", "3")]),
    # one a prefix of another; a shared message
    Awkward("cannot open the file", "cannot open the file", "cannot open the file", []),
    Awkward("cannot open the file for writing", "cannot open the file for writing", "cannot open the file for writing", []),
    Awkward("cannot open the file for writing: {e}", "cannot open the file for writing: (.+?)", "cannot open the file for writing: EIO", [("e", "EIO")]),
    Awkward("said by both of us {x}", "said by both of us (.+?)", "said by both of us 1", [("x", "1")]),
    # beyond ASCII
    Awkward("größe {x} ist zu groß", "größe (.+?) ist zu groß", "größe 5€ ist zu groß", [("x", "5€")]),
    Awkward("文件 {name} 不存在或无法读取", "文件 (.+?) 不存在或无法读取", "文件 数据.csv 不存在或无法读取", [("name", "数据.csv")]),
    Awkward("😀 {mood} 😀 is no mood", "😀 (.+?) 😀 is no mood", "😀 sad 😀 is no mood", [("mood", "sad")]),
    Awkward("naïve café {x} fermé", "naïve café (.+?) fermé", "naïve café Zoë fermé", [("x", "Zoë")]),
    # alternation
    Awkward("no such file or folder: {p}", "no such (?:file|folder|file or folder): (.+?)", "no such folder: a/b", [("p", "a/b")]),
    Awkward("expected one argument", "expected (?:one|two) arguments?", "expected two arguments", []),
    Awkward("left side of {x}", "left side of (.+?)|right side of (.+?)", "right side of y", [("2", "y")]),
    Awkward("value is known: {x}", r"value is (?:un)?known: (.+?)", "value is known: q", [("x", "q")]),
    # conversions, formats, nested braces
    Awkward('names {", ".join(x)!r:>10} collide', "names (.+?) collide", "names    'a, b' collide", [('", ".join(x)', "   'a, b'")]),
    Awkward("width {w:>{n}} of it", "width (.+?) of it", "width    3 of it", [("w", "   3")]),
    Awkward("entry {d['a:b']} is stale", "entry (.+?) is stale", "entry 9 is stale", [("d['a:b']", "9")]),
    Awkward("ratio {a / b:.2f} too low", "ratio (.+?) too low", "ratio 0.33 too low", [("a / b", "0.33")]),
    Awkward("debug {value=} seen", "debug (.+?) seen", "debug value=3 seen", [("value", "value=3")]),
    # braces that are text
    Awkward("use {{literal}} with {x} here", r"use \{literal\} with (.+?) here", "use {literal} with 5 here", [("x", "5")]),
    Awkward("bad set {1, 2} given there", r"bad set \{1, 2\} given there", "bad set {1, 2} given there", []),
    Awkward("{{{x}}} is in double braces", r"\{(.+?)\} is in double braces", "{y} is in double braces", [("x", "y")]),
    # percent and format style
    Awkward("%s of type %s not allowed", "(.+?) of type (.+?) not allowed", "a of type int not allowed", [("%s", "a"), ("%s", "int")]),
    Awkward("%(name)s is 100%% wrong", "(.+?) is 100% wrong", "spam is 100% wrong", [("name", "spam")]),
    Awkward("field {0} follows {0.name!r}", "field (.+?) follows (.+?)", "field a follows 'b'", [("0", "a"), ("0.name", "'b'")]),
    Awkward("{} out of {} steps failed", "(.+?) out of (.+?) steps failed", "3 out of 4 steps failed", [("1", "3"), ("2", "4")]),
    # expressions that are no chain
    Awkward("took {n} seconds too long", r"took (\d+) seconds too long", "took 12 seconds too long", [("n", "12")]),
    Awkward("flag --{f} is not known", r"flag --([\w-]+) is not known", "flag --dry-run is not known", [("f", "dry-run")]),
    Awkward("key '{k}' was given twice", "key '([^']*)' was given twice", "key 'a b' was given twice", [("k", "a b")]),
    Awkward("from {a} to {b} by greed", "from (.+) to (.+?) by greed", "from x to y to z by greed", [("a", "x to y"), ("b", "z")]),
    # special characters of regexes, as text
    Awkward("a.b*c+d?e|f^g$h {x} (i)[j]", r"a\.b\*c\+d\?e\|f\^g\$h (.+?) \(i\)\[j\]", "a.b*c+d?e|f^g$h - (i)[j]", [("x", "-")]),
    Awkward(r"path C:\new\table {x} gone", r"path C:\\new\\table (.+?) gone", r"path C:\new\table t gone", [("x", "t")]),
    # no literal that means anything: class and frame decide
    Awkward("{key}", "(.+?)", "'left'", [("key", "'left'")]),
    Awkward("{a} is {b}", "(.+?) is (.+?)", "x is y", [("a", "x"), ("b", "y")]),
    Awkward("bad {x}", "bad (.+?)", "bad egg", [("x", "egg")]),
)  # fmt: skip


def is_weak(number: int) -> bool:
    """Say whether a case has no literal long enough to be found by, and needs class and frame."""
    pattern = read_pattern(CASES[number].pattern, CASES[number].template)
    return not any(map(wording.anchors, pattern.chains)) and not (
        pattern.expression and wording.anchors(pattern.expression)
    )


def fields(number: int) -> dict[str, object]:
    """Return the record of a case, raised in a function of its own."""
    case = CASES[number]
    source = f"def function_{number}():\n    raise ValueError(message)"
    where = {"sourceCode": source, "sourceCodeStart": 9, "lineNumber": 10, "filePath": f"src/thing/part_{number}.py"}
    return record(case.template, case.pattern, id=f"{number:016x}", **where)


def traceback(number: int) -> str:
    """Return a case's message as Python prints it when nobody catches it."""
    return (
        "Traceback (most recent call last):\n"
        f'  File "/venv/site-packages/thing/part_{number}.py", line 10, in function_{number}\n'
        f"    raise ValueError(message)\nValueError: {CASES[number].message}\n"
    )
