"""What an answer says about itself, in every format for people."""

from __future__ import annotations

from collections.abc import Iterator

from whyraise.lookup.explanation import Explanation

# Maximum number of packages that are named while installed packages are being mined.
_MAX_PACKAGES = 3


def notes(explanation: Explanation) -> Iterator[str]:
    """Yield what an answer says about itself: packages still being mined, muted findings, the server that answered."""
    if explanation.growing:
        yield _growing(explanation.growing)
    if explanation.muted:
        yield f"{explanation.muted} finding{'s are' if explanation.muted > 1 else ' is'} muted."
    if explanation.server:
        yield f"Answered by {explanation.server}."


def _growing(packages: tuple[str, ...]) -> str:
    """Return the note that packages are still being mined: until then, only files that the frames name are known."""
    names = ", ".join(packages[:_MAX_PACKAGES]) + (" and others" if len(packages) > _MAX_PACKAGES else "")
    return f"Knowledge is still growing: {names} are being read. Ask again in a minute."
