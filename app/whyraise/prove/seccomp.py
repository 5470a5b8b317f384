"""The system call filter of a sandbox, as a seccomp program in classic BPF."""

from __future__ import annotations

import platform
import struct

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


def seccomp() -> bytes:
    """Return the system call filter, or no bytes on a processor whose call numbers are not listed here."""
    if platform.machine() != "x86_64":
        return b""
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    program += [(_AT_LEAST, len(_DENIED) + 1, 0, _X32)]
    program += [(_EQUAL, len(_DENIED) - index, 0, call) for index, call in enumerate(_DENIED)]
    program += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *step) for step in program)
