"""Hostile code in each sandbox, as root and as an ordinary user: files, processes, networks and resources."""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.repository import ROOT
from whyraise.errors import BadInput
from whyraise.prove import sandbox
from whyraise.prove.sandbox import NONE, Sandbox, bubblewrap, choose, landlock, self_test

CONFINED = ROOT / "tests/support/confined.py"
SANDBOXES = ("bwrap", "landlock")
ORDINARY = 65533
pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed: make system")
DEFINE_FAILS = "def fails(action):\n    try:\n        action()\n    except (OSError, ValueError):\n        return True\n    return False\n"


@pytest.fixture(params=SANDBOXES)
def kind(request: pytest.FixtureRequest) -> str:
    found = {"bwrap": bubblewrap, "landlock": landlock}[request.param]()
    if isinstance(found, str):
        pytest.skip(found)
    return str(request.param)


@pytest.fixture(params=["root", "ordinary user"])
def prefix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Yield the command prefix that runs confined.py as root or as an ordinary user, on a copy that any user can read."""
    if os.getuid():
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "app" / "whyraise", Path(folder, "whyraise"))
        shutil.copy(CONFINED, folder)
        writable = Path(folder, "writable")
        writable.mkdir()
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        writable.chmod(0o777)
        variables = [
            f"PYTHONPATH={folder}",
            f"TMPDIR={writable}",
            "SECRET=hunter2",
            f"HOME={folder}",
            "PATH=/usr/bin:/bin",
        ]
        user = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
        as_user = user if request.param == "ordinary user" else []
        yield ["env", "-i", *variables, *as_user, "/usr/bin/python3", f"{folder}/confined.py"]


def run(command: list[str], kind: str, snippets: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [*command, kind, json.dumps(snippets)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def left_behind(folder: str) -> list[str]:
    """Return what a run left: files in the folder that it may write to, and processes of programs in `folder`."""
    found = os.listdir(f"{folder}/writable")
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError):
            if folder.encode() in Path("/proc", name, "cmdline").read_bytes():
                found.append(f"process {name}")
    return found


def test_hostile_code_cannot_break_the_claims_of_its_sandbox(kind: str, prefix: list[str], tmp_path: Path) -> None:
    with tempfile.NamedTemporaryFile("w+") as private, socket.create_server(("127.0.0.1", 0)) as listener:
        private.write("private")
        private.flush()
        port = listener.getsockname()[1]
        results = run(
            prefix,
            kind,
            {
                "files": f"{DEFINE_FAILS}assert fails(lambda: open({private.name!r}).read())\nassert fails(lambda: open('/etc/shadow').read())",
                "own files": "open('mine', 'w').write('x')\nassert open('mine').read() == 'x'",
                "writes": f"{DEFINE_FAILS}for path in ('/usr/x', '/etc/x', '/x', '/var/tmp/x'):\n    assert fails(lambda: open(path, 'w')), path",
                "environment": f"{DEFINE_FAILS}import os\nassert 'SECRET' not in os.environ\n"
                "for name in filter(str.isdigit, os.listdir('/proc')):\n"
                "    if int(name) != os.getpid():\n"
                "        assert fails(lambda: open(f'/proc/{name}/environ', 'rb').read().index(b'hunter2')), name",
                "processes": f"{DEFINE_FAILS}import os\nassert fails(lambda: os.kill({os.getpid()}, 0))",
                "system": "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == -1",
                "loops": "while True: pass",
                "daemonises": "import os, time\nif not os.fork():\n    os.setsid()\n    os.fork() or time.sleep(99)",
                "network": f"{DEFINE_FAILS}import socket\nassert fails(lambda: socket.create_connection(('127.0.0.1', {port}), 1))",
            },
        )
        private.seek(0)
        assert private.read() == "private"
    assert results["selfTest"] == "holds"
    harmless = ["files", "own files", "writes", "environment", "processes", "system"]
    harmless += ["network"] if sandbox.NETWORK in results["claims"] else []
    assert {name: results[name] for name in harmless} == {name: ["", ""] for name in harmless}
    assert results["loops"][0] is None
    assert left_behind(str(Path(prefix[-1]).parent)) == []


def test_only_the_programs_of_a_sandbox_are_visible_and_none_can_be_changed(kind: str, prefix: list[str]) -> None:
    folder = Path(prefix[-1]).parent / "whyraise"
    hidden = [str(path) for path in folder.rglob("*.py") if path.name not in ("worker.py", "rank.py")]
    programs = [str(folder / "prove" / name) for name in ("worker.py", "rank.py")]
    reads = f"[path for path in {hidden} if not fails(lambda: open(path))]"
    writes = (
        f"[path for path in {programs} if not fails(lambda: open(path, 'a')) or not fails(lambda: os.unlink(path))]"
    )
    lists = f"not fails(lambda: os.listdir({str(folder / 'prove')!r})) and os.listdir({str(folder / 'prove')!r})"
    results = run(
        prefix,
        kind,
        {
            "reads": f"{DEFINE_FAILS}assert {reads} == []",
            "writes": f"import os\n{DEFINE_FAILS}assert {writes} == []",
            "lists": f"import os\n{DEFINE_FAILS}assert set({lists} or []) <= {{'worker.py', 'rank.py'}}",
            "imports": "import sys\nassert not [path for path in sys.path if path.endswith('prove')], sys.path\n"
            "assert not {'rank', 'whyraise', 'whyraise.prove'} & set(sys.modules)",
        },
    )
    names = ("reads", "writes", "lists", "imports")
    assert len(hidden) > 50
    assert {name: results[name] for name in names} == {name: ["", ""] for name in names}
    assert [Path(path).read_text("utf-8") for path in programs] == [
        (ROOT / "app/whyraise/prove" / name).read_text("utf-8") for name in ("worker.py", "rank.py")
    ]


def test_code_that_uses_up_a_resource_is_ended_and_the_next_stage_runs(prefix: list[str]) -> None:
    results = run(
        prefix,
        "bwrap",
        {
            "forks": "import os\nwhile True:\n    os.fork()",
            "memory": "kept = []\nwhile True:\n    kept.append(bytes(b'x' * (1 << 26)))",
            "disk": f"{DEFINE_FAILS}def fill():\n    with open('big', 'wb') as f:\n        while True: f.write(bytes(1 << 20))\nassert fails(fill)",
            "afterwards": "import os\nassert sum(map(str.isdigit, os.listdir('/proc'))) <= 4\nassert not os.path.exists('big')",
        },
    )
    assert [results[name][0] for name in ("forks", "disk", "afterwards")] == [None, "", ""]
    assert results["memory"][0] in (None, "MemoryError")


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str, str]]:
    """Yield the names of two network namespaces that reach each other, and the address of the second."""
    if os.getuid() or not shutil.which("ip"):
        pytest.skip("only root with iproute2 can make network namespaces")
    mark = secrets.token_hex(3)
    near, far = f"near-{mark}", f"far-{mark}"
    for words in (
        f"netns add {near}", f"netns add {far}",
        f"link add v0{mark} netns {near} type veth peer name v1{mark} netns {far}",
        f"-n {near} addr add 192.0.2.1/30 dev v0{mark}", f"-n {far} addr add 192.0.2.2/30 dev v1{mark}",
        f"-n {near} link set v0{mark} up", f"-n {far} link set v1{mark} up", f"-n {near} link set lo up",
    ):  # fmt: skip
        subprocess.run(["ip", *words.split()], check=True)
    yield near, far, "192.0.2.2"
    for name in (near, far):
        subprocess.run(["ip", "netns", "delete", name], check=True)


LISTEN = "import socket\ns = socket.create_server(('192.0.2.2', 0))\nprint(s.getsockname()[1], flush=True)\ninput()"


def test_a_listener_in_another_network_namespace_is_not_reached(
    prefix: list[str], namespaces: tuple[str, str, str]
) -> None:
    near, far, address = namespaces
    listener = subprocess.Popen(
        ["ip", "netns", "exec", far, sys.executable, "-c", LISTEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert listener.stdout
    port = int(listener.stdout.readline())
    connect = f"import socket\nsocket.create_connection(({address!r}, {port}), 2)"
    inside = ["ip", "netns", "exec", near]
    assert subprocess.run([*inside, sys.executable, "-c", connect], check=False).returncode == 0
    results = run([*inside, *prefix], "bwrap", {"reaches": connect})
    listener.communicate(b"\n")
    assert results["reaches"][0] in ("OSError", "ConnectionRefusedError", "TimeoutError")


def test_the_stronger_sandbox_claims_more_than_the_weaker() -> None:
    strong, weak = bubblewrap(), landlock()
    assert isinstance(strong, Sandbox)
    assert sandbox.NETWORK in strong.claims
    assert not isinstance(weak, Sandbox) or {sandbox.FILES, sandbox.ENVIRONMENT} < set(weak.claims) < set(ALL)


ALL = (
    sandbox.NETWORK, sandbox.FILES, sandbox.WRITES, sandbox.WRITES_SHARED, sandbox.ENVIRONMENT, sandbox.PROCESSES,
    sandbox.SYSTEM, sandbox.LIMITS,
)  # fmt: skip


def test_the_self_test_names_the_claims_that_do_not_hold() -> None:
    result = self_test(NONE._replace(claims=ALL))
    assert result.startswith("does not keep what it claims: no network except its own loopback, reads only Python")


def test_a_sandbox_that_does_not_start_says_why() -> None:
    broken = NONE._replace(prefix=(sys.executable, "-c", "raise SystemExit('out of order')"))
    assert self_test(broken) == "does not start: out of order"


def test_without_a_sandbox_nothing_is_run_unless_the_user_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(BadInput, match="bubblewrap is not installed; Landlock is too old here"):
        choose(unconfined=False)
    assert choose(unconfined=True) == NONE
