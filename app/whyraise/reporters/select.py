"""The forms in which the command line prints an answer."""

from __future__ import annotations

import os
import sys

from whyraise.lookup.explanation import Explanation

FORMS = ("json", "md", "hint", "github", "sarif", "jsonl")


def text_of(answer: Explanation, form: str, log: str = "") -> str:
    """Return an explanation in one of the forms, or for a person at a terminal where none is named.

    `log` is the file that was read, if any. Each form imports what it alone needs, since `explain` must start at once.
    """
    if form == "json":
        import json  # noqa: PLC0415

        from whyraise.reporters import json as answers  # noqa: PLC0415

        return json.dumps(answers.explanation(answer), ensure_ascii=False, indent=2) + "\n"
    if form == "md":
        from whyraise.reporters import markdown  # noqa: PLC0415

        return markdown.explanation(answer)
    if form == "hint":
        from whyraise.reporters import summary  # noqa: PLC0415

        return summary.explanation(answer)
    if form:
        return _annotated(answer, form, log)
    from whyraise.reporters import terminal  # noqa: PLC0415

    return terminal.explanation(answer, terminal.has_color(sys.stdout, os.environ))


def _annotated(answer: Explanation, form: str, log: str) -> str:
    from whyraise.reporters import github, jsonl, sarif  # noqa: PLC0415
    from whyraise.reporters.annotation import annotate  # noqa: PLC0415

    found = annotate(answer, os.getcwd(), log)
    return {"github": github.commands, "jsonl": jsonl.lines, "sarif": sarif.log}[form](found)


def write_summary(answer: Explanation) -> None:
    """Append the answer to the summary of the step of GitHub Actions that this runs in, if any."""
    from whyraise.reporters import github  # noqa: PLC0415

    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with open(path, "ab") as file:
            file.write(github.summary(answer).encode("utf-8", "replace"))
