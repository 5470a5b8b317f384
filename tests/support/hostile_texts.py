"""Texts of a given size that are made to be slow or to break things."""

from collections.abc import Callable

from tests.support.seed import MESSAGE

_PREFIX = MESSAGE[: MESSAGE.index("_DDP")]

TEXTS: dict[str, Callable[[int], str]] = {
    "one character": lambda size: "a" * size,
    "one blank": lambda size: " " * size,
    "line ends": lambda size: "\n" * size,
    "a literal's beginning": lambda size: _PREFIX * (size // len(_PREFIX)),
    "a literal's beginning, a line each": lambda size: f"{_PREFIX}\n" * (size // (len(_PREFIX) + 1)),
    "half a message": lambda size: MESSAGE[:-20] * (size // (len(MESSAGE) - 20)),
    "whole messages": lambda size: f"{MESSAGE} " * (size // (len(MESSAGE) + 1)),
    "whole messages, a line each": lambda size: f"TypeError: {MESSAGE}\n" * (size // (len(MESSAGE) + 12)),
    "full stops after a message": lambda size: MESSAGE + "." * size,
    "every other literal": lambda size: "is wrapped in `DistributedDataParallel`. Got: " * (size // 46),
    "frames without end": lambda size: '  File "a.py", line 1, in f\n    g()\n' * (size // 36),
    "headers without end": lambda size: "ValueError: x\n" * (size // 14),
    "brackets": lambda size: "[rank0]: " * (size // 9),
    "escapes": lambda size: "\x1b[31m" * (size // 5),
    "backslashes": lambda size: "\\n\\" * (size // 3),
    "carriage returns": lambda size: "x\r" * (size // 2),
    "nul": lambda size: "\0" * size,
    "nul in messages": lambda size: MESSAGE.replace(" ", "\0") * (size // len(MESSAGE)),
    "lone surrogates": lambda size: "\ud800x" * (size // 2),
    "wide characters": lambda size: "😀é" * (size // 2),
}
