"""Confines a process with Landlock and a system call filter, runs a command in it, and ends all that it left running.

This file is run by its path, as `python -I landlock.py RULES -- COMMAND…`. Sources: landlock(7), seccomp(2), prctl(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import resource
import signal
import struct
import sys

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # landlock_create_ruleset, landlock_add_rule, landlock_restrict_self
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER, _SUBREAPER, _DEATH_SIGNAL = 38, 22, 2, 36, 1  # linux/prctl.h
_DROP_BOUND, _CAPSET = 24, {"x86_64": 126, "aarch64": 91}  # PR_CAPBSET_DROP; capset(2)
_ALL_RIGHTS = (1 << 16) - 1  # every right over files, up to device calls (version 5)
# Execute and read files, and list folders. Landlock refuses a rule for a file that has rights for folders.
_READ_FOLDER, _READ_FILE = 0b1101, 0b0101
_SCOPES = 0b11  # abstract sockets, and signals to processes outside
_LIMITS = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: 1024, resource.RLIMIT_FSIZE: 1 << 28}
_MEMORY = 8 << 30


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


_LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Run a command confined, and return its exit code."""
    rules, command = json.loads(sys.argv[1]), sys.argv[3:]
    _check(_LIBC.prctl(_SUBREAPER, 1, 0, 0, 0))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    child = os.fork()
    if not child:
        _check(_LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0))
        writable = [os.environ.pop("WHYRAISE_FOLDER"), rules["shared"]]
        confine(rules["readable"], writable, bytes.fromhex(rules["filter"]))
        os.execv(command[0], command)  # noqa: S606
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        _end_all()


def confine(readable: list[str], writable: list[str], program: bytes) -> None:
    """Restrict this process and all that it starts, for good; raise `OSError` if that fails.

    `readable` and `writable` are paths; `program` is the system call filter as classic BPF.
    """
    for kind, limit in _LIMITS.items():
        resource.setrlimit(kind, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _drop_capabilities()
    _check(_LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    ruleset = _Ruleset(_ALL_RIGHTS, 0, _SCOPES)
    handle = _check(_LIBC.syscall(_CREATE, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0))
    for path in filter(os.path.exists, readable):
        _allow(handle, path, _READ_FOLDER if os.path.isdir(path) else _READ_FILE)
    _allow(handle, "/dev/null", _READ_FILE | 2)
    for path in filter(os.path.exists, writable):
        _allow(handle, path, _ALL_RIGHTS)
    _check(_LIBC.syscall(_RESTRICT, handle, 0))
    os.close(handle)
    filters = _Program(len(program) // 8, program)
    _check(_LIBC.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(filters), 0, 0))


def _drop_capabilities() -> None:
    """Drop the capabilities of root: with them, a process can read the memory of others in spite of Landlock."""
    number = 0
    while _LIBC.prctl(_DROP_BOUND, number, 0, 0, 0) == 0:
        number += 1
    if platform.machine() in _CAPSET:
        _check(_LIBC.syscall(_CAPSET[platform.machine()], struct.pack("Ii", 0x20080522, 0), bytes(24)))


def _allow(handle: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH)
    rule = _PathRule(rights, descriptor)
    _check(_LIBC.syscall(_ADD, handle, 1, ctypes.byref(rule), 0))
    os.close(descriptor)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _end_all() -> None:
    """End every process below this one; daemons are among them, because this process is their subreaper."""
    while children := _children():
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


if __name__ == "__main__":
    sys.exit(main())
