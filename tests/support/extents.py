"""The rule of extents, as short as it can be said: what each placeholder of a template stands for in a message.

An inner placeholder is what lies between its neighbours, as short as possible; a leading one starts at the message's
start; a trailing one, and one that only a short literal follows, run to the end of the message.
"""

import re

SHORT = 2


def extents(literals: list[str], message: str, leading: bool, trailing: bool) -> list[str] | None:
    """Return what lies before, between and after literals in a message that holds them, or None where it does not."""
    parts = [re.escape(literal) for literal in literals]
    short_end = not trailing and len(parts) > 1 and len(literals[-1].strip()) <= SHORT
    pattern = "(.+?)".join(parts[:-1]) + ("(.+)" if short_end else "(.+?)") * (len(parts) > 1) + parts[-1]
    whole = ("(.+?)" if leading else "") + pattern + ("(.+)" if trailing else "")
    found = re.search(whole, message, re.DOTALL)
    return None if found is None else list(found.groups())
