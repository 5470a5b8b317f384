"""Wrappers: exceptions that only report that something else failed, and what to paste instead of them."""

from __future__ import annotations

import re

from whyraise.names import bare_name

_CLASSES = {
    "ChildFailedError": "This is torchrun's summary: it only says which rank failed. Paste what that rank printed, from"
    " its `Traceback (most recent call last):` to its last line.",
    "ProcessRaisedException": "This only says that a spawned process failed. Paste the part that follows `terminated"
    " with the following error:`.",
    "ProcessExitedException": "This only says that a spawned process ended. Paste what that process printed before.",
    "RayTaskError": "This only says that a remote task failed. Paste the traceback below it, to its last line.",
}
# The prefix of a message, the expression that it must match, and the advice. The messages are those of torch's data
# loader and data parallelism.
_MESSAGES = (
    (
        "Caught ",
        r"Caught \w+ in (?:DataLoader worker process|replica|pin memory thread)",
        "This only says that a worker failed. Paste the part that follows `Original Traceback`, to its last line.",
    ),
    (
        "DataLoader worker (pid(s)",
        r"DataLoader worker \(pid\(s\) [\d, ]+\) exited unexpectedly",
        "This only says that a worker ended. Paste the output above it, from `Traceback (most recent call last):`;"
        " with num_workers=0, the main process raises the error itself.",
    ),
)
# The advice for the last lines of pip after a command that it ran failed.
PIP = (
    "pip prints this when a command that it ran failed. Paste that command's own output, above it: the part"
    " between `[… lines of output]` and `[end of output]`."
)


def advice(class_name: str, message: str) -> str:
    """Return what to paste instead of a wrapper, or an empty text for any other exception."""
    name = bare_name(class_name)
    matching = (text for prefix, form, text in _MESSAGES if message.startswith(prefix) and re.match(form, message))
    return _CLASSES.get(name) or next(matching, "")
