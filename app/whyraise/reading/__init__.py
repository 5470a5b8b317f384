"""From a pasted text to its exceptions, frames and source lines.

`paste` removes the noise and keeps the way back to the original offsets (with `noise`, `prefixes`, `processes`,
`line_wraps` and `line_order`). `exceptions` reads the cleaned text (with `traceback_parts`, `frames`, `messages`,
`mentions` and `source_lines`). `wrappers` knows exceptions that only report another failure; `boilerplate` knows
lines that every traceback has. May import `namedtuples` and nothing else of ours.
"""
