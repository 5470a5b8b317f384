"""Declares the tools in the formats of MCP, OpenAI's Responses API and Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel

from whyraise.chat.tools import TOOLS, Tool

Format = Literal["openai", "anthropic", "mcp"]
Json = dict[str, Any]

# MCP clients and OpenAI's `mcp` tool run such tools without asking: they change nothing and reach nothing outside.
HINTS = {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False, "openWorldHint": False}
# Keywords that the strict modes of OpenAI and Anthropic refuse; the tools check these constraints themselves.
_REFUSED = ("maxLength", "minimum", "maximum", "default")


def declared(format_: Format) -> list[Json]:
    """Return all tools in one format."""
    return [_FORMATS[format_](tool) for tool in TOOLS.values()]


def _mcp(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema(tool.arguments),
        "outputSchema": schema(tool.answer),
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
    """Return the schema of a tool's arguments for strict modes: all are required, and an optional one may be null."""
    strict = _without(schema(tool.arguments), _REFUSED)
    return {**strict, "required": list(strict["properties"])}


def schema(model: type[BaseModel]) -> Json:
    """Return a model's JSON schema without titles, which cost tokens, and references, which some clients ignore."""
    full = model.model_json_schema(by_alias=True, mode="serialization")
    return dict(_inlined(full, full.get("$defs", {})))


def _inlined(value: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema with references replaced by their definitions, without titles and descriptions of objects."""
    if isinstance(value, list):
        return [_inlined(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _inlined(definitions[value["$ref"].rpartition("/")[2]], definitions)
    omitted = ("$defs", "title", *(("description",) if "properties" in value else ()))
    return _map_keywords(value, omitted, lambda item: _inlined(item, definitions))


def _without(value: Any, keywords: tuple[str, ...]) -> Any:
    """Return a schema without some keywords."""
    if isinstance(value, list):
        return [_without(item, keywords) for item in value]
    return _map_keywords(value, keywords, lambda item: _without(item, keywords)) if isinstance(value, dict) else value


def _map_keywords(schema: Mapping[str, Any], omitted: tuple[str, ...], change: Callable[[Any], Any]) -> Json:
    """Return a schema without some keywords and with `change` applied to the values of the others.

    A property may have the name of a keyword, so the names of properties are kept as they are.
    """
    kept = {keyword: value for keyword, value in schema.items() if keyword not in omitted}
    return {
        keyword: {name: change(item) for name, item in value.items()} if keyword == "properties" else change(value)
        for keyword, value in kept.items()
    }
