"""Defines the errors of this package, as one tree.

WhyraiseError
├── BadInput            the input is invalid; the message says what is wrong, where, and what to do
│   ├── SourceError     a source of records cannot be read
│   ├── KnowledgeError  a knowledge file is foreign, truncated or of another format
│   └── PatternError    a message pattern cannot be searched for
├── NotFound            no record has that id or slug
└── Busy                too many requests are waiting; try again later
"""


class WhyraiseError(Exception):
    """Any error that this package raises on purpose."""


class BadInput(WhyraiseError):
    """The input is invalid."""


class SourceError(BadInput):
    """A source of records cannot be read."""


class KnowledgeError(BadInput):
    """A knowledge file is foreign, truncated or of another format."""


class PatternError(BadInput):
    """A message pattern cannot be searched for."""


class NotFound(WhyraiseError):
    """No record has that id or slug."""


class Busy(WhyraiseError):
    """Too many requests are waiting."""


def raise_location(error: BaseException) -> str:
    """Return where an error was raised, as `function:line`. Logs show this if the message may contain a paste."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "unknown" if trace is None else f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
