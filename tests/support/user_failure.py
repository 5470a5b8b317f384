"""A traceback through the user's own code, and texts that are hard to annotate."""

from pathlib import Path

# The record of the failure below, and of "too many values to unpack".
JSON_RECORD, UNPACK_RECORD = "891c392144eab188", "b388fb85df50a823"
UNPACK = "ValueError: too many values to unpack (expected 2)"
WINDOWS = f'  File "C:\\a b\\ü%1.py", line 3, in f\n{UNPACK}\n'
# A message with workflow commands, fences and terminal control characters.
CONTROLS = "Command '\x07::stop-commands::x %0A ``` \u202e' returned non-zero exit status 1."


def make_folder(folder: Path) -> None:
    """Write the source file that `failure` names."""
    (folder / "src, a").mkdir()
    (folder / "src, a" / "train%.py").write_text("", "utf-8")


def failure(folder: Path) -> str:
    """Return the traceback of an error that is raised in the standard library and called from the user's own file."""
    return (
        f'Traceback (most recent call last):\n  File "{folder}/src, a/train%.py", line 7, in load\n'
        '    json.loads(text)\n  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n'
        '    raise JSONDecodeError("Expecting value", s, err.value) from None\n'
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n"
    )
