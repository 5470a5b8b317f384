"""Answers stay within the character limit and never lose the fix, guards, verdict and citation."""

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tests.support.backends import backend_of
from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from tests.support.seed import SEED, TRACEBACK
from whyraise.chat import budget, concise, tools
from whyraise.chat.budget import LIMITS, Detail
from whyraise.chat.tools import Result
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.mine.mine import mine, write
from whyraise.mine.targets import source_files
from whyraise.records.record import Record

DETAILS: tuple[Detail, ...] = ("concise", "detailed")
# The fields that are never removed, and those that are removed, in this order.
KEPT, REMOVED = ("fix", "guards", "verdict", "citation"), ("excerpt", "triggers", "situations", "prevention")


def ask(catalog: Catalog, name: str, **arguments: object) -> Result:
    """Call a tool, and check that text and data are within the character limit."""
    result = tools.call(name, arguments, backend_of(catalog, "https://errors.example.org"))
    limit = LIMITS[arguments.get("detail", "concise")]  # type: ignore[index]
    assert len(result.text) <= limit
    assert len(json.dumps(result.structured, ensure_ascii=False)) <= limit
    return result


def check_record(catalog: Catalog, record: Record, detail: Detail) -> None:
    """Check that text and data contain the whole fix, guards, verdict and citation of a record."""
    whole = concise.from_record(record, "https://errors.example.org").model_dump()["record"]
    result = ask(catalog, "get_record", id=record.id, detail=detail)
    shortened = result.structured["record"]
    assert {name: shortened[name] for name in KEPT} == {name: whole[name] for name in KEPT}
    codes = [snippet["code"].rstrip() for snippet in (whole["fix"], *whole["guards"]) if snippet]
    citation = whole["citation"]
    assert all(text in result.text for text in (*codes, whole["verdict"]["says"], citation["id"], citation["url"]))
    is_shorter = shortened != budget.sanitize(whole, 1_000_000)
    assert result.structured["truncated"] == is_shorter == bool(result.structured["next"])


def records_of(catalog: Catalog) -> Iterable[Record]:
    return catalog.list_records({}, "", "", 100_000).records


@pytest.mark.parametrize("detail", DETAILS)
def test_every_record_of_the_repository_fits(bundled: Catalog, detail: Detail) -> None:
    for known in records_of(bundled):
        check_record(bundled, known, detail)
        ask(bundled, "explain_error", text=known.error_message, detail=detail)


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The errors that three installed packages can raise."""
    folder = tmp_path_factory.mktemp("mined")
    files = [file for name in ("mcp", "httpx2", "starlette") for file in source_files(name, folder)]
    write(mine(files), folder / "mined.jsonl")
    build([folder / "mined.jsonl"], folder / "mined.db")
    return open_file(str(folder / "mined.db"), str(folder))


@pytest.mark.parametrize("detail", DETAILS)
def test_a_thousand_mined_records_fit(mined: Catalog, detail: Detail) -> None:
    records = list(records_of(mined))
    assert len(records) >= 1000
    for known in records:
        check_record(mined, known, detail)
        ask(mined, "explain_error", text=f"{known.error_class}: {known.error_message}", detail=detail)


def noise(size: int) -> str:
    """Return a log of `size` characters, the same in each run, in which all lines differ."""
    generator = random.Random(1)
    lines = ("".join(generator.choices("abcdefghij (){}[]`\"'\\<>&\t0123456789é😀", k=80)) for _ in range(size // 80))
    return "\n".join(lines)


PASTES = {
    "a log with the error in the middle": noise(500_000) + "\n" + TRACEBACK + "\n" + noise(500_000),
    "a long placeholder": TRACEBACK.replace("torch.nn.Linear", "L" * 30_000) + "\n" + noise(970_000),
    "a long placeholder of quotes": TRACEBACK.replace("torch.nn.Linear", '"\\' * 15_000) + "\n" + noise(970_000),
    "nothing known": noise(1_000_000),
    "one line of backticks": "`" * 1_000_000,
    "an unknown exception with an endless message": "ValueError: " + '\\"`' * 333_333,
    "ten thousand exceptions": "Traceback (most recent call last):\nValueError: nobody knows this\n" * 16_000,
    "terminal control sequences": "ValueError: " + "\x1b[31m\x00\u202e" * 150_000,
}


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", PASTES)
def test_a_paste_of_a_megabyte_fits(bundled: Catalog, name: str, detail: Detail) -> None:
    result = ask(bundled, "explain_error", text=PASTES[name], detail=detail)
    ids = [finding["citation"]["id"] for finding in result.structured["findings"]]
    assert ids == ([SEED] if "Blocking backward sync" in PASTES[name] else [])


def large_record(template: str, size: int, **fields: object) -> dict[str, object]:
    """Return a record whose long fields have `size` characters each."""
    prose, code = "word " * (size // 5), "value = compute(value)\n" * (size // 23)
    long: dict[str, object] = {
        **dict.fromkeys(("documentation", "triggerScenarios", "commonSituations"), prose),
        **dict.fromkeys(("sourceCode", "exampleFix", "validationCode", "typeGuard", "tryCatchPattern"), code),
        "solutions": [prose] * 3,
        "preventionTips": [prose] * 3,
    }
    return record(template, None, **{**long, **fields})


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("size", [100, 300, 1_000, 3_000, 10_000, 1_000_000])
def test_records_of_any_size_fit_alone_and_together(make_catalog: MakeCatalog, size: int, detail: Detail) -> None:
    records = [
        large_record(f"the {name} is wrong: {{reason}}", size, id=name * 2) for name in ("left", "right", "middle")
    ]
    catalog = make_catalog(records)
    text = "\n".join(f"ValueError: the {name} is wrong: really" for name in ("left", "right", "middle"))
    result = ask(catalog, "explain_error", text=text, detail=detail).structured
    findings, others = ([entry["citation"]["id"] for entry in result[key]] for key in ("findings", "others"))
    assert (
        sorted(findings + others[: 3 - len(findings)])
        == sorted(findings + others)
        == ["leftleft", "middlemiddle", "rightright"]
    )
    for finding in result["findings"]:
        assert finding["fix"]["code"].startswith("value = compute(value)")
        assert [guard["kind"] for guard in finding["guards"]] == ["typeGuard", "validation", "handling"]
        assert finding["verdict"] == {"verdict": "unproven", "says": "Published, not proven."}
    single = ask(catalog, "get_record", id="leftleft", detail=detail).structured
    assert single["truncated"] == (size >= {"concise": 1_000, "detailed": 3_000}[detail])


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("char", ['"', "\\", "`", "a\n", "\x01", "😀", "<"])
def test_text_that_becomes_longer_when_escaped_fits(make_catalog: MakeCatalog, char: str, detail: Detail) -> None:
    text = char * 25_000
    fields = ("documentation", "triggerScenarios", "commonSituations", "sourceCode", "exampleFix", "validationCode")
    more = ("typeGuard", "tryCatchPattern", "handlingStrategy", "filePath", "errorClass", "githubUrl")
    long = {**dict.fromkeys((*fields, *more), text), "solutions": [text] * 3, "preventionTips": [text] * 3}
    ids = [name * 300 for name in "abc"]
    catalog = make_catalog(
        [record(f"the {name[0]} is wrong: {{reason}}", None, **{**long, "id": name}) for name in ids]
    )
    paste = "\n".join(f"ValueError: the {name} is wrong: {char.strip() * 2_000}" for name in "abc")
    answer = ask(catalog, "explain_error", text=paste, detail=detail).structured
    assert answer["findings"][0]["fix"]["code"]
    for name in ids:
        ask(catalog, "get_record", id=name, detail=detail)


def test_the_source_is_removed_first_then_the_triggers_then_prevention(make_catalog: MakeCatalog) -> None:
    removed = []
    for size in range(200, 900, 25):
        catalog = make_catalog([large_record("it is wrong", size, id="it")])
        answer = ask(catalog, "get_record", id="it").structured["record"]
        removed.append(tuple(name for name in REMOVED if not answer[name]))
    order = list(dict.fromkeys(removed))
    assert order == [(), REMOVED[:1], REMOVED[:3], REMOVED]


def test_code_is_truncated_at_the_end_of_a_line_with_a_marker(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([large_record("it is wrong", 100_000, id="it")])
    lines = ask(catalog, "get_record", id="it").structured["record"]["fix"]["code"].splitlines()
    assert (set(lines[:-1]), lines[-1]) == ({"value = compute(value)"}, "… [cut]")


def test_an_address_is_never_truncated(make_catalog: MakeCatalog) -> None:
    record_id = "i" * 300
    catalog = make_catalog([large_record("it is wrong", 100_000, id=record_id)])
    citation = ask(catalog, "get_record", id=record_id).structured["record"]["citation"]
    assert (citation["id"], citation["url"]) == (record_id, f"https://errors.example.org/e/{record_id}")


def test_a_search_returns_as_many_records_as_fit(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record(f"this is wrong {'x' * 2_000} {n}", id=f"{n:016x}") for n in range(30)])
    few = ask(catalog, "search_records", query="wrong", limit=20).structured
    assert few["truncated"]
    assert {entry["citation"]["id"] for entry in few["records"]} <= {f"{n:016x}" for n in range(30)}


def test_an_answer_that_fits_is_unchanged() -> None:
    answer: Mapping[str, Any] = concise.from_records((), "", more=False).model_dump()
    assert budget.fit(answer, "concise")[1] == answer
