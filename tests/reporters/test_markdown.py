"""Answers as Markdown: what they contain, and that hostile text stays in its place."""

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
    fields: dict[str, object] = {"id": "x", "verdict": "corrected", "stages": stages, "ranks": 2, "seconds": 1.0}
    return {**fields, "versions": {"torch": "2.13.0"}, "sandbox": "bwrap", "date": "2026-12-01", "digest": "x"}


def markdown_of(make_catalog: MakeCatalog, **beside: Any) -> str:
    fields = record(
        "the setting {name} has no default here", exampleFix="# before\nbad()\n# after\ngood()", typeGuard="guard()"
    )
    if isinstance(proof_fields := beside.get("proof"), dict):
        proof_fields["digest"] = digest(fields, "", beside.get("correction"))
    catalog = make_catalog([{"record": fields, "datasetVersion": "1", **beside}])
    return markdown.record(catalog.record_of(str(fields["id"])))


def test_a_fix_that_was_never_run_is_called_published_and_not_proven(make_catalog: MakeCatalog) -> None:
    assert "\nPublished, not proven.\n" in markdown_of(make_catalog)


def test_a_fix_that_fails_comes_after_its_correction_and_with_the_reason(make_catalog: MakeCatalog) -> None:
    correction = {"fields": {"exampleFix": "better()"}, "why": {"exampleFix": "good() takes an argument."}}
    text = markdown_of(make_catalog, proof=proof("after"), correction=correction)
    assert [line for line in text.splitlines() if line.startswith("## ") or "()" in line or "proven" in line] == [
        "Corrected: the published fix fails, the correction is proven on 2 ranks, torch 2.13.0, 2026-12-01.",
        "## Fix, corrected", "better()",
        "## Fix, as published: fails when run", "good() takes an argument.", "bad()", "good()",
        "## Type guard", "guard()",
    ]  # fmt: skip


def test_an_invalid_proof_counts_as_no_proof(make_catalog: MakeCatalog) -> None:
    assert "\nPublished, not proven.\n" in markdown_of(make_catalog, proof={"verdict": "wonderful"})


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_paste_or_a_field_adds_no_headings_links_or_html(
    text: str, make_catalog: MakeCatalog
) -> None:
    fields = record("a hostile message {value} is here", documentation=text, exampleFix=text, solutions=[text])
    pasted = " ".join(text.split())
    explanation = explain(f"ValueError: a hostile message {pasted} is here", make_catalog([fields]))
    tokens = MarkdownIt("js-default").parse(markdown.explanation(explanation))
    headings = [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]
    expected = ["a hostile message {value} is here", "What it means", "Solutions", "Fix"]
    assert [re.sub(r"\\", "", heading) for heading in headings] == expected
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
def test_the_fence_of_a_snippet_names_its_language(
    file: str, fix: str, language: str, make_catalog: MakeCatalog
) -> None:
    catalog = make_catalog([record("no such thing", filePath=file, exampleFix=fix)])
    [finding] = explain("ValueError: no such thing\n", catalog).findings
    assert language_of(finding.record) == language
    assert f"```{language}\n{fix.strip()}" in markdown.record(finding.record)
