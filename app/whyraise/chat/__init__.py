"""Answers for language models: short, complete in themselves, as Markdown and as data.

`tools` defines the tools and runs them, `schemas` declares them for MCP, OpenAI and Anthropic. `mcp_transport` speaks
MCP over HTTP and stdio. `concise` builds an answer, `models` defines its fields, `budget` shortens it, `markdown`
prints it. May import `lookup`, `reporters` and what is below them; `tools` gets its lookup functions from the caller.
"""
