"""The sandboxes that snippets may run in, from strong to weak, and the self-test of what each claims.

bubblewrap gives a process namespaces of its own. If those are not allowed, as in many containers, Landlock and a system
call filter confine at least the files. Inside bubblewrap the worker limits the number of processes and the memory of
all processes together, since a limit per user does not apply to root.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple
from whyraise.prove.seccomp import seccomp

_TMP = "/tmp"  # noqa: S108 (a memory file system of the sandbox itself)
_SHARED = "/dev/shm"  # noqa: S108 (likewise)
_TMPFS_SIZE = str(256 * 1024 * 1024)
# torchrun looks up its own host's name.
_HOSTS = b"127.0.0.1 localhost sandbox\n"
_LIMITS = ["--core=0", "--nofile=1024", "--fsize=268435456", "--as=8589934592"]
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": _TMP, "TMPDIR": _TMP, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1", "GLOO_SOCKET_IFNAME": "lo",
}  # fmt: skip
_CREATE_RULESET = 444  # landlock_create_ruleset(2), the same on every processor
_LANDLOCK_VERSION = 6

# The worker's program, and the only files of this package that a sandbox shows: at their own paths, read-only.
WORKER = Path(__file__).with_name("worker.py")
VISIBLE_FILES = (str(WORKER), str(WORKER.with_name("rank.py")))

# What a sandbox may claim, in the words of results. The self-test tries to break each.
NETWORK = "no network except its own loopback"
FILES = "reads only Python, its packages and the system's libraries"
WRITES = "writes only to its own folder, which is removed afterwards"
WRITES_SHARED = "writes only to its own folder and to shared memory"
ENVIRONMENT = "sees nothing of the caller's environment"
PROCESSES = "sees and signals only its own processes"
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
tries("no network except its own loopback", lambda: socket.create_connection(("127.0.0.1", port), 1))
tries("reads only Python, its packages and the system's libraries", lambda: open(secret).read())
for path in ("/usr/x", sys.prefix + "/x", "/x"):
    tries("writes only to its own folder, which is removed afterwards", lambda: open(path, "a"))
    tries("writes only to its own folder and to shared memory", lambda: open(path, "a"))
try: open(secret, "a").write("changed")
except OSError: pass
tries("sees nothing of the caller's environment", lambda: open("/proc/1/environ", "rb").read())
tries("sees nothing of the caller's environment", lambda: open(f"/proc/{caller}/environ", "rb").read())
tries("sees nothing of the caller's environment", lambda: "WHYRAISE_SELF_TEST" in os.environ)
tries("sees and signals only its own processes", lambda: os.kill(caller, 0) or True)
libc = ctypes.CDLL(None, use_errno=True)
tries("system calls that reach other processes or the kernel fail", lambda: libc.unshare(0x10000000) == 0)
print("; ".join(dict.fromkeys(leaks)) or "nothing")
"""


class Sandbox(NamedTuple):
    """A sandbox: its name, its claims, the prefix of a command that runs inside it, and its system call filter.

    If `owns` is true, it has a process namespace and a file system of its own: all its processes can be ended at once.
    """

    name: str
    claims: tuple[str, ...]
    prefix: tuple[str, ...]
    filter: bytes
    owns: bool


NONE = Sandbox("none", (), (), b"", owns=False)


def choose(unconfined: bool) -> Sandbox:
    """Return the strongest sandbox that passes its self-test, or `NONE` if `unconfined` is true.

    Raises `BadInput` if there is no such sandbox on this machine.
    """
    if unconfined:
        return NONE
    reasons = []
    for candidate in (bubblewrap, landlock):
        sandbox = candidate()
        if isinstance(sandbox, Sandbox):
            result = self_test(sandbox)
            if result == "holds":
                return sandbox
            reasons.append(f"{sandbox.name} {result}")
        else:
            reasons.append(sandbox)
    raise BadInput(
        f"No sandbox works on this machine: {'; '.join(reasons)}. Install bubblewrap, or use --unconfined for code that"
        " you trust."
    )


def self_test(sandbox: Sandbox) -> str:
    """Return "holds", or which of the sandbox's claims code inside it can break."""
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.NamedTemporaryFile(dir=_TMP) as secret:
        secret.write(b"secret")
        secret.flush()
        arguments = ["-c", _SELF_TEST, str(listener.getsockname()[1]), secret.name, str(os.getpid())]
        with own_folder(sandbox) as folder:
            out, errors = start(sandbox, arguments, folder).communicate(timeout=30)
        secret.seek(0)
        changed = [] if secret.read() == b"secret" else [WRITES, WRITES_SHARED]
    if not out:
        return f"does not start: {(errors.decode('utf-8', 'replace').strip().splitlines() or ['no error message'])[-1]}"
    broken = [claim for claim in out.decode().strip().split("; ") + changed if claim in sandbox.claims]
    return f"does not keep what it claims: {', '.join(broken)}" if broken else "holds"


@contextmanager
def own_folder(sandbox: Sandbox) -> Iterator[str]:
    """Yield the folder that a sandbox may write to; make and remove it if the sandbox has no file system of its own."""
    if sandbox.owns:
        yield _TMP
    else:
        with tempfile.TemporaryDirectory(prefix="whyraise-", ignore_cleanup_errors=True) as folder:
            yield folder


def start(sandbox: Sandbox, arguments: list[str], folder: str) -> subprocess.Popen[bytes]:
    """Start Python with these arguments inside a sandbox, with an environment that shows nothing of the caller's."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [*sandbox.prefix, sys.executable, "-I", *arguments]
    if not sandbox.owns:
        environment = {**_ENVIRONMENT, "HOME": folder, "TMPDIR": folder, "WHYRAISE_FOLDER": folder}
        return subprocess.Popen(command, env=environment, cwd=folder, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]  # noqa: S603
    descriptors = [_pipe(_HOSTS)] + ([_pipe(sandbox.filter)] if sandbox.filter else [])
    position = command.index("--remount-ro")
    command[position:position] = ["--ro-bind-data", str(descriptors[0]), "/etc/hosts"]
    command[position:position] = ["--seccomp", str(descriptors[1])] if sandbox.filter else []
    try:
        return subprocess.Popen(command, env={}, pass_fds=descriptors, **pipes)  # type: ignore[call-overload,no-any-return]  # noqa: S603
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _pipe(data: bytes) -> int:
    """Return the read end of a pipe that holds `data`, which must fit into the pipe, and is closed for writing."""
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb") as file:
        file.write(data)
    return read_end


def bubblewrap() -> Sandbox | str:
    """Return the sandbox of namespaces, or the reason why it is not available."""
    prlimit, bwrap = shutil.which("prlimit"), shutil.which("bwrap")
    if not prlimit or not bwrap:
        return "bubblewrap is not installed"
    claims = (NETWORK, FILES, WRITES, ENVIRONMENT, PROCESSES, *((SYSTEM,) if seccomp() else ()), LIMITS)
    return Sandbox("bwrap", claims, _bubblewrap_prefix(prlimit, bwrap), seccomp(), owns=True)


def _bubblewrap_prefix(prlimit: str, bwrap: str) -> tuple[str, ...]:
    words = [prlimit, *_LIMITS, bwrap]
    words += ["--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--disable-userns"]
    words += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--dir", "/etc", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc"]
    # --size precedes each --tmpfs that it limits.
    words += ["--dev", "/dev", "--size", _TMPFS_SIZE, "--tmpfs", _SHARED, "--size", _TMPFS_SIZE, "--tmpfs", _TMP]
    for path in (sys.base_prefix, sys.prefix, *VISIBLE_FILES):
        words += ["--ro-bind", path, path]
    for name, value in _ENVIRONMENT.items():
        words += ["--setenv", name, value]
    return (*words, "--chdir", _TMP, "--remount-ro", "/", "--")


def landlock() -> Sandbox | str:
    """Return the sandbox of Landlock rules, or the reason why it is not available.

    It needs version 6 of Landlock (Linux 6.12), the first that can confine signals.
    """
    if landlock_version() < _LANDLOCK_VERSION:
        return "Landlock is too old here, or off"
    if not seccomp():
        return "Landlock alone, without a system call filter, is no sandbox"
    readable = [sys.base_prefix, sys.prefix, *VISIBLE_FILES, "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"]
    readable += ["/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/resolv.conf"]
    readable += ["/dev/null", "/dev/zero", "/dev/urandom", "/sys", "/proc"]
    rules = json.dumps({"readable": readable, "shared": _SHARED, "filter": seccomp().hex()})
    prefix = (sys.executable, "-I", str(Path(__file__).with_name("landlock.py")), rules, "--")
    return Sandbox("landlock", (FILES, WRITES_SHARED, ENVIRONMENT, PROCESSES, SYSTEM), prefix, b"", owns=False)


def landlock_version() -> int:
    """Return the version of Landlock's interface, or a negative number if the system has no Landlock."""
    return (
        int(ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, 1)) if sys.platform == "linux" else -1
    )
