"""The answer as a server sent it: the JSON that `answer` makes, read back, so that it is shown like one made here.

What only finding it needs, such as where an exception's class stood in the text, is not sent, and is empty here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from whyraise.lookup.explanation import Capture, Explanation, Finding, Nearest, Occurrence
from whyraise.matching.evidence import Evidence
from whyraise.matching.mismatch import Parting
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.frames import Frame
from whyraise.reading.paste import Span
from whyraise.records.record import DataSet, Record, from_json
from whyraise.source_paths import site_of

_Json = Mapping[str, Any]
_NOWHERE = Span(0, 0)
# What `answer` makes anew of every record, and so is none of the things that lie beside it.
_OWN = {"record", "dataset", "origin", "links", "proofSays", "proofStale"}


def explanation(sent: _Json) -> Explanation:
    """Return an explanation from its JSON; raise `KeyError`, `TypeError` or `ValueError` where it is none."""
    return Explanation(
        datasets=tuple(DataSet(**each) for each in sent["datasets"]),
        findings=tuple(map(_finding, sent["findings"])),
        exceptions=tuple(map(_exception, sent["exceptions"])),
        nearest=tuple(map(_nearest, sent["nearest"])),
        wrapper=sent["wrapper"],
        truncated=sent["truncated"],
        growing=tuple(sent["growing"]),
    )


def _finding(sent: _Json) -> Finding:
    return Finding(
        record=_record(sent),
        confidence=sent["confidence"],
        kind=sent["kind"],
        evidence=tuple(Evidence(**each) for each in sent["evidence"]),
        message=sent["message"],
        line=sent["line"],
        spans=_spans(sent["spans"]),
        captures=tuple(Capture(each["name"], each["value"], _spans(each["spans"])) for each in sent["captures"]),
        occurrences=tuple(
            Occurrence(each["line"], _spans(each["spans"]), each["rank"]) for each in sent["occurrences"]
        ),
        exception=_exception(sent["exception"]) if sent["exception"] else None,
        same_as=tuple(sent["sameAs"]),
        equals=tuple(sent["equals"]),
    )


def _record(sent: _Json) -> Record:
    fields = sent["record"]
    beside = {name: value for name, value in sent.items() if name not in _OWN and value is not None}
    if sent.get("proofStale"):
        beside["stale"] = sent["proofStale"]
    site = site_of(fields["filePath"])
    return from_json(fields, site=site, function="", dataset=sent["dataset"], origin=sent["origin"], beside=beside)


def _exception(sent: _Json) -> ExceptionBlock:
    return ExceptionBlock(
        class_name=sent["class"],
        message=sent["message"],
        header=_NOWHERE,
        span=_NOWHERE,
        frames=tuple(Frame(each["file"], each["line"], each["function"], 0, 0) for each in sent["frames"]),
        relation=sent["relation"],
        rank=sent["rank"],
        process=None,
        wrapper=sent["wrapper"],
        echoes=(),
        by_statement=False,
        cut_head=False,
        cut_tail=False,
    )


def _nearest(sent: _Json) -> Nearest:
    said = sent["parting"]
    words = (said["matched"], said["expected"], said["found"], said["hint"])
    return Nearest(_record(sent), Parting(said["segment"], 0, 0, *words, _NOWHERE), _spans(said["spans"]))


def _spans(sent: Iterable[_Json]) -> tuple[Span, ...]:
    return tuple(Span(each["start"], each["end"]) for each in sent)
