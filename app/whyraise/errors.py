"""What can go wrong, as one tree.

WhyraiseError
├── BadInput            what was handed in cannot be used; the message says what, where and what to do
│   ├── SourceError     a source of records cannot be read
│   ├── KnowledgeError  a knowledge file is foreign, truncated or of another format
│   └── PatternError    a message pattern cannot be searched for
├── NotFound            no record under that id or slug
└── Busy                too much is waiting already; try again later
"""


class WhyraiseError(Exception):
    """Anything this package raises on purpose."""


class BadInput(WhyraiseError):
    """What was handed in cannot be used."""


class SourceError(BadInput):
    """A source of records cannot be read."""


class KnowledgeError(BadInput):
    """A knowledge file is foreign, truncated or of another format."""


class PatternError(BadInput):
    """A message pattern cannot be searched for."""


class NotFound(WhyraiseError):
    """No record has that id or slug."""


class Busy(WhyraiseError):
    """Too much is waiting already."""


def place(error: BaseException) -> str:
    """Return where an error was raised, as function and line: what a log may say when the message may hold a paste."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "unknown" if trace is None else f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
