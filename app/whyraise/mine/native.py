"""Read the texts of compiled modules that may be messages, from the installed files.

The function and the class of a message are unknown. A format string (`%d`, `{}`) is a whole message, and so are whole
sentences; other texts may be parts of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyraise.mine.message_template import Placeholder, Template
from whyraise.mine.raises import Kind, Raise
from whyraise.mine.scopes import Module
from whyraise.names import bare_name

_SUFFIXES = (".so", ".pyd", ".dylib")
# A C string: printable text, or text in UTF-8, between two NUL bytes. Longer ones are documentation.
_MIN_BYTES, _MAX_BYTES = 24, 1000
_TEXT = re.compile(rb"(?<=\0)[\t\n\r -~\x80-\xff]{%d,%d}(?=\0)" % (_MIN_BYTES, _MAX_BYTES))
# Bytes read at a time: a module may be too large to be read into memory as a whole.
_BLOCK = 8 << 20
# Prose has at least so many words, so many letters in words, and so large a share of words among its pieces; in
# declarations and tables of names the share is smaller.
_MIN_WORDS, _MIN_LETTERS, _MIN_SHARE = 4, 16, 0.6
_WORD = r"[(\"'`]?[A-Za-z][a-z']*[)\"'`]?[.,:;!?]{0,2}"
_SENTENCE_START, _SENTENCE_ENDS = r"[A-Z][a-z]+ \w", (".", ". ", ".\n", "!", "?")
_DECLARATION = r"\n[ \t]*--|->|::|==|\w\(\w+ \w+[,)]|%s,|\w,\w+,\w"
# Placeholders of C's printf and Python's PyErr_Format, and of fmt and std::format.
_PRINTF = r"%[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|q|L)?[diouxXeEfFgGcspRSUVAT]|%%"
_FMT = r"\{[\w.:<>]*\}"


def is_native(site: str) -> bool:
    """Return whether a file is a compiled module or library, by its name; a library's name may end in a version."""
    name = site.rpartition("/")[2]
    return name.endswith(_SUFFIXES) or ".so." in name


def site_of_module(path: str) -> str:
    """Return a compiled module's path without the tags for interpreter and platform in its name."""
    folder, slash, name = path.rpartition("/")
    stem, _, rest = name.partition(".")
    return f"{folder}{slash}{stem}.{'so' if '.so' in f'.{rest}' else bare_name(rest)}"


def read(path: str, site: str) -> tuple[Module, list[Raise]]:
    """Return a compiled module and its texts; raise `OSError` if the file cannot be read."""
    module = Module(site, "", (), {}, {}, {}, (), {}, "")
    templates = [template_of(text) for text in dict.fromkeys(_prose(path))]
    return module, [Raise("", template, "error", "", 0, (), kind=_kind(template)) for template in templates]


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
            rest = data[-_MAX_BYTES - 2 :]


def is_prose(text: str) -> bool:
    """Return whether a text is a sentence or a part of one, and not a declaration, table or source code."""
    pieces = text.split()
    words = [piece for piece in pieces if re.fullmatch(_WORD, piece)]
    has_words = len(words) >= _MIN_WORDS and sum(map(len, words)) >= _MIN_LETTERS
    return has_words and len(words) >= _MIN_SHARE * len(pieces) and not re.search(_DECLARATION, text)


def template_of(text: str) -> Template:
    """Split a text at its placeholders, which are those of C's printf if it has any, or else those of fmt."""
    placeholder = _PRINTF if re.search(_PRINTF, text) else _FMT
    parts: list[str | Placeholder] = []
    end = 0
    for found in re.finditer(placeholder, text):
        parts += [text[end : found.start()], "%" if found[0] == "%%" else Placeholder(found[0])]
        end = found.end()
    return tuple(part for part in (*parts, text[end:]) if part)


def _kind(template: Template) -> Kind:
    """Return the kind of a text: a format string or whole sentences are a message, anything else a fragment."""
    first, last = template[0], template[-1]
    is_sentence = (
        isinstance(first, str)
        and isinstance(last, str)
        and re.match(_SENTENCE_START, first)
        and last.endswith(_SENTENCE_ENDS)
    )
    return "template" if is_sentence or any(isinstance(part, Placeholder) for part in template) else "fragment"
