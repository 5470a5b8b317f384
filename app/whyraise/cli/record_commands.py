"""The commands that make and check records: check, coverage, build, mine, grow and prove.

Each takes the parsed arguments and the settings, writes to standard output, and returns an exit code. Each imports what
it needs when it runs, since `explain` must start fast.
"""

from __future__ import annotations

import os
import sys

from whyraise.cli.exit_codes import FOUND, NOTHING
from whyraise.cli.text_io import read_text, write, write_json
from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from types import SimpleNamespace

    from whyraise.settings import Settings


def check_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print every fault and warning of records."""
    from whyraise.quality.lint import check  # noqa: PLC0415

    report = check(arguments.sources)
    for kind, remarks in (("fault", report.faults), ("warning", report.warnings)):
        for remark in remarks:
            write(f"{kind}: {remark.file}{remark.pointer and ' ' + remark.pointer}: {remark.reason}\n")
    write(f"{report.records} records; {len(report.faults)} faults, {len(report.warnings)} warnings.\n")
    return NOTHING if report.faults else FOUND


def coverage_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Print how many labelled pastes are known, and how often the first finding is right."""
    from whyraise.ask.ask import open_here  # noqa: PLC0415
    from whyraise.quality import evaluate  # noqa: PLC0415

    cases = evaluate.read_cases(read_text(arguments.file).splitlines(), arguments.file)
    knowledge = open_here(settings, arguments.records or (), only=arguments.only)
    coverage = evaluate.measure(cases, knowledge.catalog())
    write_json(evaluate.as_json(coverage)) if arguments.json else write(evaluate.as_text(coverage))
    return FOUND


def build_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Compile records into one knowledge file."""
    from whyraise.knowledge.build import build  # noqa: PLC0415

    built = build(arguments.sources, arguments.out, cache=settings.cache())
    for fault in built.faults:
        print(f"set aside: {fault.file} {fault.pointer}: {fault.reason}", file=sys.stderr)  # noqa: T201
    write(f"{built.path}: {built.records} records, digest {built.digest}\n")
    return FOUND if built.records else NOTHING


def mine_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Turn the source code of packages into records."""
    from whyraise.mine.mine import run  # noqa: PLC0415

    return run(arguments)


def grow_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Mine installed packages into the cache, for all later lookups."""
    from whyraise.installed import grow  # noqa: PLC0415

    os.nice(10)  # mining may take minutes, and other processes on this machine come first
    targets = {name: grow.label(name) for name in arguments.targets} or grow.configured_targets(settings)
    grown = grow.grow(targets, settings.cache())
    write(f"{len(grown.packages)} packages are known.\n" if grown else "Nothing was mined.\n")
    return FOUND if grown else NOTHING


def prove_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Run the snippets of records and print which of them hold."""
    from whyraise.prove.command import run  # noqa: PLC0415

    return run(arguments)
