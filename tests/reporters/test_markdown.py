"""The one Markdown renderer: what it says, and what hostile text cannot do to it."""

import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from whyraise.lookup.explain import explain
from whyraise.records.language import language_of
from whyraise.records.proof import digest
from whyraise.reporters import markdown

HOSTILE = [
    "```\n# not a heading\n```", "~~~\nx", "````\n```", "<script>alert(1)</script>", "[a](javascript:alert(1))",
    "# heading", "| a | b |\n|---|---|", "`code` ``more``", "- item\n\n---", "<!-- x", "&lt;b&gt;", "1. one", "+ plus",
    "===",
]  # fmt: skip


def proof(*failed: str) -> dict[str, object]:
    names = ("reproduce", "after", "typeGuard")
    stages = [{"name": name, "holds": name not in failed, "reason": "", "ranks": list[str]()} for name in names]
    known: dict[str, object] = {"id": "x", "verdict": "corrected", "stages": stages, "ranks": 2, "seconds": 1.0}
    return {**known, "versions": {"torch": "2.13.0"}, "sandbox": "bwrap", "date": "2026-12-01", "digest": "x"}


def shown(make_catalog: MakeCatalog, **beside: Any) -> str:
    fields = record(
        "the setting {name} has no default here", exampleFix="# before\nbad()\n# after\ngood()", typeGuard="guard()"
    )
    if isinstance(known := beside.get("proof"), dict):
        known["digest"] = digest(fields, "", beside.get("correction"))
    catalog = make_catalog([{"record": fields, "datasetVersion": "1", **beside}])
    return markdown.record(catalog.record_of(str(fields["id"])))


def test_a_fix_that_was_never_run_is_called_published_and_not_proven(make_catalog: MakeCatalog) -> None:
    assert "\nPublished, not proven.\n" in shown(make_catalog)


def test_a_fix_that_fails_stands_below_its_correction_with_the_reason(make_catalog: MakeCatalog) -> None:
    correction = {"fields": {"exampleFix": "better()"}, "why": {"exampleFix": "good() takes an argument."}}
    text = shown(make_catalog, proof=proof("after"), correction=correction)
    assert [line for line in text.splitlines() if line.startswith("## ") or "()" in line or "proven" in line] == [
        "Corrected: the published fix fails, the correction is proven on 2 ranks, torch 2.13.0, 2026-12-01.",
        "## Fix, corrected", "better()",
        "## Fix, as published: fails when run", "good() takes an argument.", "bad()", "good()",
        "## Type guard", "guard()",
    ]  # fmt: skip


def test_a_proof_that_cannot_be_read_is_none(make_catalog: MakeCatalog) -> None:
    assert "\nPublished, not proven.\n" in shown(make_catalog, proof={"verdict": "wonderful"})


@pytest.mark.parametrize("text", HOSTILE)
def test_no_paste_and_no_field_can_leave_its_place(text: str, make_catalog: MakeCatalog) -> None:
    fields = record("a hostile message {value} is here", documentation=text, exampleFix=text, solutions=[text])
    pasted = " ".join(text.split())
    answer = explain(f"ValueError: a hostile message {pasted} is here", make_catalog([fields]))
    tokens = MarkdownIt("js-default").parse(markdown.explanation(answer))
    headings = [tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"]
    plain = ["a hostile message {value} is here", "What it means", "Solutions", "Fix"]
    assert [re.sub(r"\\", "", heading) for heading in headings] == plain
    assert not {token.type for token in tokens} & {"html_block", "table_open"}
    links = [child for token in tokens for child in token.children or () if child.type in ("link_open", "html_inline")]
    assert links == []


@pytest.mark.parametrize(
    ("file", "fix", "language"),
    [
        ("torch/csrc/reducer.cpp", "# before\nmodel(x)\n# after\nmodel(x).sum()\n", "python"),
        ("torch/csrc/reducer.cpp", "auto x = model->forward();", "cpp"),
        ("torch/csrc/reducer.cpp", "-" * 100_000 + "1", "cpp"),
        ("Objects/abstract.c", "len([1])", "python"),
        ("src/app.ts", "model(x)", "typescript"),
        ("src/app.rs", "let x = 1;", ""),
    ],
)
def test_snippets_are_marked_with_the_language_they_are_written_in(
    file: str, fix: str, language: str, make_catalog: MakeCatalog
) -> None:
    catalog = make_catalog([record("no such thing", filePath=file, exampleFix=fix)])
    [known] = explain("ValueError: no such thing\n", catalog).findings
    assert language_of(known.record) == language
    assert f"```{language}\n{fix.strip()}" in markdown.record(known.record)
