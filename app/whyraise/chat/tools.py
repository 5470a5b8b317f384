"""The three tools that a chatbot can call: their arguments, their answers, and the functions behind them.

MCP and plain tool calls over HTTP use the same tools; each of them only adds its protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from whyraise.chat import budget, concise, models
from whyraise.chat.budget import Detail
from whyraise.errors import BadInput
from whyraise.lookup.explanation import Explanation
from whyraise.records.record import Record

# Maximum characters of a pasted text. The HTTP and MCP servers limit the bytes of a request.
MAX_TEXT = 2 * 1024 * 1024
_DETAIL = "concise: at most 6,000 characters, for a first answer; detailed: at most 24,000, with source and triggers."


class Backend(NamedTuple):
    """The functions that the tools look things up with.

    `explain` takes a text and the maximum number of findings. `search` takes words and the maximum number of records.
    `base_url` is the prefix of permanent addresses.
    """

    explain: Callable[[str, int], Explanation]
    record_of: Callable[[str], Record]
    search: Callable[[str, int], Sequence[Record]]
    base_url: str


class Result(NamedTuple):
    """The answer of a tool: as Markdown, and the same as JSON data."""

    text: str
    structured: dict[str, Any]


def _whole(value: object) -> object:
    """Return `5` for `5.0`, which JSON Schema also calls an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# How many records a search returns; `true` and "5" are no numbers.
_RecordCount = Annotated[int, Field(strict=True, ge=1, le=20), BeforeValidator(_whole)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ExplainError(_Arguments):
    """Arguments of `explain_error`."""

    text: str = Field(max_length=MAX_TEXT, description="The error as it was printed: a message, a traceback or a log.")
    detail: Detail | None = Field(None, description=_DETAIL)


class GetRecord(_Arguments):
    """Arguments of `get_record`."""

    id: str = Field(max_length=300, description="A record's id, as answers cite it.")
    detail: Detail | None = Field(None, description=_DETAIL)


class SearchRecords(_Arguments):
    """Arguments of `search_records`."""

    query: str = Field(max_length=1000, description="Words; a record must contain all of them.")
    limit: _RecordCount | None = Field(None, description="Maximum number of records; default 10.")


class Tool(NamedTuple):
    """A tool: its name, its description for the model, its arguments and answer as models, an example, its function."""

    name: str
    title: str
    description: str
    arguments: type[_Arguments]
    answer: type[BaseModel]
    example: Mapping[str, str]
    run: Callable[[Any, Backend], Result]


def call(name: str, arguments: Mapping[str, Any], backend: Backend) -> Result:
    """Call a tool and return its answer.

    Raises `BadInput` if there is no such tool or the arguments are invalid, `NotFound` if no record has the id.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise BadInput(f"There is no such tool. The tools are {', '.join(TOOLS)}.")
    try:
        return tool.run(tool.arguments.model_validate(dict(arguments)), backend)
    except ValidationError as error:
        raise BadInput(f"The arguments of {name} are invalid: {_faults(tool, error)}.") from None


def _faults(tool: Tool, error: ValidationError) -> str:
    """Return what is wrong with arguments; names only the tool's own fields and repeats nothing that was sent."""
    fields = tool.arguments.model_fields
    faults = (
        f"{fault['loc'][0]}: {fault['msg']}"
        if fault["loc"] and fault["loc"][0] in fields
        else f"it takes {', '.join(fields)}"
        for fault in error.errors(include_input=False)
    )
    return "; ".join(dict.fromkeys(faults))


def _explain_error(arguments: ExplainError, backend: Backend) -> Result:
    explanation = backend.explain(arguments.text, concise.MAX_FINDINGS)
    return _fit(concise.from_explanation(explanation, backend.base_url), arguments.detail)


def _get_record(arguments: GetRecord, backend: Backend) -> Result:
    return _fit(concise.from_record(backend.record_of(arguments.id), backend.base_url), arguments.detail)


def _search_records(arguments: SearchRecords, backend: Backend) -> Result:
    limit = arguments.limit or 10
    records = backend.search(arguments.query, limit + 1)  # one more than the limit shows whether there are more
    return _fit(concise.from_records(records[:limit], backend.base_url, more=len(records) > limit), None)


def _fit(answer: BaseModel, detail: Detail | None) -> Result:
    return Result(*budget.fit(answer.model_dump(), detail or "concise"))


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "explain_error",
            "Explain an error",
            "Look up an error message, traceback or log in a library of known errors. Returns what it means, the fix, "
            "guard code, whether the fix was run, and the source. No match is an answer too.",
            ExplainError,
            models.ExplainErrorAnswer,
            {
                "text": "TypeError: Blocking backward sync is only possible if the module passed to …",
                "detail": "concise",
            },
            _explain_error,
        ),
        Tool(
            "get_record",
            "Get a known error",
            "Return one known error by its id, as other answers cite it.",
            GetRecord,
            models.GetRecordAnswer,
            {"id": "75efde825de8eed0", "detail": "detailed"},
            _get_record,
        ),
        Tool(
            "search_records",
            "Search known errors",
            "Find known errors by words. If you have the text of an error, use explain_error.",
            SearchRecords,
            models.SearchRecordsAnswer,
            {"query": "backward sync DistributedDataParallel"},
            _search_records,
        ),
    )
}
