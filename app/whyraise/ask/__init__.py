"""Answers a text, either on this machine (`local`) or by asking a Whyraise server (`server`).

May import `lookup`, `installed`, `reporters`, `settings` and what is below them.
"""
