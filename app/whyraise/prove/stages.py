"""Runs the stages of a proof in order, decides whether each holds, and returns the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whyraise.errors import BadInput
from whyraise.matching.match import is_in_message
from whyraise.names import bare_name
from whyraise.prove.scenario import GUARDS, Folder, Scenario
from whyraise.records.fix import split_fix
from whyraise.records.proof import Stage

Rank = Mapping[str, Any]
Run = Callable[[dict[str, Any]], Sequence[Rank]]
# Returns the id of the record that explains a printed traceback best.
Identify = Callable[[str], str]

_FRAME = r'File "([^"\n]+)", line \d+ in (\S+)'
# Functions `bad_…` and `good_…` of a scenario: each is a stage, which may take as long as the scenario's limit.
_MAX_CASES = 32
# Steps after a fix: the ranks must still work together, and a new world without the fix must still raise the error. So
# a fix that breaks the process group, or changes the library instead of the code, does not pass.
_AFTERWARDS = ["together", "world", "reproduce"]


def prove(folder: Folder, ranks: int, run: Run, identify: Identify) -> tuple[str, tuple[Stage, ...]]:
    """Run all stages of a record; return its verdict and the stages."""
    if folder.scenario is None:
        return "unproven", ()
    trial = _Trial(folder, folder.scenario, ranks, run, identify)
    stages = [trial.reproduce()]
    if not stages[0].holds:
        return "notReproduced", tuple(stages)
    stages.append(trial.control())
    if not stages[1].holds:
        return "unproven", tuple(stages)
    published = list(trial.snippets(folder.record))
    if not published:
        return "unproven", tuple(stages)
    stages += published
    failed = {_field(stage.name) for stage in published if not stage.holds}
    if not failed:
        return "proven", tuple(stages)
    corrections = (folder.correction or {}).get("fields", {})
    corrected = [
        stage._replace(name=f"corrected.{stage.name}")
        for stage in trial.snippets({name: text for name, text in corrections.items() if name in failed})
    ]
    whole = failed <= corrections.keys() and corrected and all(stage.holds for stage in corrected)
    return ("corrected" if whole else "broken"), (*stages, *corrected)


def _field(stage: str) -> str:
    return "exampleFix" if stage in ("before", "after") else stage.split(".")[0]


class _Trial:
    """Runs and judges the stages of one record on a number of ranks.

    The pattern is searched for as in a lookup, never with `re`: a record's author may have made it so that `re` never
    ends, and a record is only proven if a lookup finds it.
    """

    def __init__(self, folder: Folder, scenario: Scenario, ranks: int, run: Run, identify: Identify) -> None:
        self._record, self._pattern, self._scenario, self._ranks = folder.record, folder.pattern, scenario, ranks
        self._run, self._identify = run, identify
        self._raising = range(ranks) if scenario.raises_on is None else scenario.raises_on

    def reproduce(self) -> Stage:
        """Reproduce the error: every rank that should raise it does, and its traceback matches this record first."""
        if reason := self._pattern.unmatched:
            return Stage("reproduce", False, f"the record cannot be found in a text: {reason}", ())
        stage = self._raises("reproduce", ["world", "reproduce"], "")
        for rank in stage.ranks:
            number = rank["rank"]
            if stage.holds and number in self._raising and self._identify(rank["traceback"]) != self._record["id"]:
                return stage._replace(holds=False, reason=f"rank {number}: its traceback matches another record first")
        return stage

    def control(self) -> Stage:
        """Run the scenario's check without a fix: it must fail, which shows that it asserts something."""
        if "check" not in self._scenario.functions:
            return Stage("control", False, "the scenario has no check", ())
        ranks = self._run_steps(["world", "check"], "")
        passed = [
            rank["rank"] for rank in ranks if rank.get("step") != "check" or rank.get("raised") != "AssertionError"
        ]
        reason = f"the check does not fail on rank {passed[0]}, although nothing was fixed" if passed else ""
        return Stage("control", not passed, reason, ranks)

    def snippets(self, fields: Mapping[str, Any]) -> Iterator[Stage]:
        """Yield the stages of every snippet among the fields of a record or correction."""
        if fix := fields.get("exampleFix"):
            try:
                before, after = split_fix(fix)
            except BadInput as error:
                yield Stage("after", False, str(error), ())
                return
            yield self._raises("before", ["world", "snippet"], before)
            yield self._fixed("after", ["world", "snippet", "check"], after)
        for name in GUARDS:
            if fields.get(name):
                yield from self._guard(name, fields[name])

    def _guard(self, name: str, text: str) -> Iterator[Stage]:
        """Run a guard: with it, bad values must not reach the error, and good values must have their full effect."""
        functions, use = self._scenario.functions, f"use_{name}"
        bad, good = ([name for name in functions if name.startswith(kind)] for kind in ("bad_", "good_"))
        if use not in functions or not bad or not good or len(bad + good) > _MAX_CASES:
            reason = f"the scenario needs functions named {use}, bad_… and good_…, and at most {_MAX_CASES} of these"
            yield Stage(name, False, reason, ())
            return
        for case in bad:
            yield self._fixed(f"{name}.{case}", ["world", case, "snippet", use], text)
        for case in good:
            yield self._fixed(f"{name}.{case}", ["world", case, "snippet", use, "check"], text)

    def _raises(self, name: str, steps: list[str], snippet: str) -> Stage:
        """Run a stage that holds if the last step raises the record's error on the ranks that should raise it."""
        ranks = self._run_steps(steps, snippet)
        reasons = [
            f"rank {rank['rank']}: {reason}"
            for rank in ranks
            if (reason := self._why_not_raised(rank, steps[-1], rank["rank"] in self._raising))
        ]
        return Stage(name, not reasons, "; ".join([*reasons, *_missing_ranks(ranks)]), ranks)

    def _fixed(self, name: str, steps: list[str], snippet: str) -> Stage:
        """Run a stage that holds if the steps raise nothing, and a new world without the fix raises the error again."""
        ranks = self._run_steps([*steps, *_AFTERWARDS], snippet)
        reasons = [
            f"rank {rank['rank']}: {reason}"
            for rank in ranks
            if (reason := self._why_not_fixed(rank, rank["rank"] in self._raising, len(steps)))
        ]
        return Stage(name, not reasons, "; ".join([*reasons, *_missing_ranks(ranks)]), ranks)

    def _why_not_fixed(self, rank: Rank, raising: bool, fixed: int) -> str:
        """Return why a rank did not pass the first `fixed` steps and those afterwards, or an empty string."""
        if rank.get("raised") != "" and rank.get("at", 0) < fixed + len(_AFTERWARDS) - 1:
            return _outcome(rank)
        reason = self._why_not_raised(rank, "reproduce", raising)
        return f"afterwards, without the fix: {reason}" if reason else ""

    def _why_not_raised(self, rank: Rank, step: str, raising: bool) -> str:
        """Return why a rank did not end with the record's error at a step, or an empty string."""
        if rank.get("raised") is None:
            return _outcome(rank)
        if not raising:
            return ""
        if not rank["raised"]:
            return "raised nothing"
        if rank.get("step") != step:
            return f"before {step}, {_outcome(rank)}"
        expected = self._record.get("errorClass")
        if expected and bare_name(rank["raised"]) != bare_name(expected):
            return f"another error: {_outcome(rank)}"
        if not is_in_message(self._pattern, rank["message"]):
            return f"another message: {_outcome(rank)}"
        return ""

    def _run_steps(self, steps: list[str], snippet: str) -> tuple[Rank, ...]:
        scenario = self._scenario
        answers = self._run(
            {
                "source": scenario.source, "snippet": snippet, "steps": steps, "ranks": self._ranks,
                "limit": scenario.limit, "launched": scenario.launched, "imports": list(scenario.imports),
            }
        )  # fmt: skip
        return tuple({"rank": number, **answer} for number, answer in enumerate(answers))


def _missing_ranks(ranks: Sequence[Rank]) -> list[str]:
    """Return which ranks did not reach the collective that others wait in: a list of one message, or an empty one."""
    waiting = {rank["rank"] for rank in ranks if rank.get("stack") and _collective(rank["stack"])}
    missing = [str(rank["rank"]) for rank in ranks if rank["rank"] not in waiting]
    return [f"did not reach a collective: rank {', '.join(missing)}"] if waiting and missing else []


def _outcome(rank: Rank) -> str:
    """Return the result of a rank in one line."""
    if rank.get("raised"):
        return f"{rank['raised']}: {rank['message'].splitlines()[0] if rank['message'] else ''}"
    if rank.get("raised") == "":
        return "raised nothing"
    if rank.get("stack"):
        return f"over the time limit in {rank['step']}, {waits(rank['stack'])}"
    return f"ended in {rank['step'] or 'its start'} without a result (exit code {rank.get('exit')})"


def waits(stack: str) -> str:
    """Return which collective a rank waits in; `stack` is as faulthandler prints it, innermost frame first."""
    if collective := _collective(stack):
        return f"waits in {collective}"
    frames = re.findall(_FRAME, stack)
    return f"in no collective: {frames[0][1] if frames else 'unknown'}"


def _collective(stack: str) -> str:
    frames = re.findall(_FRAME, stack)
    names = [name for path, name in frames if path.endswith("distributed_c10d.py") and name != "wrapper"]
    return names[0] if names else ""
