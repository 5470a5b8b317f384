"""What logs and terminals do to a text, each as a function of it."""

import html
import json
from collections.abc import Callable


def _each(prefix: str) -> Callable[[str], str]:
    return lambda text: "".join(prefix + line for line in text.splitlines(keepends=True))


NOISES: dict[str, Callable[[str], str]] = {
    "rank prefix": _each("[rank1]: "),
    "torchrun prefix": _each("[default0]:"),
    "quoted": _each("> "),
    "time and level": _each("2026-12-01 10:00:00,123 ERROR "),
    "colours": lambda text: "".join(f"\x1b[31m{line}\x1b[0m\n" for line in text.splitlines()),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "entities": html.escape,
    "JSON line": lambda text: json.dumps({"level": "error", "message": text}),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "prose around": lambda text: f"Hello, since yesterday I get this:\n\n{text}\n\nAny idea?",
}
