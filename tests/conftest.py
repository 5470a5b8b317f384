"""Catalogs that many tests read and none changes."""

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

from whyraise.build import build
from whyraise.catalog import Catalog
from whyraise.main import create_app
from whyraise.settings import Settings

RECORDS = Path(__file__).parent.parent / "records"

MakeCatalog = Callable[[Iterable[Mapping[str, object]]], Catalog]


@pytest.fixture(scope="session")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The records of this repository."""
    folder = tmp_path_factory.mktemp("bundled")
    build([RECORDS], folder / "records.db")
    return Catalog(str(folder / "records.db"), str(folder))


@pytest.fixture
def make_catalog(tmp_path: Path) -> MakeCatalog:
    """Build a catalog of envelopes or bare records."""

    def make(records: Iterable[Mapping[str, object]]) -> Catalog:
        source = tmp_path / "records.jsonl"
        source.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        built = build([source], tmp_path / "records.db")
        assert built.faults == ()
        return Catalog(str(tmp_path / "records.db"), str(tmp_path))

    return make


@contextmanager
def live(settings: Settings) -> Iterator[str]:
    """Serve on a free port of loopback, and give its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)  # from here on a client waits instead of being refused
        server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
