"""A chatbot that looks errors up, over Anthropic's Messages interface or a server that speaks it. Asynchronous."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import httpx

from responses_loop import INSTRUCTIONS, MOST_TURNS
from whyraise_client import AsyncWhyraise, ToolResult, Unavailable


async def reply(question: str, whyraise: AsyncWhyraise, model: httpx.AsyncClient, model_name: str) -> str:
    """Return the model's answer to a question; the calls of one turn are answered at the same time."""
    tools = await whyraise.tools("anthropic")
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    for _ in range(MOST_TURNS):
        request = {
            "model": model_name,
            "max_tokens": 2_000,
            "system": INSTRUCTIONS,
            "tools": tools,
            "messages": messages,
        }
        response = (await model.post("v1/messages", json=request)).raise_for_status().json()
        if response["stop_reason"] != "tool_use":
            return "".join(block["text"] for block in response["content"] if block["type"] == "text")
        calls = [block for block in response["content"] if block["type"] == "tool_use"]
        results = await asyncio.gather(*(_looked_up(call, whyraise) for call in calls))
        messages += [{"role": "assistant", "content": response["content"]}, {"role": "user", "content": results}]
    raise RuntimeError(f"The model called tools for {MOST_TURNS} turns and never answered.")


async def _looked_up(call: dict[str, Any], whyraise: AsyncWhyraise) -> dict[str, Any]:
    try:
        result = await whyraise.call(call["name"], call["input"])
    except Unavailable as error:  # the model can still answer, and say that it could not look up
        result = ToolResult(str(error), failed=True)
    content = [{"type": "text", "text": result.content}]
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": result.failed}


async def main() -> None:
    """Answer what stands on standard input; addresses, key and model come from the environment."""
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    base = os.environ["ANTHROPIC_BASE_URL"]
    async with (
        AsyncWhyraise(os.environ.get("WHYRAISE_URL", "http://127.0.0.1:8000")) as whyraise,
        httpx.AsyncClient(base_url=base, headers=headers, timeout=60) as model,
    ):
        print(await reply(sys.stdin.read(), whyraise, model, os.environ["MODEL"]))


if __name__ == "__main__":
    asyncio.run(main())
