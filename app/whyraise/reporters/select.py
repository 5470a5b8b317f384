"""Selects the format in which the command line prints an answer."""

from __future__ import annotations

import os
import sys

from whyraise.lookup.explanation import Explanation

FORMATS = ("json", "md", "hint", "github", "sarif", "jsonl")


def text_of(explanation: Explanation, output_format: str, log: str = "") -> str:
    """Return an explanation in one of `FORMATS`, or for a person at a terminal if `output_format` is "".

    `log` is the path of the file that was read, or "". Each format imports only what it needs, since `explain` must
    start fast.
    """
    if output_format == "json":
        import json  # noqa: PLC0415

        from whyraise.reporters import json as json_report  # noqa: PLC0415

        return json.dumps(json_report.explanation(explanation), ensure_ascii=False, indent=2) + "\n"
    if output_format == "md":
        from whyraise.reporters import markdown  # noqa: PLC0415

        return markdown.explanation(explanation)
    if output_format == "hint":
        from whyraise.reporters import summary  # noqa: PLC0415

        return summary.explanation(explanation)
    if output_format:
        return _annotated(explanation, output_format, log)
    from whyraise.reporters import terminal  # noqa: PLC0415

    return terminal.explanation(explanation, terminal.has_color(sys.stdout, os.environ))


def _annotated(explanation: Explanation, output_format: str, log: str) -> str:
    from whyraise.reporters import github, jsonl, sarif  # noqa: PLC0415
    from whyraise.reporters.annotation import annotate  # noqa: PLC0415

    annotations = annotate(explanation, os.getcwd(), log)
    return {"github": github.commands, "jsonl": jsonl.lines, "sarif": sarif.log}[output_format](annotations)


def write_summary(explanation: Explanation) -> None:
    """Append the explanation to the summary of the current GitHub Actions step; do nothing outside of one."""
    from whyraise.reporters import github  # noqa: PLC0415

    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with open(path, "ab") as file:
            file.write(github.summary(explanation).encode("utf-8", "replace"))
