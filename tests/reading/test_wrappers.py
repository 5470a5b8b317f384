"""Exceptions that only report the failure of another process or command."""

from tests.support.reading import read

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


def test_an_exception_reported_by_another_process_is_distinguished_from_its_wrapper() -> None:
    wrapper, inner = read(SPAWN).blocks
    assert (wrapper.class_name.rpartition(".")[2], wrapper.wrapper) == ("ProcessRaisedException", True)
    assert (inner.class_name, inner.message, inner.relation, inner.wrapper) == (
        "ValueError",
        "no data for rank 1",
        "worker",
        False,
    )


def test_the_summary_of_torchrun_is_one_message_that_ends_with_its_rule() -> None:
    rule = "=" * 60
    summary = (
        f"\n{rule}\ntrain.py FAILED\n{'-' * 60}\nRoot Cause (first observed failure):\n[0]:\n  exitcode  : 1\n{rule}"
    )
    [block] = read(f"torch.distributed.elastic.multiprocessing.errors.ChildFailedError:{summary}\nbye\n").blocks
    assert (block.message, block.wrapper) == (summary, True)


RAY = """ray.exceptions.RayTaskError(ValueError): ray::train() (pid=812, ip=10.0.0.7)
  File "/home/user/train.py", line 9, in train
    raise ValueError("no shard 3")
ValueError: no shard 3
"""


def test_an_exception_of_a_remote_ray_task_is_distinguished_from_its_wrapper() -> None:
    wrapper, inner = read(RAY).blocks
    assert (wrapper.class_name, wrapper.wrapper) == ("ray.exceptions.RayTaskError", True)
    assert (inner.class_name, inner.message, inner.relation, len(inner.frames)) == (
        "ValueError", "no shard 3", "remote", 1,
    )  # fmt: skip


def test_the_footer_of_pip_is_a_wrapper() -> None:
    [block] = read("error: subprocess-exited-with-error\n\nnote: this is not pip's own\n").blocks
    assert (block.class_name, block.message, block.wrapper) == ("", "subprocess-exited-with-error", True)
