"""Exceptions that only report that something else failed, and what to paste instead of them."""

from __future__ import annotations

import re

_CLASSES = {
    "ChildFailedError": "This is torchrun's summary: it only says which rank failed. Paste what that rank printed, from"
    " its `Traceback (most recent call last):` to its last line.",
    "ProcessRaisedException": "This only says that a spawned process failed. Paste the part that follows `terminated"
    " with the following error:`.",
    "ProcessExitedException": "This only says that a spawned process ended. Paste what that process printed before.",
    "RayTaskError": "This only says that a task elsewhere failed. Paste the traceback below it, to its last line.",
}
# How such a message begins, all of it as an expression, and the advice: the words of torch's data loader and data
# parallelism.
_MESSAGES = (
    (
        "Caught ",
        r"Caught \w+ in (?:DataLoader worker process|replica|pin memory thread)",
        "This only says that a worker failed. Paste the part that follows `Original Traceback`, to its last line.",
    ),
    (
        "DataLoader worker (pid(s)",
        r"DataLoader worker \(pid\(s\) [\d, ]+\) exited unexpectedly",
        "This only says that a worker ended. Paste what stands above it, from `Traceback (most recent call last):`;"
        " with num_workers=0 the error is raised where it happens.",
    ),
)
# What pip ends with when a command that it ran failed.
PIP = (
    "This is how pip ends when a command that it ran failed. Paste that command's own output, above it: the part"
    " between `[… lines of output]` and `[end of output]`."
)


def advice(class_name: str, message: str) -> str:
    """Return what to paste instead of a wrapper, and an empty text for any other exception."""
    name = class_name.rpartition(".")[2]
    forms = (words for start, form, words in _MESSAGES if message.startswith(start) and re.match(form, message))
    return _CLASSES.get(name) or next(forms, "")
