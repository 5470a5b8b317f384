"""The command `whyraise`: its arguments, and what they call."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace

from whyraise.cli import commands
from whyraise.cli.commands import FOUND, USAGE
from whyraise.errors import WhyraiseError
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.settings import Settings, from_environment
from whyraise.version import VERSION

if TYPE_CHECKING:
    import argparse
    from typing import Any

    _Argument = tuple[tuple[str, ...], dict[str, Any]]
    _Run = Callable[[SimpleNamespace, Settings], int]


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


def _parse(given: list[str]) -> SimpleNamespace:
    """Return the arguments of the command that is named first.

    Anything else is for the parser that lists all commands. `argparse` takes half a bare Python start to import and to
    make a parser, so that a command without options is read without it.
    """
    for name, words, run, arguments in _COMMANDS:
        if given[:1] == [name]:
            return _simple(given[1:], run, arguments) or _parsed(name, words, run, arguments, given[1:])
    return _overview().parse_args(given, SimpleNamespace())


def _simple(given: list[str], run: _Run, arguments: list[_Argument]) -> SimpleNamespace | None:
    """Return the arguments where at most one is given and all others have defaults, or nothing."""
    first, *others = arguments
    optional = not first[0][0].startswith("-") and first[1].get("nargs") == "?"
    if not optional or len(given) > 1 or given[:1] == [""] or (given and given[0].startswith("-") and given[0] != "-"):
        return None
    values = {
        flags[0].lstrip("-").replace("-", "_"): options.get("default", _missing(options)) for flags, options in others
    }
    return SimpleNamespace(run=run, **{first[0][0]: given[0] if given else first[1].get("default")}, **values)


def _missing(options: dict[str, Any]) -> bool | None:
    return False if options.get("action") == "store_true" else None


def _parsed(name: str, words: str, run: _Run, arguments: list[_Argument], given: list[str]) -> SimpleNamespace:
    import argparse  # noqa: PLC0415

    plain = partial(argparse.HelpFormatter, width=100)
    parser = argparse.ArgumentParser(f"whyraise {name}", description=words, formatter_class=plain)
    parser.set_defaults(run=run)
    for flags, options in arguments:
        parser.add_argument(*flags, **options)
    return parser.parse_args(given, SimpleNamespace())


def _overview() -> argparse.ArgumentParser:
    import argparse  # noqa: PLC0415

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


_FILE: _Argument = (("file",), {"nargs": "?", "default": "-", "help": "a file, or - for standard input"})
_JSON: _Argument = (("--json",), {"action": "store_true", "help": "print the answer as JSON"})
_MD: _Argument = (("--md",), {"action": "store_true", "help": "print the answer as Markdown"})
_HINT: _Argument = (("--hint",), {"action": "store_true", "help": "print the answer in a few lines"})
_GITHUB: _Argument = (
    ("--github",),
    {"action": "store_true", "help": "annotate lines in GitHub Actions, and add to the summary of the step"},
)
_SARIF: _Argument = (("--sarif",), {"action": "store_true", "help": "print the answer as SARIF 2.1.0"})
_JSONL: _Argument = (("--jsonl",), {"action": "store_true", "help": "print a line of JSON per finding, for editors"})
_LEAST: _Argument = (
    ("--min-confidence",),
    {"choices": ["exact", "likely", "possible"], "default": "possible", "help": "leave out what is believed less"},
)
_LIMIT: _Argument = (("--limit",), {"type": int, "default": 0, "help": "print so many at the most"})
_RECORDS: _Argument = (
    ("--records",),
    {
        "action": "append",
        "metavar": "SOURCE",
        "help": "look up in this file, folder or URL instead of the bundled records",
    },
)
_URL: _Argument = (
    ("--url",),
    {"default": "", "metavar": "URL", "help": "send the text to this server instead of looking it up here"},
)
_SOURCES: _Argument = (("sources",), {"nargs": "+", "metavar": "SOURCE", "help": "a file, folder or URL of records"})
_ID: _Argument = (("id",), {"help": "a record's id"})

_COMMANDS: tuple[tuple[str, str, _Run, list[_Argument]], ...] = (
    (
        "explain",
        "Find the known errors behind a text.",
        commands.explain_command,
        [_FILE, _JSON, _MD, _HINT, _GITHUB, _SARIF, _JSONL, _LIMIT, _LEAST, _RECORDS, _URL],
    ),
    (
        "run",
        "Run a command as it is, and say what is known of its failure.",
        commands.run_command,
        [
            _URL,
            _GITHUB,
            (("--sarif",), {"metavar": "FILE", "help": "write what is known to this file as SARIF, or - for stderr"}),
            (("--jsonl",), {"metavar": "FILE", "help": "the same as JSON Lines"}),
            (("command",), {"nargs": "...", "metavar": "-- COMMAND …", "help": "the command and its arguments"}),
        ],
    ),
    (
        "diagnose",
        "Say why a text does not match a record.",
        commands.diagnose_command,
        [_ID, _FILE, _JSON, _MD, _RECORDS],
    ),
    ("show", "Print one record.", commands.show_command, [_ID, _JSON, _MD, _RECORDS]),
    (
        "search",
        "Find records by words.",
        commands.search_command,
        [(("words",), {"nargs": "+", "help": "words that all stand in the record"}), _JSON, _LIMIT, _RECORDS],
    ),
    ("check", "Print every fault and warning of records.", commands.check_command, [_SOURCES]),
    (
        "coverage",
        "Measure on labelled pastes how much is known and how often the first answer is right.",
        commands.coverage_command,
        [(("file",), {"metavar": "PASTES", "help": "labelled pastes as JSON Lines"}), _JSON, _RECORDS],
    ),
    (
        "build",
        "Compile records into one knowledge file.",
        commands.build_command,
        [_SOURCES, (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the file to write"})],
    ),
    (
        "mine",
        "Turn the source of packages into records of the errors that it can raise.",
        commands.mine_command,
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "a distribution, archive, folder, or stdlib"},
            ),
            (("--environment",), {"action": "store_true", "help": "mine every installed distribution"}),
            (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the .jsonl or .jsonl.zst to write"}),
            (("--repo",), {"metavar": "OWNER/NAME", "help": "the repository that a folder is a checkout of"}),
            (("--commit",), {"metavar": "SHA", "help": "the commit of that checkout"}),
            (("--excerpts",), {"choices": ["full", "link"], "default": "full", "help": "quote source, or link to it"}),
        ],
    ),
    (
        "grow",
        "Mine installed packages into the cache, once, for every later look-up.",
        commands.grow_command,
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "distributions or stdlib; none: all that is installed"},
            )
        ],
    ),
    (
        "prove",
        "Run the snippets of records in a sandbox, and say what held.",
        commands.prove_command,
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
    ("mcp", "Serve one chatbot over MCP on standard input and output.", commands.mcp_command, [_RECORDS]),
    (
        "serve",
        "Serve records over HTTP.",
        commands.serve_command,
        [
            (("sources",), {"nargs": "*", "metavar": "SOURCE", "help": "records to serve instead of the bundled ones"}),
            (("--host",), {"default": "127.0.0.1", "help": "the address to listen on"}),
            (("--port",), {"type": int, "default": 8000, "help": "the port to listen on"}),
        ],
    ),
)
