"""Answers for language models: short, complete in themselves, as Markdown and as data.

`tools` defines the tools and runs them, `schemas` declares them for MCP, OpenAI and Anthropic, and `mcp_server` serves
them over MCP. `concise` builds an answer, `models` defines its fields, `budget` shortens it, `markdown` prints it.
May import `lookup`, `reporters` and what is below them; `tools` gets its lookup functions from the caller.
"""
