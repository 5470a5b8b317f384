"""The command `whyraise`. Each command imports what it needs when it runs: `explain` must start at once."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from whyraise.errors import BadInput, NotFound, WhyraiseError
from whyraise.settings import Settings, from_environment
from whyraise.shape import TYPE_CHECKING
from whyraise.version import VERSION

# Exit codes: found, nothing known (or, for `check`, faults), wrong usage or input.
FOUND, NOTHING, USAGE = 0, 1, 2
# Bytes that are read at once; a text of more is explained window by window.
_PIECE = 4 << 20

if TYPE_CHECKING:
    from typing import Any

    from whyraise.catalog import Catalog

    _Argument = tuple[tuple[str, ...], dict[str, Any]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse(given)
    try:
        return arguments.run(arguments, from_environment(os.environ))  # type: ignore[no-any-return]
    except WhyraiseError as error:
        print(f"whyraise: {error}", file=sys.stderr)  # noqa: T201
        return USAGE
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except KeyboardInterrupt:
        return 130


def _parse(given: list[str]) -> argparse.Namespace:
    """Parse the arguments of the command that is named first; anything else is for the parser that lists them all.

    Parsers of all commands and the width of the terminal take 8 ms to find out, half of a bare Python start.
    """
    for name, words, run, arguments in _COMMANDS:
        if given[:1] == [name]:
            plain = partial(argparse.HelpFormatter, width=100)
            parser = argparse.ArgumentParser(f"whyraise {name}", description=words, formatter_class=plain)
            parser.set_defaults(run=run)
            for flags, options in arguments:
                parser.add_argument(*flags, **options)
            return parser.parse_args(given[1:])
    return _overview().parse_args(given)


def _overview() -> argparse.ArgumentParser:
    names = "".join(f"  {name:10} {words}\n" for name, words, *_ in _COMMANDS)
    parser = argparse.ArgumentParser(
        "whyraise",
        usage="whyraise COMMAND …",
        description="Paste any error, get the known error behind it.",
        epilog=f"commands:\n{names}\n`whyraise COMMAND --help` says more of each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"whyraise {VERSION}")
    parser.add_argument("command", choices=[name for name, *_ in _COMMANDS], metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


def _explain(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise import explain  # noqa: PLC0415

    pieces = _pieces(arguments.file)
    text, more = next(pieces, ""), next(pieces, "")
    catalog, limit = _catalog(arguments, settings), arguments.limit or settings.max_findings
    if more:
        from whyraise import stream  # noqa: PLC0415  # needed for large logs alone

        found = stream.explain_stream(_progress(chain([text, more], pieces)), catalog, limit=limit)
    else:
        found = explain.explain(text, catalog, limit=limit)
    if arguments.json:
        from whyraise import answer  # noqa: PLC0415

        _write_json(answer.explanation(found))
    elif arguments.md:
        from whyraise import markdown  # noqa: PLC0415

        _write(markdown.explanation(found))
    else:
        from whyraise import terminal  # noqa: PLC0415

        _write(terminal.explanation(found, terminal.has_color(sys.stdout, os.environ)))
    return FOUND if found.findings else NOTHING


def _diagnose(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise import answer, diagnosis, markdown  # noqa: PLC0415

    catalog = _catalog(arguments, settings)
    found = diagnosis.diagnose(_read(arguments.file), catalog.record_of(arguments.id), catalog)
    _write_json(answer.diagnosis(found)) if arguments.json else _write(markdown.diagnosis(found))
    return FOUND if found.matches else NOTHING


def _show(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise import answer, markdown  # noqa: PLC0415

    try:
        record = _catalog(arguments, settings).record_of(arguments.id)
    except NotFound as error:
        print(f"whyraise: {error}", file=sys.stderr)  # noqa: T201
        return NOTHING
    _write_json(answer.record(record)) if arguments.json else _write(markdown.record(record))
    return FOUND


def _search(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise import answer, knowledge, markdown  # noqa: PLC0415

    catalog = _catalog(arguments, settings)
    found = knowledge.search(catalog.connection, " ".join(arguments.words), arguments.limit or 10)
    if arguments.json:
        _write_json([answer.record(record) for record in found])
    else:
        _write("".join(f"{record.id}  {markdown.line_of(record.error_message)}\n" for record in found))
    return FOUND if found else NOTHING


def _check(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise.check import check  # noqa: PLC0415

    report = check(arguments.sources)
    for kind, remarks in (("fault", report.faults), ("warning", report.warnings)):
        for remark in remarks:
            _write(f"{kind}: {remark.file}{remark.pointer and ' ' + remark.pointer}: {remark.reason}\n")
    _write(f"{report.records} records; {len(report.faults)} faults, {len(report.warnings)} warnings.\n")
    return NOTHING if report.faults else FOUND


def _build(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise.build import build  # noqa: PLC0415

    built = build(arguments.sources, arguments.out, cache=settings.cache())
    for fault in built.faults:
        print(f"set aside: {fault.file} {fault.pointer}: {fault.reason}", file=sys.stderr)  # noqa: T201
    _write(f"{built.path}: {built.records} records, digest {built.digest}\n")
    return FOUND if built.records else NOTHING


def _serve(arguments: argparse.Namespace, settings: Settings) -> int:
    import uvicorn  # noqa: PLC0415

    from whyraise.main import create_app  # noqa: PLC0415

    chosen = settings._replace(sources=os.pathsep.join(arguments.sources) or settings.sources)
    uvicorn.run(create_app(chosen), host=arguments.host, port=arguments.port, server_header=False, access_log=False)
    return FOUND


def _prove(arguments: argparse.Namespace, settings: Settings) -> int:
    from whyraise.prove.command import run  # noqa: PLC0415

    return run(arguments)


def _catalog(arguments: argparse.Namespace, settings: Settings) -> Catalog:
    from whyraise.catalog import open_sources  # noqa: PLC0415
    from whyraise.sources import bundled_records  # noqa: PLC0415

    given = arguments.records or [source for source in settings.sources.split(os.pathsep) if source]
    return open_sources(given or [bundled_records()], settings.cache())


def _read(path: str) -> str:
    """Read a text; bytes that are no UTF-8 are replaced, as a paste may hold anything."""
    if path == "-":
        if sys.stdin.isatty():
            print("Paste the error, then press Ctrl-D.", file=sys.stderr)  # noqa: T201
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}. Name a file, or - for standard input.") from error


def _pieces(path: str) -> Iterator[str]:
    """Read a text piece by piece, as `_read` does whole."""
    from codecs import getincrementaldecoder  # noqa: PLC0415

    if path == "-" and sys.stdin.isatty():
        print("Paste the error, then press Ctrl-D.", file=sys.stderr)  # noqa: T201
    decoder = getincrementaldecoder("utf-8")("replace")
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            while data := file.read(_PIECE):
                yield decoder.decode(data)
            yield decoder.decode(b"", final=True)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}. Name a file, or - for standard input.") from error


def _progress(pieces: Iterable[str]) -> Iterator[str]:
    """Say on a terminal how much of a large log was read."""
    read = 0
    for piece in pieces:
        yield piece
        read += len(piece)
        if sys.stderr.isatty():
            print(f"\r{read / 1e6:,.0f} million characters read", end="", file=sys.stderr)  # noqa: T201
    if sys.stderr.isatty():
        print(file=sys.stderr)  # noqa: T201


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.flush()


def _write_json(content: object) -> None:
    import json  # noqa: PLC0415

    _write(json.dumps(content, ensure_ascii=False, indent=2) + "\n")


_FILE: _Argument = (("file",), {"nargs": "?", "default": "-", "help": "a file, or - for standard input"})
_JSON: _Argument = (("--json",), {"action": "store_true", "help": "print the answer as JSON"})
_MD: _Argument = (("--md",), {"action": "store_true", "help": "print the answer as Markdown"})
_LIMIT: _Argument = (("--limit",), {"type": int, "default": 0, "help": "print so many at the most"})
_RECORDS: _Argument = (
    ("--records",),
    {
        "action": "append",
        "metavar": "SOURCE",
        "help": "look up in this file, folder or URL instead of the bundled records",
    },
)
_SOURCES: _Argument = (("sources",), {"nargs": "+", "metavar": "SOURCE", "help": "a file, folder or URL of records"})
_ID: _Argument = (("id",), {"help": "a record's id"})

_COMMANDS: tuple[tuple[str, str, Callable[[argparse.Namespace, Settings], int], list[_Argument]], ...] = (
    ("explain", "Find the known errors behind a text.", _explain, [_FILE, _JSON, _MD, _LIMIT, _RECORDS]),
    ("diagnose", "Say why a text does not match a record.", _diagnose, [_ID, _FILE, _JSON, _MD, _RECORDS]),
    ("show", "Print one record.", _show, [_ID, _JSON, _MD, _RECORDS]),
    (
        "search",
        "Find records by words.",
        _search,
        [(("words",), {"nargs": "+", "help": "words that all stand in the record"}), _JSON, _LIMIT, _RECORDS],
    ),
    ("check", "Print every fault and warning of records.", _check, [_SOURCES]),
    (
        "build",
        "Compile records into one knowledge file.",
        _build,
        [_SOURCES, (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the file to write"})],
    ),
    (
        "prove",
        "Run the snippets of records in a sandbox, and say what held.",
        _prove,
        [
            (("record",), {"nargs": "?", "metavar": "ID | PATH", "help": "a record's id, or a folder of records"}),
            (("--all",), {"action": "store_true", "help": "prove every record that has a scenario"}),
            (("--records",), {"metavar": "FOLDER", "help": "look for records here instead of among the bundled ones"}),
            (("--ranks",), {"type": int, "help": "run on so many ranks instead of the scenario's own number"}),
            (("--write",), {"action": "store_true", "help": "write proof.json where verdict or stages changed"}),
            _JSON,
            (
                ("--unconfined",),
                {"action": "store_true", "help": "run without a sandbox: only for code that you trust"},
            ),
        ],
    ),
    (
        "serve",
        "Serve records over HTTP.",
        _serve,
        [
            (("sources",), {"nargs": "*", "metavar": "SOURCE", "help": "records to serve instead of the bundled ones"}),
            (("--host",), {"default": "127.0.0.1", "help": "the address to listen on"}),
            (("--port",), {"type": int, "default": 8000, "help": "the port to listen on"}),
        ],
    ),
)
