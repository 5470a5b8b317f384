"""Reads the text that a command gets, and writes what it prints."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from whyraise.errors import BadInput

# Bytes that are read at a time. A text of more bytes is explained window by window.
_CHUNK = 4 << 20


def read_text(path: str) -> str:
    """Read a file, or standard input if the path is `-`; invalid UTF-8 is replaced, as a paste may contain anything."""
    return "".join(read_chunks(path))


def read_chunks(path: str) -> Iterator[str]:
    """Read a text as `read_text` does, but in chunks of 4 MB."""
    from codecs import getincrementaldecoder  # noqa: PLC0415

    if path == "-" and sys.stdin.isatty():
        print("Paste the error, then press Ctrl-D.", file=sys.stderr)  # noqa: T201
    decoder = getincrementaldecoder("utf-8")("replace")
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            while data := file.read(_CHUNK):
                yield decoder.decode(data)
            yield decoder.decode(b"", final=True)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}. Name a file, or - for standard input.") from error


def show_progress(chunks: Iterable[str]) -> Iterator[str]:
    """Yield the chunks of a large log; print to a terminal how much has been read."""
    if not sys.stderr.isatty():
        yield from chunks
        return
    from tqdm import tqdm  # noqa: PLC0415  # takes longer to import than most commands

    with tqdm(unit=" characters", unit_scale=True, desc="read") as progress:
        for chunk in chunks:
            yield chunk
            progress.update(len(chunk))


def write(text: str) -> None:
    """Write a text to standard output as UTF-8."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.flush()


def write_json(content: object) -> None:
    """Write an object to standard output as JSON."""
    import json  # noqa: PLC0415

    write(json.dumps(content, ensure_ascii=False, indent=2) + "\n")
