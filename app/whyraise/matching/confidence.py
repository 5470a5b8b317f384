"""How far what is known of an exception answers for the one that came of it.

A traceback often shows what was being handled when a package raised another error. Where that other error is not
known, the first one is known as well as ever, and yet it is not known what ended the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whyraise.reading.exceptions import ExceptionBlock
from whyraise.source_paths import is_installed

_LED = ("cause", "context")
# Exceptions that only end a program: they tell nothing of what went wrong.
_ENDS = ("SystemExit", "KeyboardInterrupt", "GeneratorExit")


def limits(blocks: Sequence[ExceptionBlock], best: Mapping[int, int], unknown: int) -> list[int]:
    """Return for each exception the best place in the order of confidences that a finding about it can have.

    `best` holds the places reached so far, 0 the best, by the exception's number; `unknown` is the last place. An
    exception that code of an installed package raised limits those that led to it; one of the user's own code, which
    no knowledge can know, and one that only wraps another or ends the program, do not.
    """
    found = [0] * len(blocks)
    for number in range(len(blocks) - 2, -1, -1):
        if blocks[number].relation in _LED:
            later = blocks[number + 1]
            found[number] = found[number + 1]
            ends = later.wrapper or later.class_name in _ENDS
            if not ends and later.frames and is_installed(later.frames[-1].path):
                found[number] = max(found[number], best.get(number + 1, unknown))
    return found
