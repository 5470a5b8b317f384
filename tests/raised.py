"""Executed truth: real errors of installed packages, raised in a sandbox, looked up, and held against their raise sites.

`python -m tests.raised --errors FILE --records MINED PACKAGE…` raises, `MINED` being what `whyraise mine` gave of the
same environment, and prints the figures.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import re2

from whyraise.catalog import Catalog, open_sources
from whyraise.explain import Finding, explain
from whyraise.frames import same_file, site_of
from whyraise.index import Wording
from whyraise.sources import bundled_records

INSIDE = Path(__file__).with_name("raised_inside.py")
# Seconds in which a package is called, and errors of each that are kept.
SECONDS, MOST = 60, 40


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

    def sited(self, class_name: str, function: str) -> tuple[Wording, ...]:
        return self._kept(self._catalog.sited(class_name, function))

    def classed(self, class_name: str) -> tuple[Wording, ...]:
        return self._kept(self._catalog.classed(class_name))


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
                    "/usr/bin:/bin", "--setenv", "OMP_NUM_THREADS", "1", "--setenv", "MPLBACKEND", "agg",
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


def share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


class Figures(NamedTuple):
    """The answers to errors: as they were printed, without frames, and each with their own package left out."""

    framed: list[Answer]
    stripped: list[Answer]
    left_out: list[Answer]
    left_out_stripped: list[Answer]

    def precision(self, confidence: str) -> tuple[int, int]:
        all_answers = [each for each in (*self.framed, *self.stripped) if each.confidence == confidence]
        return sum(each.right for each in all_answers), len(all_answers)

    def words(self) -> str:
        lines = [
            f"with frames: first right {share(sum(each.right for each in self.framed), len(self.framed))}",
            f"without:     first right {share(sum(each.right for each in self.stripped), len(self.stripped))}",
            *(f"{name} right: {share(*self.precision(name))}" for name in ("exact", "likely")),
        ]
        for name, answers in (("framed", self.left_out), ("stripped", self.left_out_stripped)):
            for confidence in ("exact", "likely"):
                count = sum(each.confidence == confidence for each in answers)
                lines.append(f"left out, {name}: {confidence} {share(count, len(answers))}")
        return "\n".join(lines)


def measure(errors: Sequence[Error], catalog: Catalog) -> Figures:
    found = Figures([], [], [], [])
    for error in errors:
        own = Without(catalog, site_of(error.file).partition("/")[0])
        found.framed.append(answer(error.text, error, catalog, equals=False))
        found.stripped.append(answer(error.stripped, error, catalog, equals=True))
        found.left_out.append(answer(error.text, error, own, equals=False))  # type: ignore[arg-type]
        found.left_out_stripped.append(answer(error.stripped, error, own, equals=True))  # type: ignore[arg-type]
    return found


def main() -> None:
    parser = argparse.ArgumentParser("tests.raised")
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--errors", required=True, help="a file of errors, written where packages are named")
    parser.add_argument("--records", default="", help="records mined from the same environment")
    parser.add_argument("--cache", default="")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    given = parser.parse_args()
    path = Path(given.errors)
    if given.packages:
        raised = [error for package in given.packages for error in raise_errors(package, given.seconds)]
        path.write_text("".join(json.dumps(error._asdict()) + "\n" for error in raised), "utf-8")
    errors = different(Error(**json.loads(line)) for line in path.read_text("utf-8").splitlines())
    print(f"{len(errors)} errors of {len({error.package for error in errors})} packages")  # noqa: T201
    if given.records:
        with tempfile.TemporaryDirectory() as folder:
            catalog = open_sources([bundled_records(), *given.records.split(os.pathsep)], given.cache or folder)
            figures = measure(errors, catalog)
            for error, framed, stripped, out in zip(
                errors, figures.framed, figures.stripped, figures.left_out, strict=True
            ):
                for name, each in (("framed", framed), ("stripped", stripped), ("left out", out)):
                    if not each.right and (name != "left out" or each.confidence in ("exact", "likely")):
                        site = f"{site_of(error.file)}:{error.line} {error.function}"
                        print(f"{name} {each.confidence or 'nothing'}: {error.stripped[:150]!r} {site} -> {each.found}")  # noqa: T201
            print(figures.words())  # noqa: T201


if __name__ == "__main__":
    main()
