"""The answer for GitHub Actions: workflow commands that annotate lines, and a summary of the step.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands says how they are written.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.lookup.explanation import Explanation
from whyraise.reporters import markdown
from whyraise.reporters.annotation import Annotation

# GitHub shows so many errors of one step, and takes so many bytes of summary from it.
_SHOWN, _SUMMARY = 10, 1 << 20
_ESCAPED = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
_IN_PROPERTIES = {**_ESCAPED, ord(":"): "%3A", ord(","): "%2C"}


def commands(found: Sequence[Annotation]) -> str:
    """Return a workflow command per finding, as many as are shown."""
    return "".join(map(_command, found[:_SHOWN]))


def summary(answer: Explanation) -> str:
    """Return the whole answer as Markdown that fits into the step's summary; nothing where nothing is known."""
    text = f"{markdown.explanation(answer)}\n" if answer.findings else ""
    if len(text.encode("utf-8", "replace")) <= _SUMMARY // 2:  # the step may have written a summary of its own
        return text
    return summary(answer._replace(findings=answer.findings[:-1], truncated=True))


def _command(each: Annotation) -> str:
    place = f"file={_property(each.location.path)},line={each.location.line}," if each.location else ""
    return f"::{each.level} {place}title={_property(each.title)}::{each.text.rstrip().translate(_ESCAPED)}\n"


def _property(text: str) -> str:
    return text.translate(_IN_PROPERTIES)
