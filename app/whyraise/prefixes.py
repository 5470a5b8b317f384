"""What loggers, containers and launchers put before every line, found from the text itself.

A traceback tells where lines really begin: what stands before its first line, and again before its frames, whatever
numbers change in it, is a prefix. Names of products are needed for none of it; only launchers that say which process
wrote a line are known by their form, since their lines must be put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from whyraise.shape import NamedTuple

Edit = tuple[int, int, str]
# The lines of one process: its rank and its name where its prefix says them, and where its lines stand.
Lines = tuple[int | None, str, list[tuple[int, int]]]

_HEAD = "Traceback (most recent call last)"
_INDENT, _FRAME = "  ", 'File "'
# What a further line of a traceback begins with, once its prefix is off.
_PART = r'(?:[ \t]*File "|\[(?:rank|default)\d|(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception)\b)'
# Fields of a prefix: numbers and hexadecimal ids change from line to line, and so does what pads them.
_FIELD = r"[ \t]+(?=\d)|\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+|[^\d \t]+|[ \t]+"
# No logger writes more before its message; forms of prefixes that are tried, and lines that are looked at for them.
_LONGEST, _MOST_FORMS, _MOST_ANCHORS = 300, 8, 2000
# A prefix stands before so many lines; before one line it is a coincidence.
_FEWEST = 2

# Launchers' names for who wrote a line: PyTorch's and Lightning's ranks, Ray's processes, Open MPI's.
_LABEL = (
    r"(?P<label>\[(?:rank|default)(?P<rank>\d{1,6})\]|\((?:[\w.]+ )?pid=\d+(?:, ip=[\d.]+)?\)"
    r"|\[\d+,(?P<mpi>\d+)\]<std(?:err|out)>):? ?"
)
_RANKS = ("[rank", "[default")
_LABELLED = (*_RANKS, "pid=", "]<std")
# Names that anything may stand for before a bar or a colon: containers, hosts, tasks of srun.
_NAME = r"(?P<label> *(?P<rank>\d{1,6})(?=:)|[A-Za-z][\w./-]*|\[[A-Za-z][\w./-]*\])(?P<end> *\| ?|: ?| )"
_FEWEST_NAMED = 3


def prefixes(text: str) -> list[Edit]:
    """Take off what stands before the lines of tracebacks, wherever it stands before a line."""
    edits: dict[int, Edit] = {}
    for form in _forms(text):
        found = list(re.finditer(form, text))
        if len(found) >= _FEWEST and any(map(re.compile(_PART).match, (text[m.end() : m.end() + 80] for m in found))):
            for m in found:
                edits.setdefault(m.start(), (m.start(), m.end(), ""))
    return [edits[start] for start in sorted(edits)]


def _forms(text: str) -> list[str]:
    """Return, as expressions, the forms of what stands before tracebacks, or else before frames or ranks' names."""
    found: dict[str, None] = {}
    for mark in (_HEAD, _FRAME, *_RANKS):
        for before in _before(mark, text):
            found.setdefault(_form(before))
            if len(found) == _MOST_FORMS:
                break
        if found:
            break
    return list(found)


def _before(mark: str, text: str) -> Iterator[str]:
    """Yield what stands before a mark in its lines, up to the name of a process, where it is more than blanks."""
    at = text.find(mark)
    for _ in range(_MOST_ANCHORS):
        if at < 0:
            return
        start = text.rfind("\n", 0, at) + 1
        before = text[start:at].removesuffix(_INDENT if mark is _FRAME else "") if at - start <= _LONGEST else ""
        if label := re.search(_LABEL, before):
            before = before[: label.start()]
        if before.strip() and '"' not in before:
            yield before
        at = text.find(mark, at + 1)


def _form(prefix: str) -> str:
    """Return an expression for lines with this prefix, or with other numbers in it; blanks at its end may be lost."""
    body = prefix.rstrip()
    tail = prefix[len(body) :]
    fields = (_field(m[0]) for m in re.finditer(_FIELD, body))
    return f"(?m)^{''.join(fields)}(?:{re.escape(tail)}|[ \t]*$)"


def _field(text: str) -> str:
    if text.isdigit():
        return r"\d+"
    if text.isspace():
        return "[ \t]*"
    return r"[0-9a-f]+" if any(char.isdigit() for char in text) else re.escape(text)


class Mark(NamedTuple):
    """What says who wrote the rest of its line: where it stands, its text, and the process rank in it."""

    start: int
    end: int
    label: str
    rank: int | None


def processes(text: str) -> list[Lines]:
    """Return the lines of each process that wrote into a text, without its prefix, in the order of their first lines.

    Two processes may have written into one line. A line without a prefix belongs to nobody; all of those come as one.
    Nothing is returned where no line has a prefix.
    """
    marks = _labelled(text) or _named(text)
    found: dict[str, Lines] = {}
    at = 0
    for mark, following in zip_longest(marks, marks[1:]):
        if at < mark.start:
            found.setdefault("", (None, "", []))[2].append((at, mark.start))
        at = text.find("\n", mark.end) + 1 or len(text)
        at = min(at, following.start) if following else at
        found.setdefault(mark.label, (mark.rank, mark.label, []))[2].append((mark.end, at))
    if marks and at < len(text):
        found.setdefault("", (None, "", []))[2].append((at, len(text)))
    return list(found.values())


def _labelled(text: str) -> list[Mark]:
    """Return launchers' marks: at the start of lines, and those of ranks within lines too."""
    if not any(part in text for part in _LABELLED):
        return []
    found = [m for m in re.finditer(_LABEL, text) if _starts_line(m, text) or (m["rank"] and m[0].rstrip()[-1] == ":")]
    if not any(_starts_line(m, text) for m in found):
        return []
    return [Mark(m.start(), m.end(), m["label"].strip("()"), _number(m["rank"] or m["mpi"])) for m in found]


def _starts_line(found: re.Match[str], text: str) -> bool:
    return not found.start() or text[found.start() - 1] == "\n"


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _named(text: str) -> list[Mark]:
    """Return the marks of names that stand before the first line of a traceback and before frames."""
    if _HEAD not in text:
        return []
    first = {m["label"] + m["end"] for m in re.finditer(f"(?m)^{_NAME}{re.escape(_HEAD)}", text)}
    if not first:
        return []
    names = "|".join(map(re.escape, sorted({name.strip() for name in first}, key=len, reverse=True)))
    found = list(re.finditer(f"(?m)^ *(?P<label>{names}) ?", text))
    if len(found) < _FEWEST_NAMED or not any(text.startswith(_INDENT + _FRAME, m.end()) for m in found):
        return []
    return [Mark(m.start(), m.end(), m["label"].rstrip(" |:"), _task(m["label"])) for m in found]


def _task(label: str) -> int | None:
    """Return the number that `srun --label` puts before a line."""
    name = label.rstrip(" |:")
    return int(name) if name.isdigit() else None


def newest_first(text: str) -> bool:
    """Say whether the lines of a log stand in reverse: a traceback's first line comes after its frames."""
    at = text.find(_HEAD)
    if at < 0:
        return False
    start = text.rfind("\n", 0, at) + 1
    before = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
    after = text[text.find("\n", at) + 1 :][:_LONGEST] if "\n" in text[at:] else ""
    return before.lstrip().startswith(_FRAME) and not after.lstrip().startswith(_FRAME)
