"""What each part of the knowledge adds: labelled pastes looked up in more and more of it.

`python -m tests.truth.gains PASTES --records MINED [--environments A D]` prints the coverage of statements whose
message stands in them, of all that was followed, with fragments, with the texts of compiled modules, and with curated
records.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support.repository import RECORDS
from whyraise.knowledge.catalog import open_sources
from whyraise.quality import evaluate

PYTHON = RECORDS / "python"

Envelope = dict[str, Any]


def is_plain(found: Envelope) -> bool:
    return found["site"]["kind"] == "template" and found["site"]["made"] == "raise" and is_source(found)


def is_followed(found: Envelope) -> bool:
    return found["site"]["kind"] != "fragment" and is_source(found)


def is_source(found: Envelope) -> bool:
    return bool(found["record"]["filePath"].endswith(".py"))


PARTS: dict[str, Callable[[Envelope], bool]] = {
    "plain raise statements": is_plain,
    "and all that was followed": is_followed,
    "and fragments": is_source,
    "and texts of compiled modules": lambda _: True,
}


def parts(mined: Path, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield a name and the sources of each stage; curated records come last."""
    for number, (name, keep) in enumerate(PARTS.items()):
        kept = folder / f"{number}.jsonl"
        with mined.open(encoding="utf-8") as lines, kept.open("w", encoding="utf-8") as out:
            out.writelines(line for line in lines if keep(json.loads(line)))
        yield name, [str(kept)]
    yield "and CPython's own messages", [str(mined), str(PYTHON)]
    yield "and all curated records", [str(mined), str(RECORDS)]


def cases(path: Path, environments: list[str]) -> list[evaluate.Case]:
    lines = path.read_text("utf-8").splitlines()
    wanted = [line for line in lines if not environments or json.loads(line)["environment"] in environments]
    return list(evaluate.read_cases(wanted, str(path)))


def main() -> None:
    parser = argparse.ArgumentParser("tests.truth.gains")
    parser.add_argument("pastes", type=Path)
    parser.add_argument("--records", type=Path, required=True, help="JSON Lines that `whyraise mine` wrote")
    parser.add_argument("--environments", nargs="*", default=[])
    given = parser.parse_args()
    wanted = cases(given.pastes, given.environments)
    with tempfile.TemporaryDirectory() as folder:
        for name, sources in parts(given.records, Path(folder)):
            measured = evaluate.measure(wanted, open_sources(sources, folder))
            print(f"{name}\n{evaluate.as_text(measured)}")  # noqa: T201


if __name__ == "__main__":
    main()
