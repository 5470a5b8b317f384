"""Names: the bare names of classes and functions, which tracebacks and records write dotted, and the ids of records."""

from __future__ import annotations


def bare_name(dotted: str) -> str:
    """Return the last part of a dotted name: `DDPStrategy` for `lightning.fabric.strategies.DDPStrategy`."""
    return dotted.rpartition(".")[2]


def record_id(repository: str, site: str, function: str, error_class: str, pattern: str) -> str:
    """Return an id of 16 hex digits. It does not depend on the line, so it stays the same when code above is added."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load

    seed = "\0".join((repository, f"{site}:{function}", error_class, pattern))
    return hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]
