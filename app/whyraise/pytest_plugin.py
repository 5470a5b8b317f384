"""The pytest plugin: below each failed test stands what is known of its error. `-p no:whyraise` turns it off.

Nothing happens while tests pass, and nothing else of ours is imported until one has failed. Tests may patch what they
like, the clock and files too; so what failed is explained when all have ended. Workers of pytest-xdist send the
tracebacks along with their reports, and the process that shows them explains them.
"""

from __future__ import annotations

import contextlib
import os
import time
import traceback
import warnings

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from _pytest.terminal import TerminalReporter

    from whyraise.lookup.explanation import Explanation

    Report = pytest.TestReport | pytest.CollectReport

# Where a report keeps the traceback of its failure, as Python prints it: pytest's own forms leave out frames.
_TRACEBACK = "whyraise_traceback"
_SECTION = "whyraise"
# What pytest's list of reports calls those that failed.
_FAILED = ("error", "failed")
# Frames below a test's own first one.
_PYTEST = ("_pytest", "pluggy")
# Characters of a traceback that are kept (its end), and of a message in the summary.
_LONGEST, _WIDTH = 1 << 16, 100


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the off switch to pytest's configuration file."""
    parser.addini("whyraise", "Say below failed tests what is known of their errors.", type="bool", default=True)
    parser.addini("whyraise_seconds", "Seconds after which no further failure is looked up.", default="10")
    parser.addini("whyraise_url", "The server to ask instead of this machine.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Let a worker of pytest-xdist keep tracebacks before it sends its reports; other processes need not look."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_Worker(), "whyraise-worker")


def pytest_exception_interact(call: pytest.CallInfo[object], report: Report) -> None:
    """Keep the traceback of a failure; pytest calls this for failures alone."""
    _keep(call, report)


class _Worker:
    """What a worker of pytest-xdist needs: its report is sent before the failure is told to plugins."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[object]) -> Iterator[None]:
        """Keep the traceback of a failure in its report."""
        outcome = yield
        if call.excinfo is not None:
            _keep(call, outcome.get_result())  # type: ignore[attr-defined]  # pluggy sends a Result


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> Iterator[None]:
    """Add a section to each failed test whose error is known before pytest shows them, and list them at the end."""
    reports = [report for outcome in _FAILED for report in terminalreporter.stats.get(outcome, ())]
    lines = _explain(reports, config) if reports and config.getini("whyraise") else []
    yield
    if lines:
        terminalreporter.section(_SECTION)
        for line in lines:
            terminalreporter.line(line)


def _keep(call: pytest.CallInfo[object], report: Report) -> None:
    if report.failed and call.excinfo is not None:
        with contextlib.suppress(Exception):  # the test may have patched what this needs, and pytest's own form remains
            setattr(report, _TRACEBACK, _traceback(call.excinfo)[-_LONGEST:])


def _traceback(raised: pytest.ExceptionInfo[BaseException]) -> str:
    """Return a traceback as Python prints it, from the test's own first frame on; none of a test that says it fails."""
    if isinstance(raised.value, pytest.fail.Exception):
        return ""
    place = raised.tb
    while place.tb_next and place.tb_frame.f_globals.get("__name__", "").partition(".")[0] in _PYTEST:
        place = place.tb_next
    return "".join(traceback.format_exception(raised.type, raised.value, place))


def _explain(reports: Sequence[Report], config: pytest.Config) -> list[str]:
    """Add the sections and return the lines of the summary; whatever goes wrong here fails no test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tests' filter may make errors of them
        try:
            return _explained(reports, config)
        except Exception as error:  # noqa: BLE001
            return [f"The failures cannot be explained: {error}"]


def _explained(reports: Sequence[Report], config: pytest.Config) -> list[str]:
    from whyraise.reporters import summary  # noqa: PLC0415

    answers, lines = _answers(dict.fromkeys(map(_text, reports)), config), []
    for report in reports:
        found = answers.get(_text(report))
        if found and found.findings:
            _add_section(report, summary.explanation(found, str(config.invocation_params.dir)))
            lines.append(_line(report, found))
    late = sum(text not in answers for text in filter(None, map(_text, reports)))
    told = f" {late} were not looked up for want of time (whyraise_seconds)." if late else ""
    return [*lines, f"{len(lines)} of {len(reports)} failures are known.{told}"]


def _answers(texts: Iterable[str], config: pytest.Config) -> dict[str, Explanation]:
    """Look each text up, as many as time allows."""
    from whyraise.ask.local import ask  # noqa: PLC0415
    from whyraise.settings import from_environment  # noqa: PLC0415

    settings, url = from_environment(os.environ), str(config.getini("whyraise_url"))
    end = time.monotonic() + float(config.getini("whyraise_seconds"))
    return {text: ask(text, settings, least="likely", url=url) for text in texts if text and time.monotonic() < end}


def _text(report: Report) -> str:
    """Return the traceback of a report, or what pytest shows where there is none, as for a worker that crashed."""
    text = getattr(report, _TRACEBACK, None)
    return report.longreprtext[-_LONGEST:] if text is None else str(text)


def _add_section(report: Report, text: str) -> None:
    """Add a section to a failure, which pytest shows with it, even where it shows no captured output."""
    add = getattr(report.longrepr, "addsection", None)
    if add:
        add(_SECTION, text)
    else:
        report.sections.append((_SECTION, text))


def _line(report: Report, found: Explanation) -> str:
    first = found.findings[0]
    return f"{first.confidence} {first.record.id} {report.nodeid}: {' '.join(first.message.split())[:_WIDTH]}"
