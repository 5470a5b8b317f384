"""Exceptions that a text only mentions within its lines: in logs, in sentences, in the output of `repr()`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from whyraise.namedtuples import NamedTuple
from whyraise.reading import messages
from whyraise.reading.messages import is_repeated
from whyraise.reading.paste import Span
from whyraise.reading.traceback_parts import CLASS_ENDING


class Mention(NamedTuple):
    """An exception that a line mentions: its class (empty if unknown), and the spans of class and message."""

    class_name: str
    header: Span
    message: Span


# `Class: message` within a line, or the `repr()` of an exception. A line with `raise` is source code.
_WITHIN_LINE = (
    rf"(?<![\w.])(?<!raise )(?P<class>(?:[A-Za-z_]\w*\.)*[A-Z]\w*{CLASS_ENDING})"
    r"(?:: (?P<message>[^\n]*)|\((?P<quote>['\"])(?P<quoted>(?:[^\\\n]|\\.)*?)(?P=quote),?\))"
)
# The full name of a class at the start of the paste.
_AT_START = r"\A(?P<class>(?:[A-Za-z_]\w*\.)+[A-Z]\w*): (?P<message>[^\n]*)"
# An exception that two processes wrote into the same line.
_REPEATED = (
    rf"(?P<class>(?:[a-z_]\w{{0,40}}\.){{0,6}}[A-Z]\w{{0,60}}?{CLASS_ENDING})[.: ]*(?P=class)[.: ]*"
    r"(?P<message>[^\n]*)"
)
# A line of a log at level ERROR, CRITICAL or FATAL.
_LOG_LINE = r"\b(?P<class>)(?:ERROR|CRITICAL|FATAL)\b[\]:| -]+(?P<message>\S[^\n]*)"
# The forms in the order in which they are tried, each with what a line must contain to have it.
_FORMS = (
    (_WITHIN_LINE, CLASS_ENDING),
    (_AT_START, r"\.[A-Z]\w*: "),
    (_REPEATED, CLASS_ENDING),
    (_LOG_LINE, r"(?:ERROR|CRITICAL|FATAL)\b"),
)
# The limit of hits that are examined for each form.
_MAX_HITS = 100


def find_mentions(text: str, limit: int) -> list[Mention]:
    """Return the exceptions of the first form that the text has any of; no message reaches beyond `limit`."""
    for form, required in _FORMS:
        found = [_mention(match, form, text, limit) for match in _matches(text, form, required)]
        if found:
            return found
    return []


def _matches(text: str, form: str, required: str) -> Iterator[re.Match[str]]:
    """Yield at most one match for each line, without class names that two processes wrote twice."""
    searched: set[int] = set()
    for hit in islice(re.finditer(required, text), _MAX_HITS):
        start = text.rfind("\n", 0, hit.start()) + 1
        if start in searched:
            continue
        searched.add(start)
        match = re.compile(form).search(text, start, messages.line_end(text, start))
        if match and not is_repeated(match["class"]):
            yield match


def _mention(match: re.Match[str], form: str, text: str, limit: int) -> Mention:
    start, end = match.span("message" if match["message"] is not None else "quoted")
    if form is _REPEATED:
        end = messages.message_ends(text, start, limit).likely
        end -= text[start:end].endswith("`")
        if is_repeated(text[start:end]):
            end = start + (end - start) // 2
    return Mention(match["class"], Span(*match.span("class")), Span(start, end))
