"""GitHub Actions: workflow commands are escaped and few, and the step's summary is short enough."""

from pathlib import Path

from tests.support.user_failure import CONTROLS, failure
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import github
from whyraise.reporters.annotation import annotate


def test_a_workflow_command_is_one_line_for_every_paste(folder: Path, bundled: Catalog) -> None:
    frame = f'  File "{folder}/src, a/train%.py", line 7, in <module>\n'
    text = f"Traceback (most recent call last):\n{frame}subprocess.CalledProcessError: {CONTROLS}\n"
    [command] = github.commands(annotate(explain(text, bundled), str(folder))).splitlines()
    properties, _, body = command.removeprefix("::warning ").partition("::")
    title = "Command '�%3A%3Astop-commands%3A%3Ax %250A ``` �' returned non-zero exit status 1."
    assert properties == f"file=src%2C a/train%25.py,line=7,title={title}"
    assert "%0Acommand = �::stop-commands::x %250A ``` �%0A" in body


def test_no_more_errors_are_annotated_than_github_shows(folder: Path, bundled: Catalog) -> None:
    annotations = annotate(explain(failure(folder), bundled), str(folder)) * 30
    assert len(github.commands(annotations).splitlines()) == 10


def test_the_summary_is_the_whole_answer_or_as_many_findings_as_github_accepts(folder: Path, bundled: Catalog) -> None:
    explanation = explain(failure(folder), bundled)
    assert github.summary(explanation).startswith("# Expecting value")
    long = explanation.findings[0]._replace(message="x" * 300_000)
    shortened = github.summary(explanation._replace(findings=(explanation.findings[0], long, long)))
    assert len(shortened) < 1 << 19
    assert shortened.endswith("More findings exist; ask for a higher limit.\n\n")
    assert github.summary(explain("nothing", bundled)) == ""
