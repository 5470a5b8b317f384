"""Tracebacks as they are pasted: which exceptions are read, with what message and frames."""

import pytest

from tests.support.seed import MESSAGE, TRACEBACK
from whyraise.reading.exceptions import Reading, parse
from whyraise.reading.paste import clean
from whyraise.source_paths import site_of


def read(text: str) -> Reading:
    return parse(clean(text))


def told(text: str) -> list[tuple[str, str]]:
    return [(block.class_name, block.message) for block in read(text).blocks]


def test_a_traceback_is_read_with_class_message_and_frames() -> None:
    [block] = read(TRACEBACK).blocks
    assert (block.class_name, block.message, block.relation) == ("TypeError", MESSAGE, "raised")
    ddp = "/home/user/.venv/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py"
    assert [(frame.path, frame.line, frame.function) for frame in block.frames] == [
        ("/home/user/train.py", 31, "<module>"),
        (ddp, 268, "no_backward_sync"),
    ]
    assert TRACEBACK[slice(*block.span)] == MESSAGE
    assert [TRACEBACK[slice(*echo)].split()[0] for echo in block.echoes] == ["with", "raise"]


@pytest.mark.parametrize(
    ("sentence", "relation"),
    [
        ("The above exception was the direct cause of the following exception:", "cause"),
        ("During handling of the above exception, another exception occurred:", "context"),
    ],
)
def test_chained_exceptions_say_how_they_stand_to_the_last_one(sentence: str, relation: str) -> None:
    first = TRACEBACK.replace("TypeError: " + MESSAGE, "KeyError: 'x'")
    blocks = read(f"{first}\n{sentence}\n\n{TRACEBACK}").blocks
    assert [(block.class_name, block.relation, len(block.frames)) for block in blocks] == [
        ("KeyError", relation, 2),
        ("TypeError", "raised", 2),
    ]


def test_a_class_of_any_name_is_read_where_a_traceback_ends() -> None:
    text = TRACEBACK.replace("TypeError: " + MESSAGE, "queue.Empty\n\nafterwards: all is well")
    assert told(text) == [("queue.Empty", "")]


def test_a_word_with_a_colon_is_no_exception() -> None:
    assert told("note: this is fine\nHint: try again\nresult: 3\n") == []


@pytest.mark.parametrize(
    "after",
    [
        "\n\nAny idea?", "\n```\n", "\nframe #0: c10::Error::Error(c10::SourceLocation)", "\n[2022-02-04 09:15:02,310] INFO end",
        "\nEpoch 0: 100%|████| 64/64 [00:51<00:00]", "\nINFO: done", "\n^C  Stopping...", "\n      [end of output]", "\nTraceback (most recent call last):",
        "\nKeyError: 3", "\n$ python train.py",
    ],
)  # fmt: skip
def test_a_message_ends_before_what_is_none_of_it(after: str) -> None:
    assert told(f"ValueError: bad value{after}")[0] == ("ValueError", "bad value")


def test_a_message_of_several_lines_is_read_whole() -> None:
    message = 'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "a.b". \n\tsize mismatch for c'
    assert told(f"RuntimeError: {message}\n\nprose") == [("RuntimeError", message)]


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
    assert told(f"I get\n\n{text}\n\nwhy?") == [("ImportError", "no such `x(1)`".rstrip("`" if text[0] == "`" else ""))]


MODULE = "/home/user/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py"


@pytest.mark.parametrize("cut", ["mod\nule", "line 17\n89", "_call\n_impl"])
def test_a_frame_that_was_cut_at_a_width_is_read_whole(cut: str) -> None:
    frame = f'  File "{MODULE}", line 1789, in _call_impl\n'.replace(cut.replace("\n", ""), cut)
    text = f"Traceback (most recent call last):\n{frame}    return forward_call(*args, **kwargs)\nValueError: x\n"
    [found] = read(text).blocks[0].frames
    assert (found.path, found.line, found.function) == (MODULE, 1789, "_call_impl")


def test_frames_of_rich_are_read() -> None:
    text = "/usr/lib/python3.11/json/decoder.py:355 in raw_decode\n\n  354\n❱ 355   raise JSONDecodeError\n\nValueError: bad\n"
    [frame] = read(text).blocks[0].frames
    assert (frame.path, frame.line, frame.function) == ("/usr/lib/python3.11/json/decoder.py", 355, "raw_decode")


def test_frames_that_no_exception_ends_are_kept() -> None:
    text = TRACEBACK.partition("TypeError")[0]
    assert (told(text), len(read(text).loose_frames)) == ([], 2)


def test_each_rank_has_exceptions_of_its_own() -> None:
    text = "".join(f"[rank{rank}]: {line}\n" for line in TRACEBACK.splitlines() for rank in (2, 5))
    assert [(block.rank, len(block.frames)) for block in read(text).blocks] == [(2, 2), (5, 2)]


@pytest.mark.parametrize(
    "path",
    [
        "src/lightning/fabric/strategies/ddp.py",
        "/opt/conda/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py",
        "/usr/lib/python3/dist-packages/lightning_fabric/strategies/ddp.py",
        r"C:\Users\me\anaconda3\envs\x\lib\site-packages\lightning_fabric\strategies\ddp.py",
        "/home/me/pytorch-lightning/src/lightning/fabric/strategies/ddp.py",
    ],
)
def test_every_spelling_of_a_raise_site_is_one(path: str) -> None:
    assert site_of(path) == "lightning/fabric/strategies/ddp.py"


SPAWN = """Traceback (most recent call last):
  File "/x/site-packages/torch/multiprocessing/spawn.py", line 212, in join
    raise ProcessRaisedException(msg, error_index, failed_process.pid)
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File "/x/site-packages/torch/multiprocessing/spawn.py", line 90, in _wrap
    fn(i, *args)
  File "/home/user/train.py", line 9, in worker
    raise ValueError("no data for rank 1")
ValueError: no data for rank 1
"""


def test_an_exception_inside_the_report_of_another_process_is_told_from_its_wrapper() -> None:
    wrapper, inner = read(SPAWN).blocks
    assert (wrapper.class_name.rpartition(".")[2], wrapper.wrapper) == ("ProcessRaisedException", True)
    assert (inner.class_name, inner.message, inner.relation, inner.wrapper) == (
        "ValueError",
        "no data for rank 1",
        "worker",
        False,
    )


def test_a_class_that_begins_with_an_underscore_keeps_it() -> None:
    assert told("_pickle.UnpicklingError: pickle data was truncated") == [
        ("_pickle.UnpicklingError", "pickle data was truncated")
    ]


def test_the_summary_of_torchrun_is_one_message_between_its_rules() -> None:
    rule = "=" * 60
    summary = (
        f"\n{rule}\ntrain.py FAILED\n{'-' * 60}\nRoot Cause (first observed failure):\n[0]:\n  exitcode  : 1\n{rule}"
    )
    [block] = read(f"torch.distributed.elastic.multiprocessing.errors.ChildFailedError:{summary}\nbye\n").blocks
    assert (block.message, block.wrapper) == (summary, True)


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        ("/x/site-packages/a/b.py in fit(self, model)", ("/x/site-packages/a/b.py", None, "fit")),
        (
            "File ~/x/site-packages/a/b.py:12, in Trainer.fit(self, model)",
            ("~/x/site-packages/a/b.py", 12, "Trainer.fit"),
        ),
        (r"C:\Users\me\a b\c.py in <module>", (r"C:\Users\me\a b\c.py", None, "<module>")),
    ],
)
def test_frames_of_notebooks_are_read(line: str, frame: tuple[str, int | None, str]) -> None:
    [found] = read(f"{line}\n     11 x\n---> 12 y\n\nValueError: bad\n").blocks[0].frames
    assert (found.path, found.line, found.function) == frame


RAY = """ray.exceptions.RayTaskError(ValueError): ray::train() (pid=812, ip=10.0.0.7)
  File "/home/user/train.py", line 9, in train
    raise ValueError("no shard 3")
ValueError: no shard 3
"""


def test_what_a_task_of_ray_raised_elsewhere_is_told_from_its_wrapper() -> None:
    wrapper, inner = read(RAY).blocks
    assert (wrapper.class_name, wrapper.wrapper) == ("ray.exceptions.RayTaskError", True)
    assert (inner.class_name, inner.message, inner.relation, len(inner.frames)) == (
        "ValueError", "no shard 3", "remote", 1,
    )  # fmt: skip


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


def test_the_footer_of_pip_is_a_wrapper() -> None:
    [block] = read("error: subprocess-exited-with-error\n\nnote: this is not pip's own\n").blocks
    assert (block.class_name, block.message, block.wrapper) == ("", "subprocess-exited-with-error", True)


def test_what_a_debugger_shows_is_read_though_its_last_call_comes_first() -> None:
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


def test_what_two_processes_wrote_into_one_line_is_read_once() -> None:
    assert told("ValueErrorValueError: : no data hereno data here\n") == [("ValueError", "no data here")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-12-01 ERROR job 3 failed: ValueError: no data\n", ("ValueError", "no data")),
        ("<Task finished exception=ValueError('no data')>", ("ValueError", "no data")),
        ("ERROR:    Error loading the app: there is none\n", ("", "Error loading the app: there is none")),
    ],
)
def test_an_exception_that_a_line_mentions_is_read_where_there_is_no_other(
    text: str, expected: tuple[str, str]
) -> None:
    assert told(text) == [expected]


def test_source_that_raises_is_no_exception() -> None:
    assert told('def f():\n    raise ValueError("no data")\n') == []


def test_what_one_rank_says_does_not_run_on_into_what_another_says() -> None:
    text = "[rank0]: ValueError: first\n[rank1]: note: second\nthird\n"
    assert told(text) == [("ValueError", "first")]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("jinja2.exceptions.TemplateNotFound: page.html\n", [("jinja2.exceptions.TemplateNotFound", "page.html")]),
        ("app.Service: started\nValueError: bad value 3\n", [("ValueError", "bad value 3")]),
        ("it went well\napp.Service: started\n", []),
        ("www.Example.com: nothing\n", []),
    ],
)
def test_a_paste_that_begins_with_the_full_name_of_a_class_is_read_whatever_the_class_is_called(
    text: str, read: list[tuple[str, str]]
) -> None:
    assert [(block.class_name, block.message) for block in parse(clean(text)).blocks] == read
