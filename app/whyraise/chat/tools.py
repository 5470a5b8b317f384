"""What a chatbot can call: three tools, what they take and give, and the functions behind them.

The same for MCP and for plain tool calls over HTTP: a door adds its protocol and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from whyraise.chat import budget, concise
from whyraise.chat.budget import Detail
from whyraise.errors import BadInput
from whyraise.knowledge import queries
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.records.record import Record

# Text of a paste that a tool takes, in characters; its bytes are limited by the doors.
MOST_TEXT = 2 * 1024 * 1024
_DETAIL = "concise: at most 6,000 characters, for a first answer; detailed: at most 24,000, with source and triggers."


class Desk(NamedTuple):
    """What the tools look things up with.

    `explain` takes a text and the most findings to return. `base` is what permanent addresses begin with.
    """

    explain: Callable[[str, int], Explanation]
    record_of: Callable[[str], Record]
    search: Callable[[str, int], Sequence[Record]]
    base: str


def desk_of(catalog: Catalog, base: str) -> Desk:
    """Return a desk that looks things up in one catalog."""
    return Desk(
        lambda text, limit: explain(text, catalog, limit=limit),
        catalog.record_of,
        partial(queries.search, catalog.connection),
        base,
    )


class Result(NamedTuple):
    """What a tool answers: Markdown for whoever reads text, and the same as data."""

    text: str
    structured: dict[str, Any]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ExplainError(_Arguments):
    """Arguments of `explain_error`."""

    text: str = Field(max_length=MOST_TEXT, description="The error as it was printed: a message, a traceback, a log.")
    detail: Detail | None = Field(None, description=_DETAIL)


class GetRecord(_Arguments):
    """Arguments of `get_record`."""

    id: str = Field(max_length=300, description="A record's id, as answers cite it.")
    detail: Detail | None = Field(None, description=_DETAIL)


class SearchRecords(_Arguments):
    """Arguments of `search_records`."""

    query: str = Field(max_length=1000, description="Words that all stand in the record.")
    limit: Annotated[int, Field(ge=1, le=20)] | None = Field(None, description="Records at the most; 10 if not given.")


class Tool(NamedTuple):
    """A tool: its name, what a model is told of it, the shapes it takes and gives, an example, and what it does."""

    name: str
    title: str
    description: str
    takes: type[_Arguments]
    gives: type[BaseModel]
    example: Mapping[str, str]
    run: Callable[[Any, Desk], Result]


def call(name: str, arguments: Mapping[str, Any], desk: Desk) -> Result:
    """Return what a tool answers; raise `BadInput` where it does not exist or cannot use the arguments.

    Raises `NotFound` where there is no record of an id.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise BadInput(f"There is no such tool. The tools are {', '.join(TOOLS)}.")
    try:
        return tool.run(tool.takes.model_validate(dict(arguments)), desk)
    except ValidationError as error:
        raise BadInput(f"The arguments of {name} cannot be used: {_faults(tool, error)}.") from None


def _faults(tool: Tool, error: ValidationError) -> str:
    """Return what is wrong with arguments, by the tool's own names and without anything that was sent."""
    known = tool.takes.model_fields
    faults = (
        f"{one['loc'][0]}: {one['msg']}" if one["loc"] and one["loc"][0] in known else f"it takes {', '.join(known)}"
        for one in error.errors(include_input=False)
    )
    return "; ".join(dict.fromkeys(faults))


def _explain_error(given: ExplainError, desk: Desk) -> Result:
    return _fitted(concise.explained(desk.explain(given.text, concise.MOST_FINDINGS), desk.base), given.detail)


def _get_record(given: GetRecord, desk: Desk) -> Result:
    return _fitted(concise.recorded(desk.record_of(given.id), desk.base), given.detail)


def _search_records(given: SearchRecords, desk: Desk) -> Result:
    limit = given.limit or 10
    found = desk.search(given.query, limit + 1)
    return _fitted(concise.listed(found[:limit], desk.base, more=len(found) > limit), None)


def _fitted(answer: BaseModel, detail: Detail | None) -> Result:
    return Result(*budget.fitted(answer.model_dump(), detail or "concise"))


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "explain_error",
            "Explain an error",
            "Look up an error message, traceback or log in a library of known errors. Answers what it means, the fix, "
            "guard code, whether the fix was run, and where it comes from. No match is an answer too.",
            ExplainError,
            concise.Explained,
            {
                "text": "TypeError: Blocking backward sync is only possible if the module passed to …",
                "detail": "concise",
            },
            _explain_error,
        ),
        Tool(
            "get_record",
            "Get a known error",
            "Return one known error by the id that other answers cite.",
            GetRecord,
            concise.Recorded,
            {"id": "75efde825de8eed0", "detail": "detailed"},
            _get_record,
        ),
        Tool(
            "search_records",
            "Search known errors",
            "Find known errors by words. To look up an error that you have the text of, use explain_error.",
            SearchRecords,
            concise.Listed,
            {"query": "backward sync DistributedDataParallel"},
            _search_records,
        ),
    )
}
