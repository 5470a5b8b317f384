"""Texts of compiled modules: what their programs may say, read from the files as they are installed.

Nothing tells which function says a text, or with which class. A format string (`%d`, `{}`) is a whole message, and so
are whole sentences; other texts may be parts of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyraise.mine.raises import Kind, Raise
from whyraise.mine.scopes import Module
from whyraise.mine.templates import Hole, Template

ENDINGS = (".so", ".pyd", ".dylib")
# A C string: printable text, or text in UTF-8, from one NUL to the next. Longer ones are documentation.
_SHORTEST, _LONGEST = 24, 1000
_TEXT = re.compile(rb"(?<=\0)[\t\n\r -~\x80-\xff]{%d,%d}(?=\0)" % (_SHORTEST, _LONGEST))
# Bytes read at a time: a module may be larger than memory should be.
_BLOCK = 8 << 20
# Prose has so many words, of so many letters, and little else; a declaration or a table of names has more of that.
_WORDS, _LETTERS, _SHARE = 4, 16, 0.6
_WORD = r"[(\"'`]?[A-Za-z][a-z']*[)\"'`]?[.,:;!?]{0,2}"
_BEGINNING, _END = r"[A-Z][a-z]+ \w", (".", ". ", ".\n", "!", "?")
_DECLARATION = r"\n[ \t]*--|->|::|==|\w\(\w+ \w+[,)]|%s,|\w,\w+,\w"
# Placeholders of C's printf and Python's PyErr_Format, and of fmt and std::format.
_PRINTF = r"%[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|q|L)?[diouxXeEfFgGcspRSUVAT]|%%"
_FMT = r"\{[\w.:<>]*\}"


def is_native(site: str) -> bool:
    """Say whether a file is a compiled module or library, by its name: a library's may end in a version."""
    name = site.rpartition("/")[2]
    return name.endswith(ENDINGS) or ".so." in name


def site_of_module(path: str) -> str:
    """Return a compiled module's path without the interpreter and platform that its name is tagged with."""
    folder, slash, name = path.rpartition("/")
    stem, _, rest = name.partition(".")
    return f"{folder}{slash}{stem}.{'so' if '.so' in f'.{rest}' else rest.rpartition('.')[2]}"


def read(path: str, site: str) -> tuple[Module, list[Raise]]:
    """Return a compiled module and its texts; raise `OSError` where the file cannot be read."""
    module = Module(site, "", (), {}, {}, {}, (), {}, "")
    templates = [template_of(text) for text in dict.fromkeys(_prose(path))]
    return module, [Raise("", each, "error", "", 0, (), kind=_kind(each)) for each in templates]


def _prose(path: str) -> Iterator[str]:
    for found in _strings(path):
        try:
            text = found.decode()
        except UnicodeDecodeError:
            continue
        if is_prose(text):
            yield text


def _strings(path: str) -> Iterator[bytes]:
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            data = rest + block
            yield from _TEXT.findall(data)
            rest = data[-_LONGEST - 2 :]


def is_prose(text: str) -> bool:
    """Say whether a text is a sentence, or a part of one, and no declaration, table or source code."""
    pieces = text.split()
    words = [piece for piece in pieces if re.fullmatch(_WORD, piece)]
    enough = len(words) >= _WORDS and sum(map(len, words)) >= _LETTERS and len(words) >= _SHARE * len(pieces)
    return enough and not re.search(_DECLARATION, text)


def template_of(text: str) -> Template:
    """Return a text with the placeholders of the format language that it is written in."""
    form = _PRINTF if re.search(_PRINTF, text) else _FMT
    parts: list[str | Hole] = []
    end = 0
    for found in re.finditer(form, text):
        parts += [text[end : found.start()], "%" if found[0] == "%%" else Hole(found[0])]
        end = found.end()
    return tuple(part for part in (*parts, text[end:]) if part)


def _kind(template: Template) -> Kind:
    """Return what a text is: a format string or whole sentences are a message."""
    first, last = template[0], template[-1]
    is_sentence = (
        isinstance(first, str) and isinstance(last, str) and re.match(_BEGINNING, first) and last.endswith(_END)
    )
    return "template" if is_sentence or any(isinstance(part, Hole) for part in template) else "fragment"
