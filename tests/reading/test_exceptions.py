"""Tracebacks as people paste them: the exceptions read from them, with messages and frames."""

import pytest

from tests.support.reading import classes_and_messages, read
from tests.support.seed import MESSAGE, TRACEBACK


def test_a_traceback_is_read_with_class_message_and_frames() -> None:
    [block] = read(TRACEBACK).blocks
    assert (block.class_name, block.message, block.relation) == ("TypeError", MESSAGE, "raised")
    ddp = "/home/user/.venv/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py"
    assert [(frame.path, frame.line, frame.function) for frame in block.frames] == [
        ("/home/user/train.py", 31, "<module>"),
        (ddp, 268, "no_backward_sync"),
    ]
    assert TRACEBACK[slice(*block.span)] == MESSAGE
    assert [TRACEBACK[slice(*line)].split()[0] for line in block.source_lines] == ["with", "raise"]


@pytest.mark.parametrize(
    ("sentence", "relation"),
    [
        ("The above exception was the direct cause of the following exception:", "cause"),
        ("During handling of the above exception, another exception occurred:", "context"),
    ],
)
def test_chained_exceptions_have_their_relation_to_the_last_one(sentence: str, relation: str) -> None:
    first = TRACEBACK.replace("TypeError: " + MESSAGE, "KeyError: 'x'")
    blocks = read(f"{first}\n{sentence}\n\n{TRACEBACK}").blocks
    assert [(block.class_name, block.relation, len(block.frames)) for block in blocks] == [
        ("KeyError", relation, 2),
        ("TypeError", "raised", 2),
    ]


def test_a_class_of_any_name_is_read_at_the_end_of_a_traceback() -> None:
    text = TRACEBACK.replace("TypeError: " + MESSAGE, "queue.Empty\n\nafterwards: all is well")
    assert classes_and_messages(text) == [("queue.Empty", "")]


def test_a_word_with_a_colon_is_not_read_as_an_exception() -> None:
    assert classes_and_messages("note: this is fine\nHint: try again\nresult: 3\n") == []


def test_frames_without_an_exception_are_kept() -> None:
    text = TRACEBACK.partition("TypeError")[0]
    assert (classes_and_messages(text), len(read(text).loose_frames)) == ([], 2)


def test_a_class_that_begins_with_an_underscore_keeps_it() -> None:
    assert classes_and_messages("_pickle.UnpicklingError: pickle data was truncated") == [
        ("_pickle.UnpicklingError", "pickle data was truncated")
    ]


NATIVE = """[rank1]:[E1201 10:00:00.000123 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught a timeout of 600000 ms
terminate called after throwing an instance of 'c10::DistBackendError'
  what():  [Rank 1] the process group was taken down
"""


def test_lines_of_the_nccl_watchdog_and_of_cpp_are_read_with_their_rank() -> None:
    terminated, watchdog = sorted(read(NATIVE).blocks, key=lambda block: -len(block.class_name))
    assert (watchdog.message, watchdog.rank, watchdog.frames[0].path, watchdog.frames[0].line) == (
        "[Rank 1] Watchdog caught a timeout of 600000 ms", 1, "ProcessGroupNCCL.cpp", 607,
    )  # fmt: skip
    assert (terminated.class_name, terminated.message) == (
        "c10::DistBackendError",
        "[Rank 1] the process group was taken down",
    )


def test_frames_of_a_debugger_are_read_although_the_innermost_comes_first() -> None:
    text = """Exception has occurred: KeyError
'lr'
  File "/home/user/optim.py", line 3, in rate
    return config["lr"]
  File "/home/user/train.py", line 9, in <module>
    rate()
"""
    [block] = read(text).blocks
    assert (block.class_name, block.message, [frame.function for frame in block.frames]) == (
        "KeyError", "'lr'", ["<module>", "rate"],
    )  # fmt: skip
