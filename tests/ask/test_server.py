"""`--url`: the answer of a server looks like one made on this machine, and the text is sent nowhere else."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.support.repository import RECORDS
from tests.support.seed import SEED, TRACEBACK
from tests.support.serving import live
from whyraise.ask.server import ask_server
from whyraise.cli.main import main
from whyraise.errors import BadInput
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import from_json, markdown, summary
from whyraise.reporters import json as json_report
from whyraise.settings import Settings

LOGS = sorted(RECORDS.glob("*/*/*/*/*.log"))
NEAR = "TypeError: blocking Backward sync is only possible if the module passed to"


@pytest.mark.parametrize("texts", [[path.read_text("utf-8") for path in LOGS], [NEAR, "", "ChildFailedError: "]])
def test_an_explanation_survives_the_way_through_json(texts: list[str], bundled: Catalog) -> None:
    assert texts
    for text in texts:
        made = explain(text, bundled)
        sent = from_json.explanation(json.loads(json.dumps(json_report.explanation(made))))
        assert json_report.explanation(sent) == json_report.explanation(made)
        assert markdown.explanation(sent) == markdown.explanation(made)
        assert summary.explanation(sent) == summary.explanation(made)


def test_a_stale_proof_is_still_stale_after_the_way_through_json(bundled: Catalog) -> None:
    made = explain(TRACEBACK, bundled)
    record = made.findings[0].record
    stale = record._replace(beside={**record.beside, "stale": "the record changed since"})
    made = made._replace(findings=(made.findings[0]._replace(record=stale),))
    sent = from_json.explanation(json.loads(json.dumps(json_report.explanation(made))))
    assert summary.explanation(sent) == summary.explanation(made)
    assert "stale: the record changed since" in summary.explanation(sent)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = str(tmp_path_factory.mktemp("cache"))
    with live(Settings(mine="off", cache_dir=folder, max_body_bytes=20_000)) as address:
        yield f"http://{address}"


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment in which nothing can be looked up on this machine."""
    monkeypatch.setenv("WHYRAISE_SOURCES", str(tmp_path / "nothing"))
    monkeypatch.setenv("WHYRAISE_ONLY", "0")
    return dict(os.environ)


@pytest.mark.parametrize("form", ["--json", "--md", "--hint"])
def test_explain_prints_the_answer_of_a_server_like_its_own(
    form: str, address: str, tmp_path: Path, environment: dict[str, str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "error.log").write_text(TRACEBACK, "utf-8")
    assert main(["explain", form, "--url", address, str(tmp_path / "error.log")]) == 0
    from_server = capsysbinary.readouterr().out
    os.environ |= {"WHYRAISE_SOURCES": str(RECORDS), "WHYRAISE_ONLY": "1"}
    assert main(["explain", form, str(tmp_path / "error.log")]) == 0
    own = capsysbinary.readouterr().out
    if form == "--json":  # the data set is the same under another name
        assert json.loads(from_server)["findings"][0]["record"] == json.loads(own)["findings"][0]["record"]
    else:
        note = f"  Answered by {address}.\n" if form == "--hint" else f"\nAnswered by {address}.\n"
        assert from_server.decode() == own.decode() + note


def test_run_asks_a_server(address: str, environment: dict[str, str]) -> None:
    code = f"import sys; sys.stderr.write({TRACEBACK!r}); sys.exit(5)"
    command = [sys.executable, "-m", "whyraise", "run", "--url", address, "--", sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 5
    assert f"run `whyraise show {SEED}` for details" in done.stderr


def test_the_pytest_plugin_asks_a_server(address: str, tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    a, b = [1, 2, 3]\n", "utf-8")
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "whyraise.pytest_plugin",
        "-o",
        f"whyraise_url={address}",
        str(tmp_path),
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "1 of 1 failures are known.\n" in done.stdout


def test_a_hook_asks_a_server(address: str, environment: dict[str, str]) -> None:
    code = f"from whyraise.hooks import install\ninstall({address!r}, seconds=60)\na, b = [1, 2, 3]"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert "whyraise: exact: too many values to unpack" in done.stderr


def test_a_hook_does_not_wait_for_a_server_that_does_not_answer(environment: dict[str, str]) -> None:
    fail = "\na, b = [1, 2, 3]"
    plain = subprocess.run([sys.executable, "-c", fail], capture_output=True, check=False)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        code = f"from whyraise.hooks import install; install({address!r})" + fail
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, timeout=25, check=False
        )
    assert (done.returncode, done.stderr) == (plain.returncode, plain.stderr)


@contextmanager
def server(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """Answer every request on loopback with the same response; yield the address and the request lines received."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            received.append(self.requestline)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}", received
        listening.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, b"<html>", "is not a Whyraise server"),
        (200, b"[]", "is not a Whyraise server"),
        (200, b'{"findings": 3}', "is not a Whyraise server"),
        (503, b'{"detail": "Too much is waiting."}', "answers 503 Service Unavailable: Too much is waiting."),
        (500, b"\xff", "answers 500 Internal Server Error"),
    ],
)
def test_an_invalid_response_is_an_error_with_the_reason(status: int, body: bytes, words: str) -> None:
    with server(status, body) as (address, _), pytest.raises(BadInput, match=words):
        ask_server("secret text", address, 10)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    with server(200, b"{}") as (other, received):
        with server(status, b"", Location=other) as (address, _), pytest.raises(BadInput, match=f"answers {status} "):
            ask_server("secret text", address, 10)
        assert received == []


def test_a_text_that_is_too_long_is_refused_with_the_message_of_the_server(address: str) -> None:
    with pytest.raises(BadInput, match=r"answers 413 .*20,?000"):
        ask_server("x" * 30_000, address, 10)


def test_an_error_names_the_server_that_cannot_be_reached(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(BadInput, match=f"{address} cannot be reached: .*refused.* Check `--url`."):
        ask_server("text", address, 10)


@pytest.mark.parametrize(
    "url", ["here:8000", "ftp://host", "file:///etc/passwd", "https://", "http://u:p@host", "http://h:x"]
)
def test_an_invalid_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(BadInput, match="is not the URL of a server") as error:
        ask_server("text", url, 10)
    assert url not in str(error.value)
