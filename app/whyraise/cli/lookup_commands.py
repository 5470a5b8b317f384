"""The commands that look something up: explain, run, diagnose, show and search.

Each takes the parsed arguments and the settings, writes to standard output, and returns an exit code. Each imports what
it needs when it runs, since `explain` must start fast.
"""

from __future__ import annotations

import gc
import sys
from itertools import chain

from whyraise.cli.exit_codes import FOUND, NOTHING
from whyraise.cli.text_io import read_chunks, read_text, show_progress, write, write_json
from whyraise.errors import BadInput, NotFound
from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from types import SimpleNamespace

    from whyraise.ask.knowledge import Knowledge
    from whyraise.lookup.explanation import Explanation
    from whyraise.settings import Settings


def explain_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print the known errors behind a text."""
    gc_was_enabled = gc.isenabled()
    gc.disable()  # the process ends after one answer, and collecting garbage takes a tenth of a bare Python start
    try:
        return _explain(arguments, settings)
    finally:
        if gc_was_enabled:
            gc.enable()


def _explain(arguments: SimpleNamespace, settings: Settings) -> int:
    from whyraise.reporters import select  # noqa: PLC0415

    explanation = _explanation(arguments, settings)
    output_format = next((name for name in select.FORMATS if getattr(arguments, name)), "")
    write(select.text_of(explanation, output_format, "" if arguments.file == "-" else arguments.file))
    if output_format == "github":
        select.write_summary(explanation)
    return FOUND if explanation.findings else NOTHING


def _explanation(arguments: SimpleNamespace, settings: Settings) -> Explanation:
    from whyraise.ask.ask import Options, open_asker  # noqa: PLC0415

    chunks = read_chunks(arguments.file)
    first, second = next(chunks, ""), next(chunks, "")
    if arguments.url or not second:
        options = Options(
            settings,
            arguments.limit,
            arguments.min_confidence,
            arguments.records or (),
            arguments.only,
            arguments.url,
            arguments.as_is,
        )
        return open_asker(options)("".join([first, second, *chunks]))
    gc.enable()  # a large log is explained window by window, which leaves garbage behind
    from whyraise.ask.answer import answer_stream  # noqa: PLC0415

    knowledge = _open(arguments, settings)
    log = show_progress(chain([first, second], chunks))
    return answer_stream(log, knowledge, limit=arguments.limit, min_confidence=arguments.min_confidence)


def run_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Run a command, and explain its failure."""
    try:
        from whyraise.run.command import Reports, run  # noqa: PLC0415
    except ImportError as error:
        raise BadInput("`whyraise run` needs a POSIX system: this one has no pseudo-terminals.") from error
    command = arguments.command[arguments.command[:1] == ["--"] :]
    if not command:
        raise BadInput("Name the command to run: whyraise run -- COMMAND ….")
    files = {name: path for name in ("sarif", "jsonl") if (path := getattr(arguments, name))}

    def explain(text: str) -> Explanation:
        from whyraise.ask.ask import Options, open_asker  # noqa: PLC0415  # most commands succeed

        return open_asker(Options(settings, url=arguments.url, as_is=arguments.as_is))(text)

    return run(command, explain, Reports(files, arguments.github))


def diagnose_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print why a text does not match a record."""
    from whyraise.lookup import diagnosis  # noqa: PLC0415
    from whyraise.reporters import json as json_report  # noqa: PLC0415
    from whyraise.reporters import markdown  # noqa: PLC0415

    record, catalog = _open(arguments, settings).find(arguments.id)
    result = diagnosis.diagnose(read_text(arguments.file), record, catalog)
    write_json(json_report.diagnosis(result)) if arguments.json else write(markdown.diagnosis(result))
    return FOUND if result.matches else NOTHING


def show_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print one record."""
    from whyraise.reporters import json as json_report  # noqa: PLC0415
    from whyraise.reporters import markdown  # noqa: PLC0415

    try:
        record = _open(arguments, settings).record_of(arguments.id)
    except NotFound as error:
        print(f"whyraise: {error}", file=sys.stderr)  # noqa: T201
        return NOTHING
    write_json(json_report.record(record)) if arguments.json else write(markdown.record(record))
    return FOUND


def search_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print the records that contain all of the words."""
    from whyraise.reporters import json as json_report  # noqa: PLC0415
    from whyraise.reporters import markdown  # noqa: PLC0415

    records = _open(arguments, settings).search(" ".join(arguments.words), arguments.limit or 10)
    if arguments.json:
        write_json([json_report.record(record) for record in records])
    else:
        write("".join(f"{record.id}  {markdown.line_of(record.error_message)}\n" for record in records))
    return FOUND if records else NOTHING


def _open(arguments: SimpleNamespace, settings: Settings) -> Knowledge:
    from whyraise.ask.ask import open_here  # noqa: PLC0415

    return open_here(settings, arguments.records or (), only=arguments.only)
