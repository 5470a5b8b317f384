"""Finds out which process wrote which line, from the labels that launchers put before lines."""

from __future__ import annotations

import re
from itertools import zip_longest

from whyraise.namedtuples import NamedTuple
from whyraise.reading.noise import Edit
from whyraise.reading.prefixes import FRAME_START, INDENT, PROCESS_LABEL, TITLE, prefixes_before

# The lines of one process: its rank and its label if they are known, and the ranges of its lines.
Lines = tuple[int | None, str, list[tuple[int, int]]]

_LABEL_SIGNS = ("[rank", "[default", "pid=", "]<std")
# A name before a bar or a colon may be a container, a host, or a task of srun.
_NAME = r"(?P<label> *(?P<rank>\d{1,6})(?=:)|[A-Za-z][\w./-]*|\[[A-Za-z][\w./-]*\])(?P<end> *\| ?|: ?| )"
_MIN_NAMED_LINES = 3


class Label(NamedTuple):
    """The name of the process that wrote the rest of a line: its offsets, its text, and the rank in it."""

    start: int
    end: int
    text: str
    rank: int | None


def find_labels(text: str) -> list[Label]:
    """Return the labels of processes in the order of the text."""
    return _launcher_labels(text) or _name_labels(text)


def find_wraps_of_labelled(text: str, labels: list[Label]) -> list[Edit]:
    """Return the edits that join lines with a label to their continuation lines, which have no label."""
    from whyraise.reading.line_wraps import find_wraps  # noqa: PLC0415  # most pastes have no labels

    return find_wraps(text, [label.start for label in labels if _starts_line(label.start, text)])


def lines_by_process(text: str, labels: list[Label]) -> list[Lines]:
    """Return the lines of each process without their labels, in the order of the processes' first lines.

    A line may have several labels, if several processes wrote into it. All lines without a label are returned as
    those of one nameless process. Without labels the result is empty.
    """
    found: dict[str, Lines] = {}
    end = 0
    for label, following in zip_longest(labels, labels[1:]):
        if end < label.start:
            found.setdefault("", (None, "", []))[2].append((end, label.start))
        end = text.find("\n", label.end) + 1 or len(text)
        end = min(end, following.start) if following else end
        found.setdefault(label.text, (label.rank, label.text, []))[2].append((label.end, end))
    if labels and end < len(text):
        found.setdefault("", (None, "", []))[2].append((end, len(text)))
    return list(found.values())


def _launcher_labels(text: str) -> list[Label]:
    """Return launchers' labels at the start of lines, and those of ranks also within lines."""
    if not any(sign in text for sign in _LABEL_SIGNS):
        return []
    matches = [
        match
        for match in re.finditer(PROCESS_LABEL, text)
        if _starts_line(match.start(), text) or (match["rank"] and match[0].rstrip()[-1] == ":")
    ]
    if not any(_starts_line(match.start(), text) for match in matches):
        return []
    return [
        Label(match.start(), match.end(), match["label"].strip("()"), _number(match["rank"] or match["mpi"]))
        for match in matches
    ]


def _starts_line(position: int, text: str) -> bool:
    return not position or text[position - 1] == "\n"


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _name_labels(text: str) -> list[Label]:
    """Return the names that stand before the first line of a traceback and before its frames."""
    prefixes = {prefix for prefix, _ in prefixes_before(TITLE, text) if re.fullmatch(_NAME, prefix)}
    if not prefixes:
        return []
    names = "|".join(map(re.escape, sorted({prefix.strip() for prefix in prefixes}, key=len, reverse=True)))
    matches = list(re.finditer(f"(?m)^ *(?P<label>{names}) ?", text))
    has_frame = any(text.startswith(INDENT + FRAME_START, match.end()) for match in matches)
    if len(matches) < _MIN_NAMED_LINES or not has_frame:
        return []
    return [_name_label(match) for match in matches]


def _name_label(match: re.Match[str]) -> Label:
    """Return a name as a label; `srun --label` puts the number of the task before a line, which is its rank."""
    name = match["label"].rstrip(" |:")
    return Label(match.start(), match.end(), name, int(name) if name.isdigit() else None)
