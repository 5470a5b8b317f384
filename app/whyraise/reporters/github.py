"""Formats an answer for GitHub Actions: workflow commands that annotate lines, and a summary of the step.

The syntax is documented at https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.lookup.explanation import Explanation
from whyraise.reporters import markdown
from whyraise.reporters.annotation import Annotation

# GitHub shows at most 10 errors of a step, and accepts at most 1 MiB of summary from it.
_MAX_COMMANDS, _MAX_SUMMARY_BYTES = 10, 1 << 20
_ESCAPED = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
_ESCAPED_PROPERTY = {**_ESCAPED, ord(":"): "%3A", ord(","): "%2C"}


def commands(annotations: Sequence[Annotation]) -> str:
    """Return one workflow command per finding, for at most as many as GitHub shows."""
    return "".join(map(_command, annotations[:_MAX_COMMANDS]))


def summary(explanation: Explanation) -> str:
    """Return the explanation as Markdown for the step's summary, or "" if there are no findings.

    The last findings are left out if the text is longer than half of GitHub's limit.
    """
    text = f"{markdown.explanation(explanation)}\n" if explanation.findings else ""
    if (
        len(text.encode("utf-8", "replace")) <= _MAX_SUMMARY_BYTES // 2
    ):  # the step may have written a summary of its own
        return text
    return summary(explanation._replace(findings=explanation.findings[:-1], truncated=True))


def _command(annotation: Annotation) -> str:
    location = annotation.location
    place = f"file={_property(location.path)},line={location.line}," if location else ""
    text = annotation.text.rstrip().translate(_ESCAPED)
    return f"::{annotation.level} {place}title={_property(annotation.title)}::{text}\n"


def _property(text: str) -> str:
    return text.translate(_ESCAPED_PROPERTY)
