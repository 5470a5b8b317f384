"""Finds the layers of noise around a pasted error: one function for each layer returns the edits that remove it.

Each function requires evidence first, so that ordinary text, source code and logs without errors are not changed.
"""

from __future__ import annotations

import re

# Terminals narrower than this are not in use.
MIN_TERMINAL_WIDTH = 30
# Start and end offset of what is replaced, and its replacement.
Edit = tuple[int, int, str]

# ECMA-48: control sequences, operating system commands (titles, links), and two-byte escapes.
_ESCAPE = r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-_]"
# Carriage returns of Windows and of progress bars, invisible characters, and unusual whitespace.
_TERMINAL = rf"(?P<removed>{_ESCAPE}|\r+(?=\n)|[\u200b-\u200d\u2060\ufeff\u00ad])|(?P<line>\r)|(?P<blank>[^\S \n\t\r])"

# What remains of a colour whose escape character was lost. After `\x1b`, `\033` or `\u001b` as text, it was not lost.
_REMNANT = r"(?<!001[bB])(?<!x1[bB])(?<!033)\[(?:\d{1,3}(?:;\d{1,3}){0,4})?m"

_TAG = r"</?(?:span|a|div|pre|code|font|b|i|em|strong|samp|p|li|td|tr)\b[^<>\n]*>|<br ?/?>"
_ENTITY = r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"

# A traceback inside a JSON string: its line ends are escaped.
_ESCAPED = (
    r'Traceback \(most recent call last\):(?P<first>\\+)n|(?P<frame>\\+)n +File \\+"'
    r"|(?P<last>\\+)n[\w.\\\[]{0,80}Error:"
)
_QUOTED_LINE = r"(?m)^[ \t]*(?:>[ \t]?)+"

_PYTEST = r"(?m)^E(?: {3}|$)"
_PYTEST_ERROR = r"(?m)^E {3,}(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Warning|Exit|Interrupt|Failed)\b"
# A Markdown link: notebooks and editors turn every path and line number into one.
_LINK = r"\[(?P<text>[^\[\]\n]{1,300})\]\((?:vscode-notebook-cell:|command:|file:|https?:)[^()\s]{0,500}\)"
# The margin of an exception group, and its first line.
_MARGIN = r"(?m)^ *\|(?: |$)|^ *\+ (?=Exception Group Traceback)"
_GROUP = r"(?m)^ *\+ Exception Group Traceback|^ *\+(?:-\+)?-{4,} \d+ -{4,}"

_TITLE = "Traceback (most recent call last)"
_BOX_EDGE = r"(?m)^[ \t]*[╭╰┌└┏┗+][─━═┄╌-].*$"
_BOX_SIDE = r"(?m)^[ \t]*[│┃║] ?|[ \t]*[│┃║][ \t]*$"

# The ASCII characters for typographic and full-width ones, one for one.
_PLAIN = {0x2018: "'", 0x2019: "'", 0x201A: "'", 0x201C: '"', 0x201D: '"', 0x201E: '"', 0x2013: "-", 0x2212: "-"}
_PLAIN |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}


def find_terminal_codes(text: str) -> list[Edit]:
    """Return the edits that remove colours, titles and invisible characters.

    Every line end becomes a newline, and unusual whitespace a space.
    """
    form = f"{_TERMINAL}|(?P<remnant>{_REMNANT})" if "[0m" in text else _TERMINAL
    if text.isascii() and not any(char in text for char in "\x1b\r\v\f\x1c\x1d\x1e\x1f") and form is _TERMINAL:
        return []
    if not re.search(form, text):
        return []
    return [(m.start(), m.end(), "\n" if m["line"] else " " if m["blank"] else "") for m in re.finditer(form, text)]


def find_html(text: str) -> list[Edit]:
    """Return the edits that remove HTML tags and decode entities, for pastes copied as HTML."""
    if not ("</" in text or "<br" in text or "&lt;" in text or "&quot;" in text or "&#" in text):
        return []
    if not re.search(r"</(?:span|a|pre|code)>|&(?:lt|gt|quot|#\d+|#x[0-9a-fA-F]+);", text):
        return []
    from html import unescape  # noqa: PLC0415  # 5 ms, and few pastes are HTML

    found = re.finditer(f"(?P<tag>{_TAG})|{_ENTITY}", text)
    return [
        (m.start(), m.end(), ("\n" if m[0].startswith("<br") else "") if m["tag"] else unescape(m[0])) for m in found
    ]


def find_json_strings(text: str) -> list[Edit]:
    """Return the edits that decode tracebacks inside JSON strings, however often they were escaped.

    A line end is inserted where such a string begins and ends.
    """
    edits: list[Edit] = []
    end = 0
    for found in re.finditer(_ESCAPED, text) if "\\n" in text else ():
        if found.start() >= end:
            start = text.rfind("\n", end, found.start()) + 1 or end
            end = text.find("\n", found.end())
            end = len(text) if end < 0 else end
            edits += _decode(text, start, end, len(found[found.lastgroup or "first"]))
    return edits


def _decode(text: str, start: int, end: int, depth: int) -> list[Edit]:
    """Return the edits that decode the text from `start` to `end`, in which `depth` backslashes escape a character."""
    backslashes = "\\" * depth
    decoded = {"n": "\n", "t": "\t", "r": "", '"': '"', "/": "/"}
    escaped = (  # brackets that close the object after the string are not part of a message
        rf'(?P<border>(?<!\\)\\{{0,{depth - 1}}}"(?:[}}\]]{{1,4}}(?=$|\\*"))?)'
        rf'|{re.escape(backslashes)}(?P<char>[nt/r]|\\*"|u(?P<code>[0-9a-fA-F]{{4}}))'
        r"|(?P<slash>\\{2,})"
    )
    edits = []
    for m in re.compile(escaped).finditer(text, start, end):
        if m["slash"]:
            replacement = "\\" * max(1, len(m["slash"]) // (depth + 1))
        elif m["border"]:
            replacement = "\n"
        else:
            replacement = chr(int(m["code"], 16)) if m["code"] else decoded[m["char"][-1]]
        edits.append((m.start(), m.end(), replacement))
    return edits


def find_quote_marks(text: str) -> list[Edit]:
    """Return the edits that remove the `> ` of quoted mail and Markdown if most lines have it."""
    if not text.lstrip(" \t").startswith(">") and not any(start in text for start in ("\n>", "\n >", "\n\t>")):
        return []
    marks = [(m.start(), m.end(), "") for m in re.finditer(_QUOTED_LINE, text)]
    lines = sum(1 for line in text.split("\n") if line.strip())
    return marks if marks and 2 * len(marks) >= lines and not text.lstrip().startswith(">>>") else []


def find_links(text: str) -> list[Edit]:
    """Return the edits that replace Markdown links by their text, if the text contains a traceback."""
    if "](" not in text or not any(mark in text for mark in ("Traceback", 'File "', "vscode-notebook-cell:")):
        return []
    edits: list[Edit] = []
    for m in re.finditer(_LINK, text):
        edits += [(m.start(), m.start("text"), ""), (m.end("text"), m.end(), "")]
    return edits


def find_pytest_marks(text: str) -> list[Edit]:
    """Return the edits that remove the `E` that pytest prints before the lines of an error."""
    if "E   " not in text or not re.search(_PYTEST_ERROR, text):
        return []
    return [(m.start(), m.end(), "") for m in re.finditer(_PYTEST, text)]


def find_group_margins(text: str) -> list[Edit]:
    """Return the edits that remove the margins of exception groups."""
    if ("+ Exception Group" not in text and "----- 1 -----" not in text) or not re.search(_GROUP, text):
        return []
    return [(m.start(), m.end(), "") for m in re.finditer(_MARGIN, text)]


def find_typography(text: str) -> list[Edit]:
    """Return the edits that make the text as programs write it.

    Typographic and full-width punctuation becomes ASCII; a letter with combining marks becomes one character (NFC).
    """
    from unicodedata import is_normalized, normalize  # noqa: PLC0415  # needed only if nothing was found in the text

    edits = []
    for m in re.finditer(r"[\u2013-\u201e\u2212\uff01-\uff5e]|[^\W\d_][\u0300-\u036f]+", text):
        plain = m[0].translate(_PLAIN) if is_normalized("NFC", m[0]) else normalize("NFC", m[0])
        if plain != m[0]:
            edits.append((m.start(), m.end(), plain))
    return edits


def find_boxes(text: str) -> list[Edit]:
    """Return the edits that remove the boxes which `rich` draws around tracebacks, except for a title in them."""
    if not any(side in text for side in "│┃║") or not re.search(_BOX_EDGE, text):
        return []
    edits: list[Edit] = []
    for m in re.finditer(f"{_BOX_EDGE}|{_BOX_SIDE[4:]}", text):
        title = m[0].find(_TITLE)
        around_title = [(m.start(), m.start() + title, ""), (m.start() + title + len(_TITLE), m.end(), "")]
        edits += around_title if title >= 0 else [(m.start(), m.end(), "")]
    return edits
