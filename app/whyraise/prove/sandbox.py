"""The sandboxes that snippets may run in, from strong to weak, and the test that one holds what it claims.

bubblewrap gives own namespaces; where those are not allowed, as in many containers, Landlock and a system call filter
confine the files at least. The number of processes and the memory of all are watched by the warm parent inside
bubblewrap, since a limit per user does not bind root.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple

_PLACE = "/tmp"  # noqa: S108 (a memory file system of the sandbox itself)
_SHARED = "/dev/shm"  # noqa: S108 (likewise)
_TMPFS = str(256 * 1024 * 1024)
# torchrun looks up its own host's name.
_HOSTS = b"127.0.0.1 localhost sandbox\n"
_LIMITS = ["--core=0", "--nofile=1024", "--fsize=268435456", "--as=8589934592"]
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": _PLACE, "TMPDIR": _PLACE, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1", "GLOO_SOCKET_IFNAME": "lo",
}  # fmt: skip
# x86-64 system calls that no snippet needs and that reach into other processes, the kernel or its clock:
# ptrace, mount, umount2, pivot_root, keys, bpf, perf, userfaultfd, kexec, modules, reboot, swap, namespaces,
# other processes' memory, file handles, io_uring, accounting, quotas, the kernel's log, clocks, ports.
_DENIED = (
    101, 165, 166, 155, 248, 249, 250, 321, 298, 323, 246, 175, 313, 176, 169, 167, 168, 308, 272, 310, 311, 304,
    425, 163, 179, 103, 164, 227, 172, 173,
)  # fmt: skip
_CREATE_RULESET = 444  # landlock_create_ruleset(2), the same on every processor
_LANDLOCK = 6
_X86_64, _X32 = 0xC000003E, 0x40000000  # linux/audit.h; the bit of the x32 system calls
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # linux/bpf_common.h
_KILL, _NOT_PERMITTED, _ALLOW = 0x80000000, 0x00050001, 0x7FFF0000  # linux/seccomp.h

# What a sandbox may claim, in the words of results. The self-test tries to break each.
NETWORK = "no network but its own loopback"
FILES = "reads Python, its packages and the system's libraries alone"
WRITES = "writes to its own folder alone, which is gone afterwards"
WRITES_SHARED = "writes to its own folder and to shared memory alone"
ENVIRONMENT = "sees nothing of the caller's environment"
PROCESSES = "sees and signals its own processes alone"
SYSTEM = "system calls that reach other processes or the kernel fail"
LIMITS = "limited memory, processes, files and time"
_SELF_TEST = """
import os, socket, sys, ctypes
port, secret, caller = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
leaks = []
def tries(claim, action):
    try:
        if action(): leaks.append(claim)
    except OSError: pass
tries("no network but its own loopback", lambda: socket.create_connection(("127.0.0.1", port), 1))
tries("reads Python, its packages and the system's libraries alone", lambda: open(secret).read())
for path in ("/usr/x", sys.prefix + "/x", "/x"):
    tries("writes to its own folder alone, which is gone afterwards", lambda: open(path, "a"))
    tries("writes to its own folder and to shared memory alone", lambda: open(path, "a"))
try: open(secret, "a").write("changed")
except OSError: pass
tries("sees nothing of the caller's environment", lambda: open("/proc/1/environ", "rb").read())
tries("sees nothing of the caller's environment", lambda: open(f"/proc/{caller}/environ", "rb").read())
tries("sees nothing of the caller's environment", lambda: "WHYRAISE_SELF_TEST" in os.environ)
tries("sees and signals its own processes alone", lambda: os.kill(caller, 0) or True)
libc = ctypes.CDLL(None, use_errno=True)
tries("system calls that reach other processes or the kernel fail", lambda: libc.unshare(0x10000000) == 0)
print("; ".join(dict.fromkeys(leaks)) or "nothing")
"""


class Sandbox(NamedTuple):
    """A sandbox: its name, what it claims, and the words that go before a command to run it inside.

    `owns` says that it has a process namespace of its own, in which all can be ended at once.
    """

    name: str
    claims: tuple[str, ...]
    prefix: tuple[str, ...]
    filter: bytes
    owns: bool


NONE = Sandbox("none", (), (), b"", owns=False)


def choose(unconfined: bool) -> Sandbox:
    """Return the strongest sandbox that holds here, or none where that was asked for; raise `BadInput` otherwise."""
    if unconfined:
        return NONE
    refused = []
    for rung in (bubblewrap, landlock):
        found = rung()
        if isinstance(found, Sandbox):
            said = self_test(found)
            if said == "holds":
                return found
            refused.append(f"{found.name} {said}")
        else:
            refused.append(found)
    raise BadInput(
        f"There is no sandbox that holds here: {'; '.join(refused)}. Install bubblewrap, or use --unconfined for code"
        " that you trust."
    )


def self_test(sandbox: Sandbox) -> str:
    """Return "holds", or which of its claims code inside can break."""
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.NamedTemporaryFile(dir=_PLACE) as secret:
        secret.write(b"secret")
        secret.flush()
        words = ["-c", _SELF_TEST, str(listener.getsockname()[1]), secret.name, str(os.getpid())]
        with own_folder(sandbox) as folder:
            out, errors = start(sandbox, words, folder).communicate(timeout=30)
        secret.seek(0)
        changed = [] if secret.read() == b"secret" else [WRITES, WRITES_SHARED]
    if not out:
        return f"does not start: {(errors.decode('utf-8', 'replace').strip().splitlines() or ['it said nothing'])[-1]}"
    broken = [claim for claim in out.decode().strip().split("; ") + changed if claim in sandbox.claims]
    return f"does not keep what it claims: {', '.join(broken)}" if broken else "holds"


@contextmanager
def own_folder(sandbox: Sandbox) -> Iterator[str]:
    """Make the folder of a sandbox that has no file system of its own, and remove it with all that is in it."""
    if sandbox.owns:
        yield _PLACE
    else:
        with tempfile.TemporaryDirectory(prefix="whyraise-", ignore_cleanup_errors=True) as folder:
            yield folder


def start(sandbox: Sandbox, words: list[str], folder: str) -> subprocess.Popen[bytes]:
    """Start Python inside with the words that follow it, from an environment that tells it nothing."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [*sandbox.prefix, sys.executable, "-I", *words]
    if not sandbox.owns:
        environment = {**_ENVIRONMENT, "HOME": folder, "TMPDIR": folder, "WHYRAISE_FOLDER": folder}
        return subprocess.Popen(command, env=environment, cwd=folder, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]  # noqa: S603
    passed = [_pipe(_HOSTS)] + ([_pipe(sandbox.filter)] if sandbox.filter else [])
    place = command.index("--remount-ro")
    command[place:place] = ["--ro-bind-data", str(passed[0]), "/etc/hosts"]
    command[place:place] = ["--seccomp", str(passed[1])] if sandbox.filter else []
    try:
        return subprocess.Popen(command, env={}, pass_fds=passed, **pipes)  # type: ignore[call-overload,no-any-return]  # noqa: S603
    finally:
        for pipe in passed:
            os.close(pipe)


def _pipe(data: bytes) -> int:
    """Return the reading end of a pipe that holds these few bytes and has been closed for writing."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as file:
        file.write(data)
    return reading


def warm_file() -> Path:
    """Return the file of the warm parent, which the sandbox shows at the same place."""
    return Path(__file__).with_name("worker.py")


def bubblewrap() -> Sandbox | str:
    """Return the sandbox of namespaces, or why there is none."""
    prlimit, bwrap = shutil.which("prlimit"), shutil.which("bwrap")
    if not prlimit or not bwrap:
        return "bubblewrap is not installed"
    claims = (NETWORK, FILES, WRITES, ENVIRONMENT, PROCESSES, *((SYSTEM,) if seccomp() else ()), LIMITS)
    return Sandbox("bwrap", claims, _bubblewrap(prlimit, bwrap), seccomp(), owns=True)


def landlock() -> Sandbox | str:
    """Return the sandbox of Landlock rules, or why there is none: it needs Linux 6.12, where signals have a scope."""
    if landlock_version() < _LANDLOCK:
        return "Landlock is too old here, or off"
    if not seccomp():
        return "Landlock alone, without a system call filter, is no sandbox"
    confined = Path(__file__).with_name("landlock.py")
    readable = [sys.base_prefix, sys.prefix, str(warm_file()), "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"]
    tables = ["/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/resolv.conf"]
    devices = ["/dev/null", "/dev/zero", "/dev/urandom", "/sys", "/proc"]
    rules = json.dumps({"readable": [*readable, *tables, *devices], "shared": _SHARED, "filter": seccomp().hex()})
    words = (sys.executable, "-I", str(confined), rules, "--")
    return Sandbox("landlock", (FILES, WRITES_SHARED, ENVIRONMENT, PROCESSES, SYSTEM), words, b"", owns=False)


def landlock_version() -> int:
    """Return the version of Landlock's interface, or a negative number where there is none."""
    return (
        int(ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, 1)) if sys.platform == "linux" else -1
    )


def _bubblewrap(prlimit: str, bwrap: str) -> tuple[str, ...]:
    words = [prlimit, *_LIMITS, bwrap]
    words += ["--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--disable-userns"]
    words += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--dir", "/etc", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc"]
    words += ["--dev", "/dev", "--size", _TMPFS, "--tmpfs", _SHARED, "--size", _TMPFS, "--tmpfs", _PLACE]
    for path in (sys.base_prefix, sys.prefix, str(warm_file())):
        words += ["--ro-bind", path, path]
    for name, value in _ENVIRONMENT.items():
        words += ["--setenv", name, value]
    # --size precedes each --tmpfs it limits.
    return (*words, "--chdir", _PLACE, "--remount-ro", "/", "--")


def seccomp() -> bytes:
    """Return the system call filter as classic BPF, or nothing on a processor whose numbers are not listed here."""
    if platform.machine() != "x86_64":
        return b""
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    program += [(_AT_LEAST, len(_DENIED) + 1, 0, _X32)]
    program += [(_EQUAL, len(_DENIED) - n, 0, call) for n, call in enumerate(_DENIED)]
    program += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *step) for step in program)
