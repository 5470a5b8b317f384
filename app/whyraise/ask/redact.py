"""Finds secrets: they are masked before a text leaves the machine, the browser warns of them, and reports hide them.

The patterns of tokens follow the documentation of their issuers (prefix and alphabet). All patterns work in Python and
in JavaScript, ignore case, and limit each repetition, so that no text makes them slow.
"""

from __future__ import annotations

import json
import re

from whyraise.namedtuples import NamedTuple

PLACEHOLDER = "[redacted]"


class Pattern(NamedTuple):
    """A kind of secret: its name, and a regex that matches it. Group 1, if there is one, is not replaced."""

    name: str
    regex: str


SECRETS = (
    Pattern(
        "private key",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)",
    ),
    Pattern("GitHub token", r"\b(?:gh[pousr]_|github_pat_)[a-z0-9_]{20,255}"),
    Pattern("GitLab token", r"\bglpat-[a-z0-9_-]{20,255}"),
    Pattern("Hugging Face token", r"\bhf_[a-z0-9]{20,255}"),
    Pattern("API key", r"\bsk-[a-z0-9_-]{20,255}"),
    Pattern("AWS key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    Pattern("Google key", r"\bAIza[a-z0-9_-]{35}"),
    Pattern("Slack token", r"\bxox[abeprs]-[a-z0-9-]{10,255}"),
    Pattern("JSON web token", r"\beyJ[a-z0-9_-]{10,2000}\.[a-z0-9_-]{10,2000}\.[a-z0-9_-]{5,1000}"),
    Pattern("password in an address", r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s:@/]{0,100}:)[^\s@/]{1,200}(?=@)"),
    Pattern("bearer token", r"(\bbearer )[a-z0-9._~+/-]{16,2000}=*"),
    Pattern(
        "password or key",
        r"((?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token)[\"']?\s{0,3}[=:]\s{0,3}[\"']?)"
        r"[^\s\"',;(){}\[\]]{6,200}",
    ),
)
# Personal data, which must not appear in a public report.
_PERSONAL = (
    Pattern("e-mail address", r"\b[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}\b"),
    Pattern("user name", r"((?:/home/|/Users/|\bC:\\Users\\))(?!user\b)[^/\\\s\"']{1,64}"),
    Pattern("address", r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}\b(?!\.\d)"),
)


def as_json() -> str:
    """Return the patterns of secrets for the browser, as `[name, regex]` pairs."""
    return json.dumps([list(pattern) for pattern in SECRETS])


def mask_secrets(text: str) -> str:
    """Replace each visible character of what looks like a secret by `*`: all offsets and line numbers stay."""
    for pattern in SECRETS:
        text = re.sub(pattern.regex, _masked, text, flags=re.IGNORECASE)
    return text


def _masked(secret: re.Match[str]) -> str:
    prefix = secret[1] if secret.re.groups else ""
    return prefix + re.sub(r"\S", "*", secret[0][len(prefix) :])


def redact(text: str) -> str:
    """Replace what looks like a secret or like personal data in a text with `[redacted]`."""
    for pattern in (*SECRETS, *_PERSONAL):
        prefix = r"\1" if re.compile(pattern.regex).groups else ""
        text = re.sub(pattern.regex, prefix + PLACEHOLDER, text, flags=re.IGNORECASE)
    return text
