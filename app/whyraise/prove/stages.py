"""The stages of a proof and its verdict: what is run, in which order, and when it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whyraise.errors import BadInput
from whyraise.prove.scenario import GUARDS, Folder, Scenario
from whyraise.records.fix import split_fix
from whyraise.records.proof import Stage

Rank = Mapping[str, Any]
Run = Callable[[dict[str, Any]], Sequence[Rank]]
# Returns the id of the record that a printed traceback is blamed on first.
Blame = Callable[[str], str]

_FRAME = r'File "(.+?)", line \d+ in (\S+)'
# Run after a fix: the ranks still work together, and a world without the fix still has the error. So a fix that breaks
# the process group, or changes the library instead of the code, does not pass.
_AFTERWARDS = ["together", "world", "reproduce"]


def prove(folder: Folder, ranks: int, run: Run, blame: Blame) -> tuple[str, tuple[Stage, ...]]:
    """Run all stages of a record and return its verdict with them."""
    if folder.scenario is None:
        return "unproven", ()
    court = _Court(folder, folder.scenario, ranks, run, blame)
    stages = [court.reproduce()]
    if not stages[0].holds:
        return "notReproduced", tuple(stages)
    stages.append(court.control())
    if not stages[1].holds:
        return "unproven", tuple(stages)
    published = list(court.published(folder.record))
    if not published:
        return "unproven", tuple(stages)
    stages += published
    failed = {_field(stage.name) for stage in published if not stage.holds}
    if not failed:
        return "proven", tuple(stages)
    corrections = (folder.correction or {}).get("fields", {})
    corrected = [
        stage._replace(name=f"corrected.{stage.name}")
        for stage in court.published({name: text for name, text in corrections.items() if name in failed})
    ]
    whole = failed <= corrections.keys() and corrected and all(stage.holds for stage in corrected)
    return ("corrected" if whole else "broken"), (*stages, *corrected)


def _field(stage: str) -> str:
    return "exampleFix" if stage in ("before", "after") else stage.split(".")[0]


class _Court:
    """Runs and judges the stages of one record on so many ranks."""

    def __init__(self, folder: Folder, scenario: Scenario, ranks: int, run: Run, blame: Blame) -> None:
        self._record, self._scenario, self._ranks, self._run, self._blame = folder.record, scenario, ranks, run, blame
        self._raising = range(ranks) if scenario.raises_on is None else scenario.raises_on

    def reproduce(self) -> Stage:
        """The error is raised on every rank it should be, and is found by its printed traceback."""
        stage = self._raises("reproduce", ["world", "reproduce"], "")
        for rank in stage.ranks:
            if stage.holds and rank["rank"] in self._raising and self._blame(rank["traceback"]) != self._record["id"]:
                return stage._replace(
                    holds=False, reason=f"rank {rank['rank']}: its traceback is blamed on another record"
                )
        return stage

    def control(self) -> Stage:
        """The scenario's check fails where nothing was fixed, so it asserts something."""
        if "check" not in self._scenario.functions:
            return Stage("control", False, "the scenario has no check", ())
        ranks = self._ask(["world", "check"], "")
        passed = [
            rank["rank"] for rank in ranks if rank.get("step") != "check" or rank.get("raised") != "AssertionError"
        ]
        reason = f"the check lets pass on rank {passed[0]} that nothing was fixed" if passed else ""
        return Stage("control", not passed, reason, ranks)

    def published(self, texts: Mapping[str, Any]) -> Iterator[Stage]:
        """Yield a stage for every snippet among these texts."""
        if fix := texts.get("exampleFix"):
            try:
                before, after = split_fix(fix)
            except BadInput as error:
                yield Stage("after", False, str(error), ())
                return
            yield self._raises("before", ["world", "snippet"], before)
            yield self._fixed("after", ["world", "snippet", "check"], after)
        for name in GUARDS:
            if texts.get(name):
                yield from self._guard(name, texts[name])

    def _guard(self, name: str, text: str) -> Iterator[Stage]:
        """A guard keeps bad values from the error, and lets good ones have their full effect."""
        functions, use = self._scenario.functions, f"use_{name}"
        bad, good = ([f for f in functions if f.startswith(kind)] for kind in ("bad_", "good_"))
        if use not in functions or not bad or not good:
            yield Stage(name, False, f"the scenario has no {use}, bad_… and good_… functions", ())
            return
        for case in bad:
            yield self._fixed(f"{name}.{case}", ["world", case, "snippet", use], text)
        for case in good:
            yield self._fixed(f"{name}.{case}", ["world", case, "snippet", use, "check"], text)

    def _raises(self, name: str, steps: list[str], snippet: str) -> Stage:
        ranks = self._ask(steps, snippet)
        reasons = [
            f"rank {rank['rank']}: {reason}"
            for rank in ranks
            if (reason := self._wrong(rank, steps[-1], rank["rank"] in self._raising))
        ]
        return Stage(name, not reasons, "; ".join([*reasons, *_never_came(ranks)]), ranks)

    def _fixed(self, name: str, steps: list[str], snippet: str) -> Stage:
        ranks = self._ask([*steps, *_AFTERWARDS], snippet)
        reasons = [
            f"rank {rank['rank']}: {reason}"
            for rank in ranks
            if (reason := self._unfixed(rank, rank["rank"] in self._raising, len(steps)))
        ]
        return Stage(name, not reasons, "; ".join([*reasons, *_never_came(ranks)]), ranks)

    def _unfixed(self, rank: Rank, raising: bool, fixed: int) -> str:
        if rank.get("raised") != "" and rank.get("at", 0) < fixed + len(_AFTERWARDS) - 1:
            return _said(rank)
        wrong = self._wrong(rank, "reproduce", raising)
        return f"afterwards, where nothing is fixed: {wrong}" if wrong else ""

    def _wrong(self, rank: Rank, step: str, raising: bool) -> str:
        """Return why a rank did not end with the record's error at a step, or nothing."""
        if rank.get("raised") is None:
            return _said(rank)
        if not raising:
            return ""
        if not rank["raised"]:
            return "raised nothing"
        if rank.get("step") != step:
            return f"before {step}, {_said(rank)}"
        expected = self._record.get("errorClass")
        if expected and rank["raised"].rpartition(".")[2] != expected.rpartition(".")[2]:
            return f"another error: {_said(rank)}"
        if not re.search(self._record["messagePattern"], rank["message"]):
            return f"another message: {_said(rank)}"
        return ""

    def _ask(self, steps: list[str], snippet: str) -> tuple[Rank, ...]:
        scenario = self._scenario
        answers = self._run(
            {
                "source": scenario.source, "snippet": snippet, "steps": steps, "ranks": self._ranks,
                "limit": scenario.limit, "launched": scenario.launched, "imports": list(scenario.imports),
            }
        )  # fmt: skip
        return tuple({"rank": number, **answer} for number, answer in enumerate(answers))


def _never_came(ranks: Sequence[Rank]) -> list[str]:
    """Return which ranks never came to the collective that others wait in."""
    waiting = {rank["rank"] for rank in ranks if rank.get("stack") and _collective(rank["stack"])}
    missing = [str(rank["rank"]) for rank in ranks if rank["rank"] not in waiting]
    return [f"never came: rank {', '.join(missing)}"] if waiting and missing else []


def _said(rank: Rank) -> str:
    """Return in one line what a rank ended with."""
    if rank.get("raised"):
        return f"{rank['raised']}: {rank['message'].splitlines()[0] if rank['message'] else ''}"
    if rank.get("raised") == "":
        return "raised nothing"
    if rank.get("stack"):
        return f"over its limit in {rank['step']}, {waits(rank['stack'])}"
    return f"ended in {rank['step'] or 'its start'} without a word (exit code {rank.get('exit')})"


def waits(stack: str) -> str:
    """Return which collective a rank waits in, read from its stack as faulthandler prints it, innermost frame first."""
    if collective := _collective(stack):
        return f"waits in {collective}"
    frames = re.findall(_FRAME, stack)
    return f"in no collective: {frames[0][1] if frames else 'unknown'}"


def _collective(stack: str) -> str:
    frames = re.findall(_FRAME, stack)
    names = [name for path, name in frames if path.endswith("distributed_c10d.py") and name != "wrapper"]
    return names[0] if names else ""
