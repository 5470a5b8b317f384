"""The tools declared as interfaces want them: for MCP, for OpenAI's Responses, for Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel

from whyraise.chat.tools import TOOLS, Tool

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
    """Return a model's JSON schema without what costs tokens or is not read by some clients: references and titles."""
    made = model.model_json_schema(by_alias=True, mode="serialization")
    return dict(_plain(made, made.get("$defs", {})))


def _plain(value: Any, shapes: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_plain(each, shapes) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _plain(shapes[value["$ref"].rpartition("/")[2]], shapes)
    left_out = ("$defs", "title", *(("description",) if "properties" in value else ()))
    return _keywords(value, left_out, lambda each: _plain(each, shapes))


def _without(value: Any, names: tuple[str, ...]) -> Any:
    """Return a schema without some keywords."""
    if isinstance(value, list):
        return [_without(each, names) for each in value]
    return _keywords(value, names, lambda each: _without(each, names)) if isinstance(value, dict) else value


def _keywords(schema: Mapping[str, Any], left_out: tuple[str, ...], change: Callable[[Any], Any]) -> Json:
    """Return a schema without some keywords and with the others changed; a property may be called like a keyword."""
    kept = {key: each for key, each in schema.items() if key not in left_out}
    return {
        key: {name: change(one) for name, one in each.items()} if key == "properties" else change(each)
        for key, each in kept.items()
    }
