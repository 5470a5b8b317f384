"""Executed truth: real errors of installed packages, raised in a sandbox, looked up, and held against their raise sites.

`python -m tests.truth.raised --errors FILE --records MINED PACKAGE…` raises, `MINED` being what `whyraise mine` gave of the
same environment, prints the figures, and fails where one is not what is asked of it. `make truth` does all of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import re2

from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Finding
from whyraise.matching.wording import Wording
from whyraise.records.sources import bundled_records
from whyraise.source_paths import same_file, site_of

INSIDE = Path(__file__).with_name("raised_inside.py")
# Seconds in which a package is called, and errors of each that are kept.
SECONDS, MOST = 30, 40


class Error(NamedTuple):
    """A real error: what was printed, and what is true of it."""

    package: str
    text: str
    message: str
    error_class: str
    printed_class: str
    file: str
    line: int
    function: str

    @property
    def stripped(self) -> str:
        return f"{self.printed_class}: {self.message}\n"


class Answer(NamedTuple):
    """The first finding for an error: its confidence, and whether it is right; no finding has no confidence."""

    confidence: str
    right: bool
    found: str


class Without:
    """A catalog without the records of some files, as if their package had never been mined."""

    def __init__(self, catalog: Catalog, left_out: str) -> None:
        self._catalog, self._left_out = catalog, left_out

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def _kept(self, wordings: Iterable[Wording]) -> tuple[Wording, ...]:
        return tuple(each for each in wordings if each.site.partition("/")[0] != self._left_out)

    def wordings(self, literal: int) -> tuple[Wording, ...]:
        return self._kept(self._catalog.wordings(literal))

    def wordings_by_site(self, class_name: str, function: str) -> tuple[Wording, ...]:
        return self._kept(self._catalog.wordings_by_site(class_name, function))

    def wordings_by_class(self, class_name: str) -> tuple[Wording, ...]:
        return self._kept(self._catalog.wordings_by_class(class_name))


def raise_errors(package: str, seconds: int = SECONDS, seed: int = 1) -> Iterator[Error]:
    """Yield the different errors with a message that a package raises from its own source in a sandbox."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        with out.open("wb") as file:
            subprocess.run(
                [
                    "timeout", "-k", "1", str(seconds), "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
                    "--tmpfs", "/var/tmp", "--unshare-all", "--die-with-parent", "--new-session", "--chdir", "/var/tmp",
                    "--clearenv", "--setenv", "HOME", "/var/tmp", "--setenv", "TMPDIR", "/var/tmp", "--setenv", "PATH",
                    "/usr/bin:/bin", "--setenv", "PYTHONHASHSEED", "0", "--setenv", "OMP_NUM_THREADS", "1", "--setenv", "MPLBACKEND", "agg",
                    sys.executable, str(INSIDE), package, str(seed),
                ],
                stdout=file, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        for line in out.read_bytes().decode("utf-8", "replace").splitlines():
            try:
                error = Error(**json.loads(line))
            except ValueError:  # the last line, cut by the time limit
                continue
            if error.message.strip() and "site-packages/" in error.file:
                yield error


def raise_all(packages: Iterable[str], seconds: int = SECONDS) -> Iterator[Error]:
    """Yield what each of several packages raises, as many packages at a time as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda package: list(raise_errors(package, seconds)), packages):
            yield from found


def different(errors: Iterable[Error], most: int = MOST) -> list[Error]:
    """Return errors of different lines, so many of each package."""
    kept: dict[tuple[str, int], Error] = {}
    count: dict[str, int] = {}
    for error in errors:
        if (error.file, error.line) not in kept and count.get(error.package, 0) < most:
            kept[error.file, error.line] = error
            count[error.package] = count.get(error.package, 0) + 1
    return list(kept.values())


def is_right(found: Finding, error: Error, catalog: Catalog, *, equals: bool) -> bool:
    """Say whether a finding is the error: its pattern matches the message, path and function are the raising ones."""
    ids = [found.record.id, *found.same_as, *(found.equals if equals else ())]
    sites = [(wording, catalog.record_of(each)) for each in ids for wording in catalog.wordings_of(each)]
    return any(
        same_file(site_of(error.file), wording.site)
        and wording.function in ("", error.function)
        and re2.search("(?s)" + str(record.fields["messagePattern"]), error.message)
        for wording, record in sites
    )


def answer(text: str, error: Error, catalog: Catalog, *, equals: bool) -> Answer:
    findings = explain(text, catalog).findings
    if not findings:
        return Answer("", False, "")
    first = findings[0]
    found = f"{first.record.id} {first.record.site}:{first.record.line} {first.record.function}"
    return Answer(first.confidence, is_right(first, error, catalog, equals=equals), found)


def share(answers: Iterable[bool]) -> float:
    known = list(answers)
    return sum(known) / len(known) if known else 1.0


class Bar(NamedTuple):
    """A figure, and the least or the most that it may be."""

    name: str
    value: float
    least: float = 0.0
    most: float = 1.0

    @property
    def holds(self) -> bool:
        return self.least <= self.value <= self.most

    @property
    def words(self) -> str:
        if (self.least, self.most) == (0, 1):
            return f"{self.name}: {self.value:.1%}, nothing is asked"
        asked = f"at least {self.least:.1%}" if self.least else f"at most {self.most:.1%}"
        return f"{self.name}: {self.value:.1%}, {asked}: {'holds' if self.holds else 'DOES NOT HOLD'}"


class Figures(NamedTuple):
    """The answers to errors: as they were printed, without frames, and each with their own package left out."""

    framed: list[Answer]
    stripped: list[Answer]
    left_out: list[Answer]
    left_out_stripped: list[Answer]

    def precision(self, confidence: str) -> float:
        """Return the share of the first findings of a confidence that are right."""
        return share(each.right for each in (*self.framed, *self.stripped) if each.confidence == confidence)

    def bars(self) -> list[Bar]:
        """Return what is asked of the figures."""
        out, bare = ([each.confidence for each in found] for found in (self.left_out, self.left_out_stripped))
        return [
            Bar("with frames, first right", share(each.right for each in self.framed), least=0.98),
            Bar("without, first right", share(each.right for each in self.stripped), least=0.90),
            Bar("exact right", self.precision("exact"), least=0.995),
            Bar("likely right", self.precision("likely"), least=0.97),
            Bar("left out, exact", share(each == "exact" for each in out), most=0.01),
            Bar("left out, likely", share(each == "likely" for each in out), most=0.05),
            Bar("left out and without frames, exact", share(each == "exact" for each in bare)),
            Bar("left out and without frames, likely", share(each == "likely" for each in bare)),
        ]


def measure(errors: Sequence[Error], catalog: Catalog) -> Figures:
    found = Figures([], [], [], [])
    for error in errors:
        own = Without(catalog, site_of(error.file).partition("/")[0])
        found.framed.append(answer(error.text, error, catalog, equals=False))
        found.stripped.append(answer(error.stripped, error, catalog, equals=True))
        found.left_out.append(answer(error.text, error, own, equals=False))  # type: ignore[arg-type]
        found.left_out_stripped.append(answer(error.stripped, error, own, equals=True))  # type: ignore[arg-type]
    return found


def misses(errors: Sequence[Error], figures: Figures) -> Iterator[str]:
    """Yield a line for every answer that is not right, and for every one that is believed without knowledge of it."""
    for error, framed, stripped, out in zip(errors, figures.framed, figures.stripped, figures.left_out, strict=True):
        for name, each in (("framed", framed), ("stripped", stripped), ("left out", out)):
            if not each.right and (name != "left out" or each.confidence in ("exact", "likely")):
                site = f"{site_of(error.file)}:{error.line} {error.function}"
                yield f"{name} {each.confidence or 'nothing'}: {error.stripped[:150]!r} {site} -> {each.found}"


def main() -> int:
    parser = argparse.ArgumentParser("tests.truth.raised")
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--errors", required=True, help="a file of errors, written where packages are named")
    parser.add_argument("--records", required=True, help="records mined from the same environment")
    parser.add_argument("--cache", default="")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    given = parser.parse_args()
    path = Path(given.errors)
    if given.packages:
        raised = raise_all(given.packages, given.seconds)
        path.write_text("".join(json.dumps(error._asdict()) + "\n" for error in raised), "utf-8")
    errors = different(Error(**json.loads(line)) for line in path.read_text("utf-8").splitlines())
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(errors, open_sources([bundled_records(), given.records], given.cache or folder))
    print(*misses(errors, figures), sep="\n")  # noqa: T201
    print(f"{len(errors)} errors of {len({error.package for error in errors})} packages")  # noqa: T201
    bars = figures.bars()
    print(*(bar.words for bar in bars), sep="\n")  # noqa: T201
    return 0 if all(bar.holds for bar in bars) else 1


if __name__ == "__main__":
    raise SystemExit(main())
