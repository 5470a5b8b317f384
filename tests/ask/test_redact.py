"""Secrets and personal data are replaced, and texts that only look similar are not."""

from __future__ import annotations

import pytest

from whyraise.ask.redact import mask_secrets, redact


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("password=hunter2hunter", "password=[redacted]"),
        ("postgres://me:pass@db/x", "postgres://me:[redacted]@db/x"),
        ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer [redacted]"),
        ("ghp_" + "a1" * 18, "[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest"),
        ('"/home/alice/x.py" alice@example.org at 10.1.2.3', '"/home/[redacted]/x.py" [redacted] at [redacted]'),
        ("/home/user/x.py: password is wrong in 1.2.3.4.5", "/home/user/x.py: password is wrong in 1.2.3.4.5"),
        ("token: int = 3", "token: int = 3"),
    ],
)  # fmt: skip
def test_secrets_and_personal_data_are_replaced_and_similar_texts_are_not(text: str, clean: str) -> None:
    assert redact(text) == clean


def test_masking_keeps_every_offset_and_line_end() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg kqhkiG9w0\n-----END PRIVATE KEY-----"
    text = f"a\n{key}\npassword = hunter2-hunter2 b\n"
    masked = mask_secrets(text)
    assert (len(masked), masked.count("\n")) == (len(text), text.count("\n"))
    assert masked.startswith("a\n*****")
    assert masked.endswith("password = *************** b\n")
    assert "MII" not in masked
