from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support import hostile_texts
from tests.support.seed import MESSAGE, SEED
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.main import create_app
from whyraise.settings import Settings

MEGABYTE = 1_000_000


@pytest.mark.parametrize("name", hostile_texts.TEXTS)
def test_a_megabyte_of_anything_is_answered(name: str, bundled: Catalog) -> None:
    text = hostile_texts.TEXTS[name](MEGABYTE)
    found = explain(text, bundled).findings
    assert {finding.record.id for finding in found} <= {SEED}
    assert all(0 <= span.start < span.end <= len(text) for finding in found for span in finding.spans)


@pytest.mark.parametrize("name", ["whole messages", "whole messages, a line each", "full stops after a message"])
def test_a_message_among_a_megabyte_of_its_like_is_found(name: str, bundled: Catalog) -> None:
    assert [finding.record.id for finding in explain(hostile_texts.TEXTS[name](MEGABYTE), bundled).findings] == [SEED]


@pytest.mark.parametrize("junk", [b"\xff\xfe\xc3(", b"\0\0\0", b"\xed\xa0\x80"], ids=["invalid", "nul", "surrogate"])
def test_bytes_that_are_no_text_are_replaced_or_refused_cleanly(junk: bytes, tmp_path: Path) -> None:
    with TestClient(create_app(Settings(mine="off", cache_dir=str(tmp_path)))) as client:
        plain = client.post(
            "/v1/explain", content=junk * 1000 + MESSAGE.encode(), headers={"content-type": "text/plain"}
        )
        json = client.post(
            "/v1/explain", content=b'{"text": "' + junk + b'"}', headers={"content-type": "application/json"}
        )
    assert [finding["record"]["id"] for finding in plain.json()["findings"]] == [SEED]
    assert (json.status_code, json.headers["content-type"]) == (422, "application/problem+json")


def test_a_message_whose_values_are_hostile_is_still_its_record(bundled: Catalog) -> None:
    for value in ("\0", "\ud800", "(.+?)", "`.no_backward_sync`", "\x1b[0m", "x" * 10_000, "{module}", "\\n"):
        found = explain("TypeError: " + MESSAGE.replace("torch.nn.Linear", value) + "\n", bundled).findings
        assert [finding.record.id for finding in found] == [SEED], value
