"""Models that follow a script, behind the two common interfaces: they look an error up, and answer with what they got.

What is sent to them is checked as strictly as the interfaces do: declared tools, arguments by their strict schemas, and
one result for every call.
"""

import json
from collections.abc import Callable
from typing import Any

import jsonschema
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

# The calls of each turn, given the user's question, as names and arguments (text, where they are to be no JSON).
Script = Callable[[str], list[list[tuple[str, dict[str, Any] | str]]]]


class ScriptedModel:
    """Answers at `/v1/responses` and `/v1/messages`; `seen` holds the results that it was handed, turn by turn."""

    def __init__(self, script: Script, *, strict: bool = True) -> None:
        """Follow a script; where it is not strict, the script may call what was not declared."""
        self._script, self._strict = script, strict
        self.seen: list[list[dict[str, Any]]] = []
        routes = [
            Route("/v1/responses", self._responses, methods=["POST"]),
            Route("/v1/messages", self._messages, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)

    async def _responses(self, request: Request) -> JSONResponse:
        body = await request.json()
        assert set(body) == {"model", "instructions", "input", "tools"}
        assert all(tool["type"] == "function" and tool["strict"] for tool in body["tools"])
        schemas = {tool["name"]: tool["parameters"] for tool in body["tools"]}
        called = [item for item in body["input"] if item.get("type") == "function_call"]
        results = [item for item in body["input"] if item.get("type") == "function_call_output"]
        assert [item["call_id"] for item in called] == [item["call_id"] for item in results]
        assert all(isinstance(item["output"], str) for item in results)
        calls = self._next(body["input"][0]["content"], results, schemas)
        output = [
            {
                "type": "function_call",
                "id": f"fc_{identity}",
                "call_id": identity,
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            }
            for identity, name, arguments in calls
        ]
        said: dict[str, Any] = {
            "type": "output_text",
            "text": results[-1]["output"] if results else "",
            "annotations": [],
        }
        message = {"type": "message", "id": "msg_1", "role": "assistant", "content": [said]}
        return JSONResponse({"id": "resp_1", "output": output or [message]})

    async def _messages(self, request: Request) -> JSONResponse:
        body = await request.json()
        assert set(body) == {"model", "max_tokens", "system", "tools", "messages"}
        assert request.headers["anthropic-version"]
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["user", *["assistant", "user"] * (len(roles) // 2)]
        schemas = {tool["name"]: tool["input_schema"] for tool in body["tools"]}
        blocks = [block for message in body["messages"][1:] for block in message["content"]]
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [block for block in blocks if block["type"] == "tool_result"]
        assert called == [block["tool_use_id"] for block in results]
        calls = self._next(body["messages"][0]["content"], results, schemas)
        content = [
            {"type": "tool_use", "id": identity, "name": name, "input": arguments}
            for identity, name, arguments in calls
        ]
        said = {"type": "text", "text": results[-1]["content"][0]["text"] if results else ""}
        reason = "tool_use" if content else "end_turn"
        return JSONResponse({"id": "msg_1", "role": "assistant", "content": content or [said], "stop_reason": reason})

    def _next(
        self, question: str, results: list[dict[str, Any]], schemas: dict[str, dict[str, Any]]
    ) -> list[tuple[str, str, Any]]:
        """Return the calls of the next turn, each with an identity of its own; the last turn has none."""
        turns = self._script(question)
        before = [len(turns[number]) for number in range(len(turns))]
        turn = next((number for number in range(len(turns)) if sum(before[:number]) == len(results)), len(turns))
        self.seen.append(results[sum(before[: turn - 1]) :] if turn else [])
        calls = turns[turn] if turn < len(turns) else []
        for name, arguments in calls:
            if self._strict and isinstance(arguments, dict):
                jsonschema.validate(arguments, schemas[name])
        return [(f"call_{turn}_{number}", name, arguments) for number, (name, arguments) in enumerate(calls)]
