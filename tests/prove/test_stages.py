"""A proof detects wrong records: one correct folder, broken in many ways. It needs no library, so that tests are fast."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.scenarios import FIX, NUMBER, SCENARIO, after, folder_of, run
from whyraise.prove.runner import Runner
from whyraise.prove.sandbox import choose
from whyraise.prove.stages import prove, waits

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed: make system")


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(choose(unconfined=False), ["json", "decimal"]) as started:
        yield started


def test_a_correct_folder_is_proven(tmp_path: Path, runner: Runner) -> None:
    verdict, stages = run(folder_of(tmp_path), runner)
    assert verdict == "proven"
    assert [(stage.name, stage.holds, stage.reason) for stage in stages] == [
        (name, True, "")
        for name in ("reproduce", "control", "before", "after", "typeGuard.bad_word", "typeGuard.good_comma")
    ]


BROKEN = {
    "after is before": ({"exampleFix": after("import scenario\nscenario.fail(text)\n")}, "after", "ValueError: the"),
    "fix has no comments": ({"exampleFix": NUMBER}, "after", "needs the comments `# before`"),
    "guard always lets through": ({"typeGuard": "guarded = lambda t: t"}, "typeGuard.bad_word", "ValueError: the"),
    "guard always blocks": ({"typeGuard": "guarded = lambda t: None"}, "typeGuard.good_comma", "the number is None"),
    "error swallowed": (
        {"exampleFix": after("import scenario\ntry:\n    scenario.fail(text)\nexcept ValueError:\n    pass\n")},
        "after", "the number is None",
    ),
    "fixed on one rank only": ({"exampleFix": after(f"if rank == 0:\n    {NUMBER}")}, "after", "rank 1: Assert"),
    "one rank raises another error": ({"exampleFix": after(f"{NUMBER}[][rank - 1 or 9]")}, "after", "IndexError"),
    "hang on one rank": ({"exampleFix": after(f"{NUMBER}while rank:\n    pass\n")}, "after", "rank 1: over the time limit"),
    "early exit": ({"exampleFix": after("import os\nos._exit(0)\n")}, "after", "without a result"),
    "exit by SystemExit": ({"exampleFix": after("raise SystemExit(0)")}, "after", "SystemExit"),
    "message printed": (
        {"exampleFix": FIX.replace("scenario.fail(text)", "print('the amount 1,5 is no decimal number')")},
        "before", "raised nothing",
    ),
    "library patched": (
        {"exampleFix": after("import decimal\ndecimal.Decimal = type('D', (), {'__init__': lambda *_: None, '__eq__': "
                             "lambda *_: True})\nnumber = 1\n")},
        "after", "changed decimal.Decimal",
    ),
    "code of the error patched": (
        {"exampleFix": after(f"{NUMBER}import scenario\nscenario.fail.__code__ = (lambda text: None).__code__\n")},
        "after", "changed scenario.fail",
    ),
    "check patched": (
        {"exampleFix": after("import scenario\nscenario.check = lambda names: None\n")}, "after", "changed scenario.check",
    ),
    "sleep past the limit": ({"exampleFix": after(f"{NUMBER}import time\ntime.sleep(9)\n")}, "after", "over the time limit"),
    "result written by the snippet": (
        {"exampleFix": after("import os, json\nfor fd in range(3, 40):\n    try:\n        os.write(fd, "
                             "json.dumps({'raised': '', 'step': 'check'}).encode() + b'\\n')\n    except OSError: pass\n"
                             "os._exit(0)\n")},
        "after", "",
    ),
    "parent killed": ({"exampleFix": after("import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(9)\n")}, "after", ""),
    "fix is no Python": ({"exampleFix": after("number = = 1\n")}, "after", "SyntaxError"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_fix_or_guard_that_does_not_hold_is_broken(case: str, tmp_path: Path, runner: Runner) -> None:
    changed, name, reason = BROKEN[case]
    verdict, stages = run(folder_of(tmp_path, **changed), runner)
    failed = [stage for stage in stages if not stage.holds]
    assert (verdict, failed[0].name) == ("broken", name)
    assert reason in failed[0].reason


@pytest.mark.parametrize(
    ("scenario", "verdict"),
    [
        (SCENARIO.replace("def check", "def unused"), "unproven"),
        (SCENARIO.replace('assert names["number"] ==', 'names["number"] =='), "unproven"),
        (SCENARIO.replace('fail(names["text"])', 'names["rank"] or fail(names["text"])'), "notReproduced"),
        (SCENARIO.replace('fail(names["text"])', '[][names["rank"]] if names["rank"] else fail("x")'), "notReproduced"),
        (SCENARIO.replace('fail(names["text"])', 'print("the amount 1 is no decimal number")'), "notReproduced"),
        (SCENARIO.replace('    fail(names["text"])', '    while names["rank"]: pass\n    fail("x")'), "notReproduced"),
        (SCENARIO.replace("import decimal", "import no_such_thing", 1), "notReproduced"),
    ],
    ids=["no check", "asserts nothing", "one rank only", "another error", "printed", "hang", "world fails"],
)  # fmt: skip
def test_a_scenario_that_does_not_show_the_error_proves_nothing(
    scenario: str, verdict: str, tmp_path: Path, runner: Runner
) -> None:
    assert run(folder_of(tmp_path, scenario), runner)[0] == verdict


@pytest.mark.parametrize("changed", [{"messagePattern": "quite another text"}, {"errorClass": "KeyError"}])
def test_an_error_that_is_not_the_records_own_is_not_reproduced(
    changed: dict[str, str], tmp_path: Path, runner: Runner
) -> None:
    assert run(folder_of(tmp_path, **changed), runner)[0] == "notReproduced"


def test_a_correction_is_run_after_the_published_text_failed(tmp_path: Path, runner: Runner) -> None:
    (tmp_path / "correction.json").write_text(json.dumps({"fields": {"exampleFix": FIX}, "why": {}}))
    verdict, stages = run(folder_of(tmp_path, exampleFix=after("pass\n")), runner)
    assert verdict == "corrected"
    assert [stage.name for stage in stages if stage.name.startswith("corrected")] == [
        "corrected.before", "corrected.after",
    ]  # fmt: skip


def test_a_correction_that_fails_leaves_the_record_broken(tmp_path: Path, runner: Runner) -> None:
    (tmp_path / "correction.json").write_text(json.dumps({"fields": {"exampleFix": after("pass\n")}, "why": {}}))
    assert run(folder_of(tmp_path, exampleFix=after("pass\n")), runner)[0] == "broken"


def test_a_record_without_a_scenario_is_unproven(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)._replace(scenario=None)
    assert prove(folder, 2, lambda request: [], lambda text: "") == ("unproven", ())


HOSTILE = {
    "reads the caller's environment": "assert not open('/proc/1/environ').read()",
    "sees other files": "import os\nassert not os.path.exists('/etc/passwd')",
    "writes outside": "try:\n    open('/usr/x', 'w')\nexcept OSError: pass\nelse: raise SystemError('wrote')",
    "leaves its user namespace": (
        "import ctypes\nassert ctypes.CDLL(None, use_errno=True).unshare(0x10000000) == -1"
    ),
    "fills the disk": (
        "try:\n    with open('big', 'wb') as f:\n        while True: f.write(bytes(1 << 20))\nexcept OSError: pass\n"
        "else: raise SystemError('wrote')"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_snippet_cannot_reach_outside_its_sandbox(case: str, tmp_path: Path, runner: Runner) -> None:
    assert run(folder_of(tmp_path, exampleFix=after(f"{NUMBER}{HOSTILE[case]}\n")), runner)[0] == "proven"


@pytest.mark.parametrize(
    "code",
    [
        "import os\nwhile True:\n    os.fork()\n",
        "kept = []\nwhile True:\n    kept.append(bytes(b'x' * (1 << 26)))\n",
        "import os, time\nif not os.fork():\n    os.setsid()\n    os.fork() or time.sleep(99)\n",
    ],
    ids=["forks without end", "takes all memory", "daemonises"],
)
def test_processes_of_a_hostile_snippet_are_ended(code: str, tmp_path: Path, runner: Runner) -> None:
    assert run(folder_of(tmp_path, exampleFix=after(code)), runner)[0] == "broken"
    count = "import os\nassert sum(n.isdigit() for n in os.listdir('/proc')) <= 4, os.listdir('/proc')\n"
    again = tmp_path / "again"
    again.mkdir()
    assert run(folder_of(again, exampleFix=after(f"{NUMBER}{count}")), runner)[0] == "proven"


def test_the_stack_of_a_hanging_rank_names_the_collective_that_it_waits_in() -> None:
    stack = (
        'Current thread 0x1 (most recent call first):\n  File "/x/torch/distributed/distributed_c10d.py", line 3252 in '
        'all_reduce\n  File "/x/torch/distributed/c10d_logger.py", line 83 in wrapper\n  File "snippet.py", line 1'
    )
    assert waits(stack) == "waits in all_reduce"
    assert waits('  File "snippet.py", line 2 in loop') == "in no collective: loop"


def test_a_stack_that_a_snippet_wrote_to_stop_its_reader_is_read_in_one_pass() -> None:
    assert waits('File "' * 200_000) == "in no collective: unknown"
