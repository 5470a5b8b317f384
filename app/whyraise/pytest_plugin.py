"""The pytest plugin: it explains known errors below each failed test. `-p no:whyraise` turns it off.

It does nothing while tests pass, and imports nothing else of ours until one has failed. Tests may patch anything, even
the clock and files, so failures are explained after all tests have ended. Workers of pytest-xdist send the tracebacks
with their reports, and the process that shows the reports explains them.
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

# The attribute of a report that keeps its traceback as Python prints it: pytest's own forms leave out frames.
_TRACEBACK = "whyraise_traceback"
_SECTION = "whyraise"
# The keys of failed reports in pytest's `stats`.
_FAILURE_KEYS = ("error", "failed")
# The packages of the frames below the first frame of a test.
_PYTEST_PACKAGES = ("_pytest", "pluggy")
# Characters of a traceback that are kept (its end), and of a message in the summary.
_MAX_TEXT, _MAX_MESSAGE = 1 << 16, 100


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's settings to pytest's configuration file."""
    parser.addini("whyraise", "Explain known errors below failed tests.", type="bool", default=True)
    parser.addini("whyraise_seconds", "Seconds after which no further failure is looked up.", default="10")
    parser.addini("whyraise_url", "The URL of a server to ask instead of this machine.", default="")
    parser.addini("whyraise_as_is", "Send texts to that server without masking secrets.", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Make a worker of pytest-xdist keep tracebacks before it sends its reports; other processes need no such step."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_Worker(), "whyraise-worker")


def pytest_exception_interact(call: pytest.CallInfo[object], report: Report) -> None:
    """Keep the traceback of a failure; pytest calls this only for failures."""
    _keep(call, report)


class _Worker:
    """A plugin for workers of pytest-xdist, which send a report before pytest calls `pytest_exception_interact`."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[object]) -> Iterator[None]:
        """Keep the traceback of a failure in its report."""
        outcome = yield
        if call.excinfo is not None:
            _keep(call, outcome.get_result())  # type: ignore[attr-defined]  # pluggy sends a Result


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> Iterator[None]:
    """Add a section to each failed test with a known error before pytest shows the failures; list them at the end."""
    reports = [report for key in _FAILURE_KEYS for report in terminalreporter.stats.get(key, ())]
    lines = _explain(reports, config) if reports and config.getini("whyraise") else []
    yield
    if lines:
        terminalreporter.section(_SECTION)
        for line in lines:
            terminalreporter.line(line)


def _keep(call: pytest.CallInfo[object], report: Report) -> None:
    if report.failed and call.excinfo is not None:
        with contextlib.suppress(Exception):  # the test may have patched what this needs; pytest's own form remains
            setattr(report, _TRACEBACK, _traceback(call.excinfo)[-_MAX_TEXT:])


def _traceback(raised: pytest.ExceptionInfo[BaseException]) -> str:
    """Return a traceback as Python prints it, from the first frame of the test on; "" if the test called `fail`."""
    if isinstance(raised.value, pytest.fail.Exception):
        return ""
    trace = raised.tb
    while trace.tb_next and trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in _PYTEST_PACKAGES:
        trace = trace.tb_next
    return "".join(traceback.format_exception(raised.type, raised.value, trace))


def _explain(reports: Sequence[Report], config: pytest.Config) -> list[str]:
    """Add the sections and return the lines of the summary; an exception here becomes a line and fails no test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tests' filter may turn them into errors
        try:
            return _summary_lines(reports, config)
        except Exception as error:  # noqa: BLE001
            return [f"The failures cannot be explained: {error}"]


def _summary_lines(reports: Sequence[Report], config: pytest.Config) -> list[str]:
    from whyraise.reporters import summary  # noqa: PLC0415

    explanations, lines = _explanations(dict.fromkeys(map(_text, reports)), config), []
    for report in reports:
        explanation = explanations.get(_text(report))
        if explanation and explanation.findings:
            _add_section(report, summary.explanation(explanation, str(config.invocation_params.dir)))
            lines.append(_line(report, explanation))
    skipped = sum(text not in explanations for text in filter(None, map(_text, reports)))
    note = f" {skipped} were not looked up, because the time was over (whyraise_seconds)." if skipped else ""
    return [*lines, f"{len(lines)} of {len(reports)} failures are known.{note}"]


def _explanations(texts: Iterable[str], config: pytest.Config) -> dict[str, Explanation]:
    """Look up each text, until the time is over."""
    from whyraise.ask.ask import Options, open_asker  # noqa: PLC0415
    from whyraise.settings import from_environment  # noqa: PLC0415

    url, as_is = str(config.getini("whyraise_url")), bool(config.getini("whyraise_as_is"))
    ask = open_asker(Options(from_environment(os.environ), min_confidence="likely", url=url, as_is=as_is))
    end = time.monotonic() + float(config.getini("whyraise_seconds"))
    return {text: ask(text) for text in texts if text and time.monotonic() < end}


def _text(report: Report) -> str:
    """Return the traceback of a report, or pytest's own text if it has none, as after the crash of a worker."""
    text = getattr(report, _TRACEBACK, None)
    return report.longreprtext[-_MAX_TEXT:] if text is None else str(text)


def _add_section(report: Report, text: str) -> None:
    """Add a section to a failure, in a place where pytest shows it even if it does not show captured output."""
    add = getattr(report.longrepr, "addsection", None)
    if add:
        add(_SECTION, text)
    else:
        report.sections.append((_SECTION, text))


def _line(report: Report, explanation: Explanation) -> str:
    first = explanation.findings[0]
    return f"{first.confidence} {first.record.id} {report.nodeid}: {' '.join(first.message.split())[:_MAX_MESSAGE]}"
