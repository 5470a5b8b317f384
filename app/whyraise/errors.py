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
