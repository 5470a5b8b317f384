"""The commands of `whyraise`: their names, descriptions, functions and arguments.

A function is given as module and name, since a module is imported only to run one of its commands.
"""

from __future__ import annotations

from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    Argument = tuple[tuple[str, ...], dict[str, Any]]

_FILE: Argument = (("file",), {"nargs": "?", "default": "-", "help": "a file, or - for standard input"})
_JSON: Argument = (("--json",), {"action": "store_true", "help": "print the answer as JSON"})
_MD: Argument = (("--md",), {"action": "store_true", "help": "print the answer as Markdown"})
_HINT: Argument = (("--hint",), {"action": "store_true", "help": "print the answer in a few lines"})
_GITHUB: Argument = (
    ("--github",),
    {"action": "store_true", "help": "annotate lines in GitHub Actions, and add the answer to the step's summary"},
)
_SARIF: Argument = (("--sarif",), {"action": "store_true", "help": "print the answer as SARIF 2.1.0"})
_JSONL: Argument = (("--jsonl",), {"action": "store_true", "help": "print one line of JSON per finding, for editors"})
_MIN_CONFIDENCE: Argument = (
    ("--min-confidence",),
    {
        "choices": ["exact", "likely", "possible"],
        "help": "leave out findings below this confidence; default: likely if there is one, else possible",
    },
)
_LIMIT: Argument = (("--limit",), {"type": int, "default": 0, "help": "maximum number of results"})
_RECORDS: Argument = (
    ("--records",),
    {
        "action": "append",
        "metavar": "SOURCE",
        "help": "look up in the records of this file, folder or URL too",
    },
)
_ONLY: Argument = (("--only",), {"action": "store_true", "help": "look up in the records that are given alone"})
_AS_IS: Argument = (
    ("--as-is",),
    {"action": "store_true", "help": "send the text to the server without masking secrets"},
)
_URL: Argument = (
    ("--url",),
    {"default": "", "metavar": "URL", "help": "send the text to this server instead of looking it up on this machine"},
)
_SOURCES: Argument = (("sources",), {"nargs": "+", "metavar": "SOURCE", "help": "a file, folder or URL of records"})
_ID: Argument = (("id",), {"help": "a record's id"})

COMMANDS: tuple[tuple[str, str, str, list[Argument]], ...] = (
    (
        "explain",
        "Find the known errors behind a text.",
        "lookup_commands.explain_command",
        [_FILE, _JSON, _MD, _HINT, _GITHUB, _SARIF, _JSONL, _LIMIT, _MIN_CONFIDENCE, _RECORDS, _ONLY, _URL, _AS_IS],
    ),
    (
        "run",
        "Run a command unchanged, and explain its failure.",
        "lookup_commands.run_command",
        [
            _URL,
            _AS_IS,
            _GITHUB,
            (("--sarif",), {"metavar": "FILE", "help": "write the findings to this file as SARIF, or - for stderr"}),
            (
                ("--jsonl",),
                {"metavar": "FILE", "help": "write the findings to this file as JSON Lines, or - for stderr"},
            ),
            (("command",), {"nargs": "...", "metavar": "-- COMMAND …", "help": "the command and its arguments"}),
        ],
    ),
    (
        "diagnose",
        "Print why a text does not match a record.",
        "lookup_commands.diagnose_command",
        [_ID, _FILE, _JSON, _MD, _RECORDS, _ONLY],
    ),
    ("show", "Print one record.", "lookup_commands.show_command", [_ID, _JSON, _MD, _RECORDS, _ONLY]),
    (
        "search",
        "Find records that contain all of the given words.",
        "lookup_commands.search_command",
        [
            (("words",), {"nargs": "+", "help": "words; a record must contain all of them"}),
            _JSON,
            _LIMIT,
            _RECORDS,
            _ONLY,
        ],
    ),
    ("check", "Print every fault and warning of records.", "record_commands.check_command", [_SOURCES]),
    (
        "coverage",
        "Measure how many labelled pastes are known, and how often the first finding is right.",
        "record_commands.coverage_command",
        [(("file",), {"metavar": "PASTES", "help": "labelled pastes as JSON Lines"}), _JSON, _RECORDS, _ONLY],
    ),
    (
        "build",
        "Compile records into one knowledge file.",
        "record_commands.build_command",
        [_SOURCES, (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the file to write"})],
    ),
    (
        "mine",
        "Turn the source code of packages into records of the errors that it can raise.",
        "record_commands.mine_command",
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "a distribution, an archive, a folder, or stdlib"},
            ),
            (("--environment",), {"action": "store_true", "help": "mine every installed distribution"}),
            (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the .jsonl or .jsonl.zst to write"}),
            (("--repo",), {"metavar": "OWNER/NAME", "help": "the repository that the folder is a checkout of"}),
            (("--commit",), {"metavar": "SHA", "help": "the commit of that checkout"}),
            (
                ("--excerpts",),
                {"choices": ["full", "link"], "default": "full", "help": "quote the source code, or only link to it"},
            ),
        ],
    ),
    (
        "grow",
        "Mine installed packages into the cache, once for all later lookups.",
        "record_commands.grow_command",
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "distributions or stdlib; default: all that is installed"},
            )
        ],
    ),
    (
        "prove",
        "Run the snippets of records in a sandbox, and print which of them hold.",
        "record_commands.prove_command",
        [
            (("record",), {"nargs": "?", "metavar": "ID | PATH", "help": "a record's id, or a folder of records"}),
            (("--all",), {"action": "store_true", "help": "prove every record that has a scenario"}),
            (
                ("--records",),
                {"metavar": "FOLDER", "help": "look for records in this folder instead of the bundled ones"},
            ),
            (("--ranks",), {"type": int, "help": "number of ranks to run on; default: the number in the scenario"}),
            (("--write",), {"action": "store_true", "help": "write proof.json if the verdict or the stages changed"}),
            _JSON,
            (
                ("--unconfined",),
                {"action": "store_true", "help": "run without a sandbox; only for code that you trust"},
            ),
        ],
    ),
    (
        "mcp",
        "Serve one chatbot over MCP on standard input and output.",
        "server_commands.mcp_command",
        [_RECORDS, _ONLY],
    ),
    (
        "serve",
        "Serve records over HTTP.",
        "server_commands.serve_command",
        [
            (("sources",), {"nargs": "*", "metavar": "SOURCE", "help": "records to serve beside the bundled ones"}),
            _ONLY,
            (("--host",), {"default": "127.0.0.1", "help": "the address to listen on"}),
            (("--port",), {"type": int, "default": 8000, "help": "the port to listen on"}),
        ],
    ),
)
