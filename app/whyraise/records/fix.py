"""Split a published fix into its two blocks: the code that fails and the code that works."""

from __future__ import annotations

from whyraise.errors import BadInput


def split_fix(text: str) -> tuple[str, str]:
    """Return the code after the comments `# before` and `# after`; raise `BadInput` if one of them is missing."""
    blocks: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        word = stripped.lower().removeprefix("#").strip(" :").split(" ")[0] if stripped.startswith("#") else ""
        if word in ("before", "after"):
            current = blocks.setdefault(word, [])
        else:
            current.append(line)
    if set(blocks) != {"before", "after"}:
        raise BadInput("exampleFix needs the comments `# before` and `# after`.")
    return "\n".join(blocks["before"]), "\n".join(blocks["after"])
