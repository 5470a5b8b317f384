"""The layers of noise around a pasted error, each a function that names what to take off.

Each asks for evidence first: ordinary text, source code and logs that went well pass through untouched.
"""

from __future__ import annotations

import re

Edit = tuple[int, int, str]

# ECMA-48: control sequences, operating system commands (titles, links), and two-byte escapes.
_ESCAPE = r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-_]"
# Carriage returns of Windows and of progress bars, invisible characters, white space that is no blank.
_TERMINAL = rf"(?P<gone>{_ESCAPE}|\r+(?=\n)|[\u200b-\u200d\u2060\ufeff\u00ad])|(?P<line>\r)|(?P<blank>[^\S \n\t\r])"

_TAG = r"</?(?:span|a|div|pre|code|font|b|i|em|strong|samp|p|li|td|tr)\b[^<>\n]*>|<br ?/?>"
_ENTITY = r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"

# A traceback inside a JSON string: its line ends are escapes.
_ESCAPED = r'Traceback \(most recent call last\):(?P<slashes>\\+)n|(?P<slashes2>\\+)n +File \\+"'
_QUOTED_LINE = r"(?m)^[ \t]*(?:>[ \t]?)+"

# What loggers, containers and schedulers put before a line, one of them after the other.
_STAMP = (
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? ?(?:std(?:out|err) [FP] |\| ?)?"
)
_SYSLOG = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w./-]+(?:\[\d+\])?: "
_KLOG = r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] "
_BUILDKIT = r"#\d+ \d+\.\d+ "
_COMPOSE = r"[\w.-]+(?: +\| ?)"
_POD = r"\[pod/[\w./-]+\] "
_PREFIX = rf"(?m)^(?:{_STAMP}|{_SYSLOG}|{_KLOG}|{_BUILDKIT}|{_POD}|{_COMPOSE})"
_PYTEST = r"(?m)^E {3}"
# What a prefix must stand before somewhere, to be taken off everywhere.
_MARKS = ("Traceback (most", 'File "', "Error: ", "Exception: ", "Error\n")
_TRACEBACK_PART = r"Traceback \(most|\s+File \"|[\w.]*(?:Error|Exception)\b"
# Lines that a prefix must stand before to be one: fewer are a coincidence.
_FEWEST = 2

_BOX_EDGE = r"(?m)^[ \t]*[╭╰┌└┏┗+][─━═┄╌-].*$"
_BOX_SIDE = r"(?m)^[ \t]*[│┃║] ?|[ \t]*[│┃║][ \t]*$"

# torchrun's and Lightning's prefixes name a rank; Ray's name a process.
_PROCESS = r"(?m)^(?P<label>\[(?:rank|default)(?P<rank>\d{1,6})\]|\((?:[\w.]+ )?pid=\d+(?:, ip=[\d.]+)?\)):? ?"


def terminal(text: str) -> list[Edit]:
    """Take off colours, titles and invisible characters; make every line end and blank a plain one."""
    if text.isascii() and not any(char in text for char in "\x1b\r\v\f\x1c\x1d\x1e\x1f"):
        return []
    if not re.search(_TERMINAL, text):
        return []
    return [(m.start(), m.end(), "" if m["gone"] else "\n" if m["line"] else " ") for m in re.finditer(_TERMINAL, text)]


def markup(text: str) -> list[Edit]:
    """Take off the tags and entities of a page that a paste was copied from as HTML."""
    if not ("</" in text or "<br" in text or "&lt;" in text or "&quot;" in text or "&#" in text):
        return []
    if not re.search(r"</(?:span|a|pre|code)>|&(?:lt|gt|quot|#\d+|#x[0-9a-fA-F]+);", text):
        return []
    from html import unescape  # noqa: PLC0415  # 5 ms, and few pastes are HTML

    found = re.finditer(f"(?P<tag>{_TAG})|{_ENTITY}", text)
    return [
        (m.start(), m.end(), ("\n" if m[0].startswith("<br") else "") if m["tag"] else unescape(m[0])) for m in found
    ]


def escapes(text: str) -> list[Edit]:
    """Undo the escapes of a traceback that was pasted as a JSON string, however often it was escaped."""
    found = re.search(_ESCAPED, text) if "\\n" in text else None
    if found is None:
        return []
    depth = len(found["slashes"] or found["slashes2"])
    run = "\\" * depth
    plain = {"n": "\n", "t": "\t", "r": "", '"': '"', "/": "/"}
    escaped = re.escape(run) + r'(?P<char>[ntr"/]|u(?P<code>[0-9a-fA-F]{4}))|(?P<slash>\\{2,})'
    edits = []
    for m in re.finditer(escaped, text):
        if m["slash"]:
            replacement = "\\" * max(1, len(m["slash"]) // (depth + 1))
        else:
            replacement = chr(int(m["code"], 16)) if m["code"] else plain[m["char"]]
        edits.append((m.start(), m.end(), replacement))
    return edits


def quotes(text: str) -> list[Edit]:
    """Take off the `> ` of quoted mail and Markdown where most lines have it."""
    if ">" not in text:
        return []
    marks = [(m.start(), m.end(), "") for m in re.finditer(_QUOTED_LINE, text)]
    lines = sum(1 for line in text.split("\n") if line.strip())
    return marks if marks and 2 * len(marks) >= lines and not text.lstrip().startswith(">>>") else []


def prefixes(text: str) -> list[Edit]:
    """Take off what loggers and containers put before lines, layer by layer, and pytest's `E`, where it repeats."""
    if not any(_has_something_before(mark, text) for mark in _MARKS):
        return []
    return _repeated(_PYTEST, text) or _repeated(_PREFIX, text)


def _has_something_before(mark: str, text: str) -> bool:
    """Say whether something stands before the first part of a traceback in its line; asking is cheaper than looking."""
    at = text.find(mark)
    before = text[text.rfind("\n", 0, max(at, 0)) + 1 : max(at, 0)].strip()
    return " " in before or "|" in before or bool(before and mark[0] in "TF")


def _repeated(pattern: str, text: str) -> list[Edit]:
    found = list(re.finditer(pattern, text))
    around = [
        m
        for m in found
        if re.match(r"\s+(?:File \"|\w)|Traceback|\w[\w.]*(?:Error|Exception)\b", text[m.end() : m.end() + 80])
    ]
    if len(found) < _FEWEST or not around:
        return []
    return [(m.start(), m.end(), "") for m in found]


def boxes(text: str) -> list[Edit]:
    """Take off the borders of boxes, as `rich` draws them around tracebacks."""
    if not any(side in text for side in "│┃║") or not re.search(_BOX_EDGE, text):
        return []
    return [(m.start(), m.end(), "") for m in re.finditer(f"{_BOX_EDGE}|{_BOX_SIDE[4:]}", text)]


def processes(text: str) -> list[tuple[int | None, list[tuple[int, int]]]]:
    """Return the lines of each process that wrote into a text, without its prefix, in the order of their first lines.

    Each process is its rank, where the prefix names one, and the stretches that are its lines. A line without a prefix
    belongs to nobody; all of those come as one. Nothing is returned where no line has a prefix.
    """
    if "]:" not in text and "pid=" not in text:
        return []
    marks = {m.start(): m for m in re.finditer(_PROCESS, text)}
    if not marks:
        return []
    found: dict[str, tuple[int | None, list[tuple[int, int]]]] = {}
    for line in re.finditer(r"[^\n]*\n|[^\n]+\Z", text):
        mark = marks.get(line.start())
        label, rank = (mark["label"], int(mark["rank"]) if mark["rank"] else None) if mark else ("", None)
        found.setdefault(label, (rank, []))[1].append((mark.end() if mark else line.start(), line.end()))
    return list(found.values())
