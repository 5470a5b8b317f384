"""The two blocks of a published fix: the code that fails and the code that does not."""

from __future__ import annotations

from whyraise.errors import BadInput


def split_fix(text: str) -> tuple[str, str]:
    """Return the blocks after the `# before` and `# after` marks of a fix; raise `BadInput` without both."""
    blocks: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        mark = line.strip().lower().removeprefix("#").strip(" :")
        if line.lstrip().startswith("#") and mark.split(" ")[0] in ("before", "after"):
            current = blocks.setdefault(mark.split(" ")[0], [])
        else:
            current.append(line)
    if set(blocks) != {"before", "after"}:
        raise BadInput("exampleFix has no `# before` and `# after` marks.")
    return "\n".join(blocks["before"]), "\n".join(blocks["after"])
