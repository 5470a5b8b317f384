"""What each command of `whyraise` does; it imports what it needs when it runs, since `explain` must start at once.

Each takes the parsed arguments and the settings, writes to standard output, and returns an exit code.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain

from whyraise.errors import BadInput, NotFound
from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from types import SimpleNamespace

    from whyraise.chat.tools import Desk
    from whyraise.knowledge.catalog import Catalog
    from whyraise.lookup.explanation import Explanation
    from whyraise.records.record import Record
    from whyraise.settings import Settings

# Exit codes: found, nothing known (or, for `check`, faults), wrong usage or input.
FOUND, NOTHING, USAGE = 0, 1, 2
# Bytes that are read at once; a text of more is explained window by window.
_PIECE = 4 << 20


def explain_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print the known errors behind a text."""
    collecting = gc.isenabled()
    gc.disable()  # what one answer makes ends with it: collecting meanwhile costs a tenth of a bare Python start
    try:
        return _explain(arguments, settings)
    finally:
        if collecting:
            gc.enable()


def _explain(arguments: SimpleNamespace, settings: Settings) -> int:
    from whyraise.reporters import select  # noqa: PLC0415

    found = _found(arguments, settings)
    form = next((name for name in select.FORMS if getattr(arguments, name)), "")
    _write(select.text_of(found, form, "" if arguments.file == "-" else arguments.file))
    if form == "github":
        select.write_summary(found)
    return FOUND if found.findings else NOTHING


def _found(arguments: SimpleNamespace, settings: Settings) -> Explanation:
    from whyraise.ask.local import ask, believed, catalog, grown_catalog  # noqa: PLC0415

    limit, least, sources = arguments.limit, arguments.min_confidence, arguments.records or ()
    pieces = _pieces(arguments.file)
    text, more = next(pieces, ""), next(pieces, "")
    if arguments.url or not more:
        whole = "".join([text, more, *pieces])
        return ask(whole, settings, limit=limit, least=least, sources=sources, url=arguments.url)
    gc.enable()  # a large log makes more than one answer
    from whyraise.lookup import stream  # noqa: PLC0415  # needed for large logs alone

    grown = grown_catalog(settings) if settings.grows() and not sources else None
    read = _progress(chain([text, more], pieces))
    found = stream.explain_stream(read, grown or catalog(settings, sources), limit=limit or settings.max_findings)
    return believed(found, least)


def run_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Run a command, and say what is known of its failure."""
    try:
        from whyraise.run.command import Told, run  # noqa: PLC0415
    except ImportError as error:
        raise BadInput("`whyraise run` needs a POSIX system: this one has no pseudo-terminals.") from error
    command = arguments.command[arguments.command[:1] == ["--"] :]
    if not command:
        raise BadInput("Name the command to run: whyraise run -- COMMAND ….")
    files = {form: path for form in ("sarif", "jsonl") if (path := getattr(arguments, form))}
    return run(command, settings, arguments.url, Told(files, arguments.github))


def grow_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Mine installed packages into the cache, for every later look-up."""
    from whyraise.installed import grow  # noqa: PLC0415

    os.nice(10)  # it may take minutes, and whoever waits for something else comes first
    targets = {name: grow.label(name) for name in arguments.targets} or grow.wanted(settings)
    grown = grow.grow(targets, settings.cache())
    _write(f"{len(grown.packages)} packages are known.\n" if grown else "Nothing was mined.\n")
    return FOUND if grown else NOTHING


def diagnose_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print why a text does not match a record."""
    from whyraise.lookup import diagnosis  # noqa: PLC0415
    from whyraise.reporters import json as json_report  # noqa: PLC0415
    from whyraise.reporters import markdown  # noqa: PLC0415

    catalog = _catalog(arguments, settings)
    found = diagnosis.diagnose(_read(arguments.file), catalog.record_of(arguments.id), catalog)
    _write_json(json_report.diagnosis(found)) if arguments.json else _write(markdown.diagnosis(found))
    return FOUND if found.matches else NOTHING


def show_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print one record."""
    from whyraise.reporters import json as json_report  # noqa: PLC0415
    from whyraise.reporters import markdown  # noqa: PLC0415

    try:
        record = _catalog(arguments, settings).record_of(arguments.id)
    except NotFound as error:
        print(f"whyraise: {error}", file=sys.stderr)  # noqa: T201
        return NOTHING
    _write_json(json_report.record(record)) if arguments.json else _write(markdown.record(record))
    return FOUND


def search_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print the records that hold some words."""
    from whyraise.knowledge import queries  # noqa: PLC0415
    from whyraise.reporters import json as json_report  # noqa: PLC0415
    from whyraise.reporters import markdown  # noqa: PLC0415

    catalog = _catalog(arguments, settings)
    found = queries.search(catalog.connection, " ".join(arguments.words), arguments.limit or 10)
    if arguments.json:
        _write_json([json_report.record(record) for record in found])
    else:
        _write("".join(f"{record.id}  {markdown.line_of(record.error_message)}\n" for record in found))
    return FOUND if found else NOTHING


def check_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print every fault and warning of records."""
    from whyraise.quality.lint import check  # noqa: PLC0415

    report = check(arguments.sources)
    for kind, remarks in (("fault", report.faults), ("warning", report.warnings)):
        for remark in remarks:
            _write(f"{kind}: {remark.file}{remark.pointer and ' ' + remark.pointer}: {remark.reason}\n")
    _write(f"{report.records} records; {len(report.faults)} faults, {len(report.warnings)} warnings.\n")
    return NOTHING if report.faults else FOUND


def build_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Compile records into one knowledge file."""
    from whyraise.knowledge.build import build  # noqa: PLC0415

    built = build(arguments.sources, arguments.out, cache=settings.cache())
    for fault in built.faults:
        print(f"set aside: {fault.file} {fault.pointer}: {fault.reason}", file=sys.stderr)  # noqa: T201
    _write(f"{built.path}: {built.records} records, digest {built.digest}\n")
    return FOUND if built.records else NOTHING


def serve_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Serve records over HTTP until stopped."""
    import uvicorn  # noqa: PLC0415

    from whyraise.main import create_app  # noqa: PLC0415

    chosen = settings._replace(sources=os.pathsep.join(arguments.sources) or settings.sources)
    uvicorn.run(create_app(chosen), host=arguments.host, port=arguments.port, server_header=False, access_log=False)
    return FOUND


def mcp_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Serve one chatbot over MCP on standard input and output until it closes them."""
    from importlib.util import find_spec  # noqa: PLC0415

    if find_spec("mcp") is None:
        raise BadInput("MCP needs the extra `mcp`: pip install 'whyraise[mcp]'.")
    import asyncio  # noqa: PLC0415

    from whyraise.chat import mcp_server, tools  # noqa: PLC0415

    desk = _desk(arguments, settings)
    asyncio.run(mcp_server.serve_stdio(mcp_server.build(lambda name, given: tools.call(name, given, desk))))
    return FOUND


def coverage_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print how much of labelled pastes is known, and how often the first answer is right."""
    from whyraise.quality import evaluate  # noqa: PLC0415

    cases = evaluate.read_cases(_read(arguments.file).splitlines(), arguments.file)
    measured = evaluate.measure(cases, _catalog(arguments, settings))
    _write_json(evaluate.as_json(measured)) if arguments.json else _write(evaluate.words(measured))
    return FOUND


def mine_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Turn the source of packages into records."""
    from whyraise.mine.mine import run  # noqa: PLC0415

    return run(arguments)


def prove_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Run records' snippets and print what held."""
    from whyraise.prove.command import run  # noqa: PLC0415

    return run(arguments)


def _desk(arguments: SimpleNamespace, settings: Settings) -> Desk:
    from whyraise.ask.local import (  # noqa: PLC0415
        Local,
        chosen,
    )
    from whyraise.chat.tools import Desk  # noqa: PLC0415
    from whyraise.knowledge import queries  # noqa: PLC0415

    given = arguments.records or ()
    local = Local(chosen(settings, given), settings, grows=settings.grows() and not given)

    def search(words: str, limit: int) -> tuple[Record, ...]:
        return queries.search(local.catalog().connection, words, limit)

    return Desk(local.explain, local.record_of, search, settings.public_url)


def _catalog(arguments: SimpleNamespace, settings: Settings) -> Catalog:
    from whyraise.ask.local import catalog  # noqa: PLC0415

    return catalog(settings, arguments.records or ())


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
