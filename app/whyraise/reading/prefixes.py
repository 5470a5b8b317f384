"""Finds the prefixes that loggers, containers and launchers put before every line, from the text itself.

A traceback shows where lines really begin: text before its first line that occurs again before its frames, even with
other numbers in it, is a prefix. No names of products are needed. Only prefixes that name the process of a line are
recognized by their form (see `processes`), because the lines of each process must be joined again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyraise.reading.noise import Edit

TITLE = "Traceback (most recent call last)"
INDENT, FRAME_START = "  ", 'File "'
# pytest's mark of the lines of an error; its frames contain no fixed word.
_PYTEST = "E   "
_RANKS = ("[rank", "[default")
# How a further line of a traceback begins after its prefix.
_PART = (
    r'(?:[ \t]*(?:[│┃║] *)?File "|\[(?:rank|default)\d|(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception)\b'
    r"|[\w./\\~-]+\.py:\d+:)"
)
# Fields of a prefix: numbers and hexadecimal ids change from line to line, and so does their padding.
_FIELD = r"[ \t]+(?=\d)|\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+|[^\d \t]+|[ \t]+"
# No logger writes a longer prefix.
MAX_PREFIX = 300
# The limits of forms of prefixes that are tried, and of lines with a marker that are examined.
_MAX_FORMS, MAX_MARKERS = 8, 2000
# A prefix must occur before another part of a traceback within this many characters.
_NEIGHBOURHOOD = 20_000
# A prefix must occur before at least this many lines; before a single line it may be a coincidence.
_MIN_LINES = 2
# Launchers' names for the process that wrote a line: ranks of PyTorch and Lightning, processes of Ray and of Open MPI.
PROCESS_LABEL = (
    r"(?P<label>\[(?:rank|default)(?P<rank>\d{1,6})\]|\((?:[\w.]+ )?pid=\d+(?:, ip=[\d.]+)?\)"
    r"|\[\d+,(?P<mpi>\d+)\]<std(?:err|out)>):? ?"
)
# A prefix ends before the name of a process and before the side of a box: later layers remove these.
_NOT_PREFIX = rf"{PROCESS_LABEL}|[│┃║]"


def find_prefixes(text: str) -> list[Edit]:
    """Return the edits that remove tracebacks' prefixes from every line that has one and join wrapped lines."""
    edits: dict[int, Edit] = {}
    for form in _forms(text):
        matches = list(re.finditer(form, text))
        if len(matches) >= _MIN_LINES:
            for match in matches:
                edits.setdefault(match.start(), (match.start(), match.end(), ""))
    if not edits:
        return []
    starts = sorted(edits)
    from whyraise.reading.line_wraps import find_wraps  # noqa: PLC0415  # most pastes have no prefixes

    return sorted([*(edits[start] for start in starts), *find_wraps(text, starts)])


def prefixes_before(marker: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield each prefix before a traceback marker, with the offset where it ends.

    A prefix ends before the name of a process or the side of a box, if it contains one.
    """
    position = text.find(marker)
    for _ in range(MAX_MARKERS):
        if position < 0:
            return
        start = text.rfind("\n", 0, position) + 1
        is_short = position - start <= MAX_PREFIX
        prefix = text[start:position].removesuffix(INDENT if marker is FRAME_START else "") if is_short else ""
        if inside := re.search(_NOT_PREFIX, prefix):
            prefix = prefix[: inside.start()]
        if prefix.strip() and '"' not in prefix:
            yield prefix, start + len(prefix)
        position = text.find(marker, position + 1)


def _forms(text: str) -> list[str]:
    """Return the forms of prefixes as expressions: before titles of tracebacks, or else before frames or ranks."""
    tried: dict[str, bool] = {}
    for marker in (TITLE, FRAME_START, *_RANKS, _PYTEST):
        for prefix, end in prefixes_before(marker, text):
            form = _form(prefix)
            if form not in tried:
                tried[form] = _occurs_before_parts(form, text[max(0, end - _NEIGHBOURHOOD) : end + _NEIGHBOURHOOD])
            if len(tried) == _MAX_FORMS:
                break
        if any(tried.values()):
            break
    return [form for form, is_prefix in tried.items() if is_prefix]


def _occurs_before_parts(form: str, text: str) -> bool:
    """Return whether a form occurs before a further part of a traceback in the text around its first occurrence."""
    is_part = re.compile(_PART).match
    return any(is_part(text[match.end() : match.end() + 80]) for match in re.finditer(form, text))


def _form(prefix: str) -> str:
    """Return an expression for lines with this prefix or with other numbers in it; trailing whitespace is optional."""
    body = prefix.rstrip()
    tail = prefix[len(body) :]
    fields = (_field(match[0]) for match in re.finditer(_FIELD, body))
    return f"(?m)^{''.join(fields)}(?:{re.escape(tail)}|[ \t]*$)"


def _field(text: str) -> str:
    if text.isdigit():
        return r"\d+"
    if text.isspace():
        return "[ \t]*"
    return r"[0-9a-f]+" if any(char.isdigit() for char in text) else re.escape(text)
