"""Frames in the forms in which programs print them."""

import pytest

from tests.support.reading import read

MODULE = "/home/user/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py"


@pytest.mark.parametrize("wrapped", ["mod\nule", "line 17\n89", "_call\n_impl"])
def test_a_frame_that_a_terminal_wrapped_is_read_whole(wrapped: str) -> None:
    frame = f'  File "{MODULE}", line 1789, in _call_impl\n'.replace(wrapped.replace("\n", ""), wrapped)
    text = f"Traceback (most recent call last):\n{frame}    return forward_call(*args, **kwargs)\nValueError: x\n"
    [found] = read(text).blocks[0].frames
    assert (found.path, found.line, found.function) == (MODULE, 1789, "_call_impl")


def test_frames_of_rich_are_read() -> None:
    path = "/usr/lib/python3.11/json/decoder.py"
    text = f"{path}:355 in raw_decode\n\n  354\n❱ 355   raise JSONDecodeError\n\nValueError: bad\n"
    [frame] = read(text).blocks[0].frames
    assert (frame.path, frame.line, frame.function) == (path, 355, "raw_decode")


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
