"""What a proof says of a record: its verdict, whether it still fits, and one sentence in plain words."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

from whyraise.errors import BadInput
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

CHANGED = "the record, its scenario or its correction changed since"
VERDICTS = ("proven", "corrected", "broken", "notReproduced", "unproven")
_PLAIN = {"broken": "published, fails when run", "notReproduced": "published, error not reproduced"}


class Stage(NamedTuple):
    """One thing that was run: its name, whether it held, why not, and what each rank ended with."""

    name: str
    holds: bool
    reason: str
    ranks: tuple[Mapping[str, Any], ...]


class Proof(NamedTuple):
    """What happened when a record's snippets were run; `versions` by library, `date` as YYYY-MM-DD, seconds in all."""

    id: str
    verdict: str
    stages: tuple[Stage, ...]
    ranks: int
    versions: Mapping[str, str]
    sandbox: str
    seconds: float
    date: str
    digest: str


def digest(record: Mapping[str, Any], scenario: str, correction: Mapping[str, Any] | None) -> str:
    """Return the SHA-256 over all that a proof speaks of, in hexadecimal."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load, and reading a proof does without

    parts = json.dumps([record, scenario, correction], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()


def read(text: str, where: str = "proof.json") -> Proof:
    """Return the proof that a JSON text holds; raise `BadInput` where it holds none."""
    try:
        return of(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(f"{where} is no proof: {error}. Write it anew with `whyraise prove --write`.") from error


def of(known: Mapping[str, Any]) -> Proof:
    """Return a proof from its parsed JSON; raise `ValueError`, `TypeError` or `KeyError` where it is none."""
    fields = dict(known)
    if fields["verdict"] not in VERDICTS:
        raise ValueError(f"there is no verdict {fields['verdict']!r}")
    if not isinstance(fields["versions"], Mapping) or not isinstance(fields["ranks"], int):
        raise ValueError("versions are an object and ranks a number")
    stages = tuple(Stage(**{**stage, "ranks": tuple(stage["ranks"])}) for stage in fields.pop("stages"))
    return Proof(stages=stages, **fields)


def as_json(proof: Proof) -> dict[str, Any]:
    """Return a proof as it stands in proof.json."""
    return {**proof._asdict(), "stages": [stage._asdict() for stage in proof.stages]}


def outdated(proof: Proof) -> str:
    """Return which library is installed here in another version than was proven, or nothing.

    Major and minor version count; a library that is not installed says nothing against a proof.
    """
    for name, version in proof.versions.items():
        here = installed(name)
        if here and _minor(here) != _minor(version):
            return f"{name} {here} is installed, {version} was proven"
    return ""


@cache
def installed(name: str) -> str:
    """Return the installed version of a distribution, or nothing.

    It stands in the name of a folder; `importlib.metadata` says the same, and takes a bare Python start to import.
    """
    for place in sys.path:
        with suppress(OSError), os.scandir(place or ".") as entries:
            for entry in entries:
                if entry.name.startswith(f"{name}-") and entry.name.endswith(".dist-info"):
                    return entry.name[len(name) + 1 : -len(".dist-info")]
    return ""


def failed(proof: Proof) -> frozenset[str]:
    """Return the names of the published fields of which a stage did not hold."""
    names = (stage.name.split(".")[0] for stage in proof.stages if not stage.holds)
    return frozenset("exampleFix" if name in ("before", "after") else name for name in names) - {"corrected"}


def sentence(proof: Proof | None, staleness: str = "") -> str:
    """Return the proof in plain words, such as "proven on 2 ranks, torch 2.13, lightning 2.6.6, 2026-12-01"."""
    if proof is None or proof.verdict == "unproven":
        return "published, not proven"
    ranks = f"{proof.ranks} rank{'s' if proof.ranks != 1 else ''}"
    libraries = "".join(f", {name} {version}" for name, version in proof.versions.items() if name != "python")
    start = {"proven": "proven", "corrected": "corrected: the published fix fails, the correction is proven"}
    said = f"{start.get(proof.verdict) or _PLAIN[proof.verdict]} on {ranks}{libraries}, {proof.date}"
    return f"{said}; stale: {staleness}" if staleness else said


def _minor(version: str) -> list[str]:
    return version.split("+")[0].split(".")[:2]
