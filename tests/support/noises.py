"""What logs, terminals and people do to a text on its way: each adds its noise, and can take it off what was marked."""

import html
import json
import random
from collections.abc import Callable
from typing import NamedTuple


def _same(marked: str) -> str:
    return marked


class Noise(NamedTuple):
    """`add` puts a noise on a text; `undo` gives what stood there before, for characters that were changed."""

    add: Callable[[str], str]
    undo: Callable[[str], str] = _same


def each_line(prefix: str) -> Callable[[str], str]:
    """Return what puts a prefix before every line; `#` in it stands for a number that grows."""

    def add(text: str) -> str:
        lines = text.splitlines(keepends=True)
        return "".join(prefix.replace("#", f"{number:02}") + line for number, line in enumerate(lines, 1))

    return add


def folded(width: int) -> Callable[[str], str]:
    """Return what cuts every line at a width, in the middle of words too."""

    def add(text: str) -> str:
        lines = (line[at : at + width] for line in text.splitlines() for at in range(0, max(len(line), 1), width))
        return "\n".join(lines) + "\n"

    return add


def boxed(width: int) -> Callable[[str], str]:
    """Return what draws a box around a text, its lines cut at a width."""

    def add(text: str) -> str:
        rows = folded(width - 4)(text).splitlines()
        edge = "─" * (width - 2)
        return "\n".join([f"╭{edge}╮", *(f"│ {row:{width - 4}} │" for row in rows), f"╰{edge}╯"]) + "\n"

    return add


def interleaved(text: str) -> str:
    """Two ranks that say the same at the same time."""
    return "".join(f"[rank{rank}]: {line}\n" for line in text.splitlines() for rank in (0, 1))


def on_one_line(text: str) -> str:
    """Two ranks whose lines end up in one physical line, and both line ends after it."""
    return "".join(f"[rank0]: {line}[rank1]: {line}\n\n" for line in text.splitlines())


def soup(text: str) -> str:
    """A page's markup around every line and its number."""
    lines = (html.escape(line) for line in text.splitlines())
    return "".join(f'<span class="line"><a href="#L{n}"></a>{line}</span>\n' for n, line in enumerate(lines, 1))


def _from_json(marked: str) -> str:
    try:
        return str(json.loads(f'"{marked}"'))
    except ValueError:
        return f"no part of a JSON string: {marked}"


def newest_first(text: str) -> str:
    """A log viewer that shows the newest line first."""
    stamped = each_line("2026-12-01T09:31:#.123456Z ")(text).splitlines()
    return "\n".join(reversed(stamped)) + "\n"


NOISES: dict[str, Noise] = {
    "rank": Noise(each_line("[rank1]: ")),
    "torchrun": Noise(each_line("[default0]:")),
    "ray": Noise(each_line("(RayTrainWorker pid=812, ip=10.0.0.7) ")),
    "mpi": Noise(each_line("[1,3]<stderr>:")),
    "srun": Noise(each_line("3: ")),
    "two ranks": Noise(interleaved),
    "two ranks on one line": Noise(on_one_line),
    "logger": Noise(each_line("2026-12-01 10:00:#,123 ERROR train - ")),
    "docker": Noise(each_line("2026-12-01T09:31:#.123456789Z stderr F ")),
    "compose": Noise(each_line("trainer-1  | ")),
    "syslog": Noise(each_line("Dec  1 09:31:# node01 train.py[4121]: ")),
    "journald": Noise(each_line("Dec 01 09:31:# gpu-3 systemd-run[77]: ")),
    "klog": Noise(each_line("E1201 09:31:#.123456    4121 train.go:12] ")),
    "buildkit": Noise(each_line("#12 3.# ")),
    "kubectl": Noise(each_line("[pod/train-0/main] ")),
    "github": Noise(each_line("2026-12-01T09:31:#.1234567Z ")),
    "cloud": Noise(each_line("2026-12-01T09:31:#.123Z\ttrain/worker/8f2a11bc\t")),
    "own logger": Noise(each_line("<#> {node-a} train!! ")),
    "numbered": Noise(each_line(" #  ")),
    "quoted": Noise(each_line("> ")),
    "colours": Noise(lambda text: "".join(f"\x1b[31m{line}\x1b[0m\n" for line in text.splitlines())),
    "carriage returns": Noise(lambda text: text.replace("\n", "\r\n")),
    "entities": Noise(html.escape, html.unescape),
    "soup": Noise(soup, html.unescape),
    "JSON": Noise(lambda text: json.dumps({"level": "error", "message": text}), _from_json),
    "JSON twice": Noise(
        lambda text: json.dumps(json.dumps({"message": text})), lambda marked: _from_json(_from_json(marked))
    ),
    "no-break spaces": Noise(lambda text: text.replace(" ", "\u00a0")),
    "zero width": Noise(lambda text: text.replace("e", "e\u200b"), lambda marked: marked.replace("\u200b", "")),
    "newest first": Noise(newest_first),
    **{f"folded at {width}": Noise(folded(width)) for width in (40, 72, 80, 100)},
    **{f"box of {width}": Noise(boxed(width)) for width in (60, 80, 160)},
}
# What is read as one text whatever else is done to it; two that both decide where lines end make no text that exists.
SHAPING = ("folded", "box", "two ranks", "JSON", "newest", "entities", "soup")
PROSE = (
    "{}",
    "Hi all,\n\nsince yesterday I get this:\n\n{}\nAny idea? I use two GPUs.\n",
    "epoch 3 of 10\nloss 0.25\n{}\n",
)


def pasted(text: str, chance: random.Random) -> tuple[str, str, Callable[[str], str]]:
    """Return a text with one or two noises and prose around it, what was done, and how to undo it in what is marked."""
    first, second = chance.sample(sorted(NOISES), 2)
    names = [first] if chance.random() < 0.5 or _clash(first, second) else [first, second]
    for name in names:
        text = NOISES[name].add(text)

    def undo(marked: str) -> str:
        for name in reversed(names):
            marked = NOISES[name].undo(marked)
        return marked

    return chance.choice(PROSE).replace("{}", text), " + ".join(names), undo


def _clash(first: str, second: str) -> bool:
    return first.startswith(SHAPING) and second.startswith(SHAPING)
