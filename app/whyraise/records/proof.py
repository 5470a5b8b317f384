"""Proofs: the results of running a record's snippets, read from `proof.json`, checked and described in a sentence."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from functools import cache

from whyraise.errors import BadInput
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

CHANGED = "the record, its scenario or its correction changed since"
VERDICTS = ("proven", "corrected", "broken", "notReproduced", "unproven")
_INFO_FOLDER = ".dist-info"
_FAILURES = {"broken": "published, fails when run", "notReproduced": "published, error not reproduced"}


class Stage(NamedTuple):
    """One snippet that was run: its name, whether it did what it should, why not, and the result of each rank."""

    name: str
    holds: bool
    reason: str
    ranks: tuple[Mapping[str, Any], ...]


class Proof(NamedTuple):
    """The result of running a record's snippets; `versions` by library, `date` as YYYY-MM-DD, `seconds` in total."""

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
    """Return the SHA-256 of everything that a proof depends on, in hexadecimal."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load, and reading a proof does not need it

    parts = json.dumps([record, scenario, correction], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()


def read(text: str, file: str = "proof.json") -> Proof:
    """Parse the JSON text of a proof file; raise `BadInput`, which names `file`, if it is invalid."""
    try:
        return from_json(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(f"{file} is not a valid proof: {error}. Recreate it with `whyraise prove --write`.") from error


def from_json(value: Mapping[str, Any]) -> Proof:
    """Return a proof from its parsed JSON; raise `ValueError`, `TypeError` or `KeyError` if it is invalid."""
    fields = dict(value)
    if fields["verdict"] not in VERDICTS:
        raise ValueError(f"the verdict {fields['verdict']!r} is unknown")
    if not isinstance(fields["versions"], Mapping) or not isinstance(fields["ranks"], int):
        raise ValueError("`versions` must be an object and `ranks` a whole number")
    stages = tuple(Stage(**{**stage, "ranks": tuple(stage["ranks"])}) for stage in fields.pop("stages"))
    return Proof(stages=stages, **fields)


def as_json(proof: Proof) -> dict[str, Any]:
    """Return a proof as the JSON object of `proof.json`."""
    return {**proof._asdict(), "stages": [stage._asdict() for stage in proof.stages]}


def outdated_reason(proof: Proof) -> str:
    """Return which library is installed in another version than the proof used, or an empty string.

    Only the major and minor version are compared, and only those of installed libraries.
    """
    for name, version in proof.versions.items():
        current = installed_version(name)
        if current and _major_minor(current) != _major_minor(version):
            return f"{name} {current} is installed, but the proof used {version}"
    return ""


def installed_version(name: str) -> str:
    """Return the installed version of a distribution, or an empty string."""
    return _installed_versions().get(name, "")


@cache
def _installed_versions() -> dict[str, str]:
    """Return the installed distributions with their versions.

    They are read from the names of `.dist-info` folders, because importing `importlib.metadata`, which returns the
    same, takes as long as starting Python.
    """
    found: dict[str, str] = {}
    for folder in reversed(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        infos = (name.removesuffix(_INFO_FOLDER).partition("-") for name in names if name.endswith(_INFO_FOLDER))
        found |= {name: version for name, _, version in infos}
    return found


def failed(proof: Proof) -> frozenset[str]:
    """Return the names of the published fields that have a failed stage."""
    names = (stage.name.split(".")[0] for stage in proof.stages if not stage.holds)
    return frozenset("exampleFix" if name in ("before", "after") else name for name in names) - {"corrected"}


def sentence(proof: Proof | None, staleness: str = "") -> str:
    """Describe a proof, for example "proven on 2 ranks, torch 2.13, lightning 2.6.6, 2026-12-01"."""
    if proof is None or proof.verdict == "unproven":
        return "published, not proven"
    ranks = f"{proof.ranks} rank{'s' if proof.ranks != 1 else ''}"
    libraries = "".join(f", {name} {version}" for name, version in proof.versions.items() if name != "python")
    successes = {"proven": "proven", "corrected": "corrected: the published fix fails, the correction is proven"}
    text = f"{successes.get(proof.verdict) or _FAILURES[proof.verdict]} on {ranks}{libraries}, {proof.date}"
    return f"{text}; stale: {staleness}" if staleness else text


def _major_minor(version: str) -> list[str]:
    return version.split("+")[0].split(".")[:2]
