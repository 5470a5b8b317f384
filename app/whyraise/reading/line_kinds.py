r"""Tells whether a line below an exception is a part of its message.

Nothing marks the end of a message. `RULES` name the lines that other programs and people write, each with examples,
which are its tests; `belongs` says what a message's own lines look like.
"""

from __future__ import annotations

import re
from functools import cache

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    # `likely` and `unlikely` lines are guesses: a record that explains the message up to one of them decides.
    Belongs = Literal["yes", "likely", "unlikely"]


class Rule(NamedTuple):
    """A kind of line that is not part of a message: the expression that its start matches, and lines of this kind."""

    kind: str
    form: str
    examples: tuple[str, ...]


_SIGNALS = (
    r"(?:[Kk]illed|[Tt]erminated|[Aa]borted|Alarm clock|Hangup|Bus error|Illegal instruction|[Ss]egmentation fault"
    r"|Floating point exception|Trace/breakpoint trap)"
)
_LEVELS = r"(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|TRACE|SEVERE)"
_COMMAND = r"(?:$|[\w./~\"'(-])"

RULES = (
    Rule(
        "a shell's prompt",
        rf"(?:\([\w./ -]{{1,40}}\) ?)?(?:\[?[\w.-]+@[\w.-]+[ :~/][^\n]{{0,200}}?[$#%>❯➜✗](?: |$)|[\w.-]+@[\w.-]+ MINGW"
        rf"|PS (?:[A-Z]:|/|~)[^\n>]{{0,200}}>|[A-Z]:\\[^\n>]{{0,200}}>|[$#%❯➜λ] {_COMMAND}|[$❯➜λ]$"
        rf"|[a-z][\w.-]{{0,40}}[$#%] {_COMMAND}|[a-z][\w.-]{{0,40}}[$#]$|➜  )",
        ("user@host:~/app$ ", "(venv) user@host:~/app$ python run.py", "[user@login01 app]$ exit", "$ echo done",
         "(base) $ ls", "# pip install x", "PS C:\\Users\\user\\app> ", "(venv) PS C:\\app> python run.py",
         "C:\\Users\\user\\app>", "(base) C:\\app>python run.py", "root@3f2c1d:/app# ", "bash-5.1$ ", "sh-4.2# ls",
         "host% ls", "➜  app git:(main) ✗ ", "user@HOST MINGW64 ~/app (main)", "❯ ls", "user@host ~/app> "),
    ),
    Rule(
        "an interpreter's or debugger's prompt",
        r">>>(?: |$)|\.\.\. |(?:In|Out)\s?\[\d*\]:|\((?:Pdb\+*|gdb|lldb|cuda-gdb|ipdb)\)|i?pdb\+*>|> \S+\(\d+\)\S",
        (">>> ", ">>> x", "In [4]: ", "Out[4]: 3", "(Pdb) n", "(Pdb++) ", "ipdb> q", "(gdb) bt",
         "> /app/run.py(9)<module>()"),
    ),
    Rule(
        "the end of a process",
        rf"(?:{_SIGNALS}|Quit)(?:: \d+)?(?: \(core dumped\))?[ \t]*$|\S{{1,100}}: line \d+: +\d* *{_SIGNALS}?"
        rf"|\[\d+\][ +-]+(?:\d+ )?[ ]*(?:{_SIGNALS}|[Ee]xit|[Dd]one)\b"
        r"|.{0,300}\b(?:[Ee]xit(?:ed|ing)?|[Rr]eturned|[Ff]inished|[Ff]ailed|[Cc]ompleted|exitcode)\b.{0,80}?"
        r"(?:\b(?:code|status|exitcode|signal)\b|[(=])[ =:]*-?\d"
        r"|\[Finished in |\[Done\] |Press (?:any key|ENTER|Enter)\b|Terminate batch job|logout$"
        r"|Connection to \S+ closed|\^[CZ\\]",
        ("Killed", "Terminated", "Aborted (core dumped)", "Segmentation fault (core dumped)", "Segmentation fault: 11",
         "run.sh: line 3: 4182 Killed                  python run.py", "[1]+  Killed                  python run.py",
         "[1]    4182 killed     python run.py", "error Command failed with exit code 1.",
         "##[error]Process completed with exit code 1.", "Error: Process completed with exit code 1.",
         "Process finished with exit code 1", "The command '/bin/sh -c python run.py' returned a non-zero code: 1",
         "Command exited with non-zero status 1", "trainer-1 exited with code 137",
         "srun: error: node7: task 0: Exited with exit code 1",
         "app.service: Main process exited, code=exited, status=1/FAILURE",
         "[1201] failed (exitcode: 1) local_rank: 0 (pid: 77) of binary: python", "[Finished in 0.2s with exit code 1]",
         "[Done] exited with code=1 in 0.3 seconds", "Press any key to continue . . .", "^C", "logout"),
    ),
    Rule(
        "a logger",
        rf"\[?\d{{4}}[-/]\d\d[-/]\d\d[T ,]|\[?\d\d:\d\d:\d\d|\W{{0,4}}{_LEVELS}\b|\[(?:{_LEVELS.lower()})\]|##?\["
        r"|\[?[IWEFC](?:\d{3,8} [\d:.]+| \S+\.\w+:\d+)\]?|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d "
        r"|.{0,200}\d%\|",
        ("2026-11-30 08:14:03,117 INFO shutting down", "[2026-11-30T08:14:03] done", "08:14:03 done", "INFO: done",
         "WARNING:root:slow", "[ERROR] no", "[W socket.cpp:663] [c10d] The client socket has failed to connect",
         "W1130 08:14:03.117 77 torch/run.py:1] late", "Nov 30 08:14:03 host app[7]: done", "##[endgroup]",
         "Epoch 0: 100%|████| 64/64 [00:51<00:00]"),
    ),
    Rule(
        "a program that names itself",
        r"(?:[a-z][a-z\d_.+-]{0,30}(?:\[\d+\])?|/[\w./-]{1,100}|<?sys>?):(?:\d+:)? \S"
        r"|npm (?:ERR!|error|WARN)|error: |docker: |× ",
        ("wandb: Waiting for W&B process to finish... (failed 1).", "wandb: ERROR Dropped streaming file chunk",
         "make: *** [Makefile:12: run] Error 1", "make[1]: Leaving directory '/app'", "npm ERR! code ELIFECYCLE",
         "slurmstepd: error: *** JOB 7 CANCELLED",
         "error: subprocess-exited-with-error", "sys:1: RuntimeWarning: coroutine 'main' was never awaited",
         "/usr/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: leaked", "bash: run: not found"),
    ),
    Rule(
        "what the interpreter says at its exit",
        r"Exception ignored in|Error in (?:atexit|sys\.)|sys\.excepthook|Original exception was|Fatal Python error|"
        r"Set the environment variable |Task (?:exception was never|was destroyed)|-- Process \d+ terminated"
        r"|\s+warnings\.warn\(",
        ("Exception ignored in: <function Pool.__del__ at 0x7f0c1>", "Error in sys.excepthook:",
         "Task exception was never retrieved", "  warnings.warn("),
    ),
    Rule(
        "a rule or a mark of a text format",
        r"([=_*~#+.^-])\1{4,}|(?:_ ){5,}|\s*\+-[-+ \d]*$|[─━═╭╰┌└│┃]|\s*```|~~~\w*$|</?[a-z]+>|<omitting"
        r"|\s*\[end of output\]"
        r"|FAILED |ERROR tests?/",
        ("----------------------------------------", "=========== short test summary info ===========", "_ _ _ _ _ _ _",
         "```", "</details>", "──────────", "      [end of output]", "FAILED tests/test_share.py::test_share"),
    ),
)  # fmt: skip

_LIST_ITEM = r"[-*+•·] |\d{1,3}[.)] |\([a-z\d]{1,3}\) |[\])}>'\"]"
# Notes that libraries put below a message.
_NOTE = r"\[[A-Za-z][\w ]{0,20}: |\((?:Background|Hint|Note|Did)\b|For further information|See |frame #\d|C\+\+ "
# A stack of C++ is part of a message only if the process was told to print one.
_STACK = r"Exception raised from |frame #\d"
_PERSON = (
    r"(?i)(?:.*\b(?:I|I'm|I've|my|me|anybody|anyone|thanks|thank you|help)\b"
    r"|(?:does|do|can|could|how|what|why|any|is|are|where)\b"
    r".*\?\s*$|(?:please|pls|hi|hello|sorry|edit|update|here is|here's|environment|versions?|os|platform|python|steps"
    r"|expected behaviou?r|actual behaviou?r|reproduc\w*|additional context|description|system)\b)"
)
_QUOTED = r"'[^'\n]{0,60}'|\"[^\"\n]{0,60}\"|`[^`\n]{0,60}`"


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)


def kind_of(line: str) -> str:
    """Return the kind of a line that is not part of a message, or an empty text."""
    return next((rule.kind for rule in RULES if _compiled(rule.form).match(line)), "")


def open_brackets(line: str) -> int:
    """Return how many brackets more a line opens than it closes; brackets in quotes do not count."""
    if not any(bracket in line for bracket in "([{)]}"):
        return 0
    bare = _compiled(_QUOTED).sub("", line)
    return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))


def belongs(before: str, line: str, *, is_open: bool) -> Belongs:
    """Return whether a line goes on with a message whose last line is `before`.

    `is_open`: a bracket of the message is not closed yet.
    """
    unfinished = is_open or before.rstrip().endswith((":", ",", "\\"))
    if kind_of(line):
        return "likely" if unfinished else "unlikely"
    if _compiled(_STACK).match(line):
        return "yes" if before.startswith(("frame #", "Exception raised")) else "likely"
    if unfinished or line[0].isspace() or _compiled(f"{_LIST_ITEM}|{_NOTE}").match(line):
        return "yes"
    if _compiled(_PERSON).match(line):
        return "unlikely"
    ended = before.rstrip().endswith((".", "!", "?"))
    return "yes" if line[0].islower() and not ended else "likely"
