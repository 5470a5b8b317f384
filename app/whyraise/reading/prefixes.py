"""What loggers, containers and launchers put before every line, found from the text itself.

A traceback tells where lines really begin: what stands before its first line, and again before its frames, whatever
numbers change in it, is a prefix. Names of products are needed for none of it; only launchers that say which process
wrote a line are known by their form, since their lines must be put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from whyraise.namedtuples import NamedTuple

Edit = tuple[int, int, str]
# The lines of one process: its rank and its name where its prefix says them, and where its lines stand.
Lines = tuple[int | None, str, list[tuple[int, int]]]

_HEAD = "Traceback (most recent call last)"
_INDENT, _FRAME = "  ", 'File "'
# pytest's mark of the lines of an error; its frames have no word of their own.
_PYTEST = "E   "
# What a further line of a traceback begins with, once its prefix is off.
_PART = (
    r'(?:[ \t]*(?:[│┃║] *)?File "|\[(?:rank|default)\d|(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception)\b'
    r"|[\w./\\~-]+\.py:\d+:)"
)
_CLASS_LINE = r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?::|$)"
# Fields of a prefix: numbers and hexadecimal ids change from line to line, and so does what pads them.
_FIELD = r"[ \t]+(?=\d)|\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+|[^\d \t]+|[ \t]+"
# No logger writes more before its message; forms of prefixes that are tried, and lines that are looked at for them.
_LONGEST, _MOST_FORMS, _MOST_ANCHORS = 300, 8, 2000
# Within so many characters of where a prefix was seen it stands before further parts of the traceback.
_AROUND = 20_000
# A prefix stands before so many lines; before one line it is a coincidence.
_FEWEST = 2
# Launchers' names for who wrote a line: PyTorch's and Lightning's ranks, Ray's processes, Open MPI's.
_LABEL = (
    r"(?P<label>\[(?:rank|default)(?P<rank>\d{1,6})\]|\((?:[\w.]+ )?pid=\d+(?:, ip=[\d.]+)?\)"
    r"|\[\d+,(?P<mpi>\d+)\]<std(?:err|out)>):? ?"
)
_RANKS = ("[rank", "[default")
# What a prefix ends before: the name of a process, and the side of a box.
_INSIDE = rf"{_LABEL}|[│┃║]"
_LABELLED = (*_RANKS, "pid=", "]<std")
# Names that anything may stand for before a bar or a colon: containers, hosts, tasks of srun.
_NAME = r"(?P<label> *(?P<rank>\d{1,6})(?=:)|[A-Za-z][\w./-]*|\[[A-Za-z][\w./-]*\])(?P<end> *\| ?|: ?| )"
_FEWEST_NAMED = 3
# Terminals narrower than this are not in use. A word, or a path, that a line end tears.
_NARROWEST = 30
_TORN = r"\w\n[a-z_]"


def prefixes(text: str) -> list[Edit]:
    """Take off what stands before the lines of tracebacks, wherever it stands before a line."""
    edits: dict[int, Edit] = {}
    for form in _forms(text):
        found = list(re.finditer(form, text))
        if len(found) >= _FEWEST:
            for m in found:
                edits.setdefault(m.start(), (m.start(), m.end(), ""))
    taken = [edits[start] for start in sorted(edits)]
    return sorted([*taken, *_folds(text, [start for start, _, _ in taken])]) if taken else []


def folds(text: str, known: list[Mark]) -> list[Edit]:
    """Undo line ends at which lines with the mark of a process were cut at a width: what follows has no mark."""
    return _folds(text, [mark.start for mark in known if _starts_line(mark.start, text)])


def _folds(text: str, starts: list[int]) -> list[Edit]:
    """Return the line ends at which lines that begin at `starts` were cut: full lines, followed by ones that do not."""
    ends = [text.find("\n", start) for start in starts]
    width = max((end - start for start, end in zip(starts, ends, strict=True)), default=0)
    if width < _NARROWEST:
        return []
    found: list[int] = []
    for start, until in zip(starts, [*starts[1:], len(text)], strict=True):
        at = text.find("\n", start, until)
        while 0 <= at < until - 1 and width - 1 <= at - start <= width:
            found.append(at)
            start, at = at + 1, text.find("\n", at + 1, until)
    is_torn = len(starts) > _FEWEST and all(re.match(_TORN, text[at - 1 : at + 2]) for at in found)
    is_sure = is_torn or len(found) >= _FEWEST
    return [(at, at + 1, "") for at in found] if is_sure else []


def _forms(text: str) -> list[str]:
    """Return, as expressions, the forms of what stands before tracebacks, or else before frames or ranks' names."""
    tried: dict[str, bool] = {}
    for mark in (_HEAD, _FRAME, *_RANKS, _PYTEST):
        for before, at in _before(mark, text):
            form = _form(before)
            if form not in tried:
                tried[form] = _stands_before_parts(form, text[max(0, at - _AROUND) : at + _AROUND])
            if len(tried) == _MOST_FORMS:
                break
        if any(tried.values()):
            break
    return [form for form, holds in tried.items() if holds]


def _stands_before_parts(form: str, near: str) -> bool:
    """Say whether what a form describes stands before further parts of a traceback, near where it was seen."""
    is_part = re.compile(_PART).match
    return any(is_part(near[m.end() : m.end() + 80]) for m in re.finditer(form, near))


def _before(mark: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield what stands before a mark in its line, up to a process's name or a box, if any; and where that ends."""
    at = text.find(mark)
    for _ in range(_MOST_ANCHORS):
        if at < 0:
            return
        start = text.rfind("\n", 0, at) + 1
        before = text[start:at].removesuffix(_INDENT if mark is _FRAME else "") if at - start <= _LONGEST else ""
        if inside := re.search(_INSIDE, before):
            before = before[: inside.start()]
        if before.strip() and '"' not in before:
            yield before, start + len(before)
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


def processes(text: str, known: list[Mark]) -> list[Lines]:
    """Return the lines of each process that wrote into a text, without its prefix, in the order of their first lines.

    Two processes may have written into one line. A line without a prefix belongs to nobody; all of those come as one.
    Nothing is returned where no line has a mark.
    """
    found: dict[str, Lines] = {}
    at = 0
    for mark, following in zip_longest(known, known[1:]):
        if at < mark.start:
            found.setdefault("", (None, "", []))[2].append((at, mark.start))
        at = text.find("\n", mark.end) + 1 or len(text)
        at = min(at, following.start) if following else at
        found.setdefault(mark.label, (mark.rank, mark.label, []))[2].append((mark.end, at))
    if known and at < len(text):
        found.setdefault("", (None, "", []))[2].append((at, len(text)))
    return list(found.values())


def marks(text: str) -> list[Mark]:
    """Return what says which process wrote the lines of a text, in its order."""
    return _labelled(text) or _named(text)


def _labelled(text: str) -> list[Mark]:
    """Return launchers' marks: at the start of lines, and those of ranks within lines too."""
    if not any(part in text for part in _LABELLED):
        return []
    found = [
        m
        for m in re.finditer(_LABEL, text)
        if _starts_line(m.start(), text) or (m["rank"] and m[0].rstrip()[-1] == ":")
    ]
    if not any(_starts_line(m.start(), text) for m in found):
        return []
    return [Mark(m.start(), m.end(), m["label"].strip("()"), _number(m["rank"] or m["mpi"])) for m in found]


def _starts_line(position: int, text: str) -> bool:
    return not position or text[position - 1] == "\n"


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _named(text: str) -> list[Mark]:
    """Return the marks of names that stand before the first line of a traceback and before frames."""
    first = {before for before, _ in _before(_HEAD, text) if re.fullmatch(_NAME, before)}
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


def newest_first(text: str) -> list[tuple[int, int]]:
    """Return where tracebacks stand whose lines come in reverse, as in a log that shows its newest line first."""
    found: list[tuple[int, int]] = []
    at = text.find(_HEAD)
    while at >= 0:
        end = text.find("\n", at) + 1 or len(text)
        start = _reversed_start(text, text.rfind("\n", 0, at) + 1)
        if start >= 0 and not text[end : end + _LONGEST].lstrip().startswith(_FRAME):
            found.append((start, end))
        at = text.find(_HEAD, end)
    return found


def _reversed_start(text: str, head: int) -> int:
    """Return where the line begins that names the class, above the frames of a traceback in reverse, or -1."""
    start, frames = head, 0
    for _ in range(_MOST_ANCHORS):
        before = text.rfind("\n", 0, start - 1) + 1
        line = text[before:start]
        if not start or not line.strip():
            return -1
        frames += line.lstrip().startswith(_FRAME)
        if start == head and not frames:
            return -1
        if not line[0].isspace() and re.match(_CLASS_LINE, line):
            return before
        start = before
    return -1
