"""The sandbox that snippets run in, and the test that it holds.

What bubblewrap claims: own network with nothing but its loopback, own processes, a read-only view of Python and its
packages and of nothing else, memory file systems of limited size, an empty environment, a system call filter, and
limits for file size, open files and memory of a process. The number of processes and the memory of all are watched by
the warm parent, since a limit per user does not bind root.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from whyraise.errors import BadInput
from whyraise.shape import NamedTuple

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
_X86_64, _X32 = 0xC000003E, 0x40000000  # linux/audit.h; the bit of the x32 system calls
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # linux/bpf_common.h
_KILL, _NOT_PERMITTED, _ALLOW = 0x80000000, 0x00050001, 0x7FFF0000  # linux/seccomp.h

_SELF_TEST = """
import os, socket, sys
port, secret = int(sys.argv[1]), sys.argv[2]
leaks = []
try:
    socket.create_connection(("127.0.0.1", port), 1)
    leaks.append("reaches the host's loopback")
except OSError: pass
if os.path.exists(secret): leaks.append("sees other files")
if open("/proc/1/environ", "rb").read(): leaks.append("sees the caller's environment")
for path in ("/usr/x", sys.prefix + "/x", "/x"):
    try:
        open(path, "w"); leaks.append("writes " + path)
    except OSError: pass
print("; ".join(leaks) or "holds")
"""


class Sandbox(NamedTuple):
    """A sandbox's name, and the words that go before a command to run it inside."""

    name: str
    prefix: tuple[str, ...]
    filter: bytes


def choose(unconfined: bool) -> Sandbox:
    """Return bubblewrap where it holds, or no sandbox where that was asked for; raise `BadInput` otherwise."""
    if unconfined:
        return Sandbox("none", (), b"")
    if not shutil.which("bwrap"):
        raise BadInput("There is no sandbox: install bubblewrap, or use --unconfined for code that you trust.")
    found = Sandbox("bwrap", _bubblewrap(), _seccomp())
    if (said := self_test(found)) != "holds":
        raise BadInput(f"The sandbox bubblewrap does not hold here: {said}. --unconfined is for code that you trust.")
    return found


def self_test(sandbox: Sandbox) -> str:
    """Return "holds", or what code inside can reach of what it must not."""
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.NamedTemporaryFile(dir=_PLACE) as secret:
        words = ["-c", _SELF_TEST, str(listener.getsockname()[1]), secret.name]
        process = start(sandbox, words)
        out, errors = process.communicate(timeout=30)
    return out.decode().strip() or errors.decode().strip().splitlines()[-1:][0] if out or errors else "said nothing"


def start(sandbox: Sandbox, words: list[str]) -> subprocess.Popen[bytes]:
    """Start Python inside with the words that follow it, from an environment that tells it nothing."""
    command = [*sandbox.prefix, sys.executable, "-I", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if not sandbox.prefix:
        return subprocess.Popen(command, env=_ENVIRONMENT, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]  # noqa: S603
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
    return Path(__file__).with_name("warm.py")


def _bubblewrap() -> tuple[str, ...]:
    prlimit, bwrap = shutil.which("prlimit"), shutil.which("bwrap")
    words = [str(prlimit), *_LIMITS, str(bwrap)]
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


def _seccomp() -> bytes:
    """Return the system call filter as classic BPF, or nothing on a processor whose numbers are not listed here."""
    if platform.machine() != "x86_64":
        return b""
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    program += [(_AT_LEAST, len(_DENIED) + 1, 0, _X32)]
    program += [(_EQUAL, len(_DENIED) - n, 0, call) for n, call in enumerate(_DENIED)]
    program += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *step) for step in program)
