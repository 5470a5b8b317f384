"""Where the message of an exception ends."""

import json
from pathlib import Path

import pytest

from tests.support.reading import classes_and_messages


@pytest.mark.parametrize(
    "after",
    [
        "\n\nAny idea?",
        "\n```\n",
        "\n[2022-02-04 09:15:02,310] INFO end",
        "\nEpoch 0: 100%|████| 64/64 [00:51<00:00]",
        "\nINFO: done",
        "\n^C  Stopping...",
        "\n      [end of output]",
        "\nTraceback (most recent call last):",
        "\nKeyError: 3",
        "\n$ python train.py",
    ],
)
def test_a_message_ends_before_other_output(after: str) -> None:
    assert classes_and_messages(f"ValueError: bad value{after}")[0] == ("ValueError", "bad value")


def test_a_message_of_several_lines_is_read_whole() -> None:
    message = 'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "a.b". \n\tsize mismatch for c'
    assert classes_and_messages(f"RuntimeError: {message}\n\nprose") == [("RuntimeError", message)]


@pytest.mark.parametrize(
    "text",
    [
        "[ImportError: no such `x(1)`]",
        "`ImportError: no such `x(1)`",
        "_**ImportError: no such `x(1)`**_",
        '"ImportError: no such `x(1)`"',
    ],
)
def test_a_message_in_quotes_or_brackets_is_read_without_them(text: str) -> None:
    message = "no such `x(1)`".rstrip("`" if text[0] == "`" else "")
    assert classes_and_messages(f"I get\n\n{text}\n\nwhy?") == [("ImportError", message)]


def test_the_message_of_one_rank_does_not_continue_into_the_lines_of_another() -> None:
    text = "[rank0]: ValueError: first\n[rank1]: note: second\nthird\n"
    assert classes_and_messages(text) == [("ValueError", "first")]


LONG = json.loads((Path(__file__).parent.parent / "data" / "long_messages.json").read_text("utf-8"))


@pytest.mark.parametrize("after", ["\n", "\n\nprose", "\nuser@host:~/app$ \n", "\nProcess finished with exit code 1\n"])
@pytest.mark.parametrize("sample", LONG, ids=lambda sample: sample["message"][:40])
def test_a_message_goes_on_in_lines_that_belong_to_it(sample: dict[str, str], after: str) -> None:
    frames = 'Traceback (most recent call last):\n  File "/home/user/app/run.py", line 9, in <module>\n    go()\n'
    text = f"{frames}{sample['class']}: {sample['message']}{after}"
    assert classes_and_messages(text) == [(sample["class"], sample["message"])]
