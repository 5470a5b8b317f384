"""The tools declared as interfaces want them: for MCP, for OpenAI's Responses, for Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel

from whyraise.tools import TOOLS, Tool

Format = Literal["openai", "anthropic", "mcp"]
Json = dict[str, Any]

# What MCP clients and OpenAI's `mcp` tool approve of without asking: nothing is changed, nothing outside is reached.
HINTS = {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False, "openWorldHint": False}
# Constraints that the strict modes of both interfaces refuse; the tools check them anyway.
_REFUSED = ("maxLength", "minimum", "maximum", "default")


def declared(format_: Format) -> list[Json]:
    """Return all tools in one format."""
    return [_FORMATS[format_](tool) for tool in TOOLS.values()]


def _mcp(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema(tool.takes),
        "outputSchema": schema(tool.gives),
        "annotations": {"title": tool.title, **HINTS},
    }


def _openai(tool: Tool) -> Json:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": _strict(tool),
        "strict": True,
    }


def _anthropic(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": _strict(tool),
        "strict": True,
        "input_examples": [dict(tool.example)],
    }


_FORMATS = {"mcp": _mcp, "openai": _openai, "anthropic": _anthropic}


def _strict(tool: Tool) -> Json:
    """Return the schema of a tool's arguments as strict modes want it: all required, what may be left out is null."""
    made = _without(schema(tool.takes), _REFUSED)
    return {**made, "required": list(made["properties"])}


def schema(model: type[BaseModel]) -> Json:
    """Return a model's JSON schema without references, which some clients do not read, and without titles."""
    made = model.model_json_schema(by_alias=True, mode="serialization")
    return dict(_inlined(_without(made, ("title",)), made.get("$defs", {})))


def _without(value: Any, names: tuple[str, ...]) -> Any:
    """Return a schema without some keywords; a property may well be called like one."""
    if isinstance(value, list):
        return [_without(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    kept = ((key, each) for key, each in value.items() if key not in names)
    return {key: _properties(each, names) if key == "properties" else _without(each, names) for key, each in kept}


def _properties(properties: Mapping[str, Any], names: tuple[str, ...]) -> Json:
    return {name: _without(each, names) for name, each in properties.items()}


def _inlined(value: Any, shapes: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inlined(each, shapes) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _inlined(_without(shapes[value["$ref"].rpartition("/")[2]], ("title",)), shapes)
    return dict(_members(value, shapes))


def _members(value: Mapping[str, Any], shapes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((key, _inlined(each, shapes)) for key, each in value.items() if key != "$defs")
