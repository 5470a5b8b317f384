"""Formats an answer for each place that shows it.

`json` and `from_json` write and read the answer as JSON, `markdown` formats it for people and chatbots, `terminal` for
a terminal, `summary` in a few lines. `annotation` places findings at source lines (`location`) for `github`, `sarif`
and `jsonl`; `select` picks the format that the command line asks for. May import `lookup` and what is below it.
"""
