"""The first record's traceback as people paste it, through each kind of noise."""

from __future__ import annotations

import html
import io
import json

from rich.console import Console
from rich.traceback import Frame, Stack, Trace, Traceback

from tests.support import noises
from tests.support.seed import MESSAGE, TRACEBACK


def each_line(prefix: str, text: str = TRACEBACK) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def folded(width: int, text: str = TRACEBACK) -> str:
    lines = [line[start : start + width] for line in text.splitlines() for start in range(0, len(line), width)]
    return "\n".join(lines) + "\n"


def interleaved(text: str = TRACEBACK) -> str:
    return "".join(f"[rank{rank}]: {line}\n" for line in text.splitlines() for rank in (0, 1))


def boxed(width: int, prefix: str = "") -> str:
    """Return the traceback as `rich` prints it at a width."""
    frames = [
        Frame("/home/user/train.py", 31, "<module>"),
        Frame(
            "/home/user/.venv/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py", 268, "no_backward_sync"
        ),
    ]
    trace = Trace([Stack("TypeError", MESSAGE, frames=frames)])
    console = Console(width=width, file=io.StringIO(), force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        console.print(Traceback(trace, width=width))
    return each_line(prefix, captured.get())


DDP = "/home/user/.venv/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py"


OLD_NOTEBOOK = f"""---------------------------------------------------------------------------
TypeError                                 Traceback (most recent call last)
<ipython-input-3-9d446d4403c3> in <cell line: 1>()
----> 1 with control.no_backward_sync(model, True):
      2     pass

{DDP} in no_backward_sync(self, module, enabled)
    266
    267         if not isinstance(module, DistributedDataParallel):
--> 268             raise TypeError(
    269                 "Blocking backward sync is only possible if the module passed to"

TypeError: {MESSAGE}
"""


NEW_NOTEBOOK = OLD_NOTEBOOK.replace(f"{DDP} in no", f"File {DDP}:268, in _DDPBackwardSyncControl.no").replace(
    "<ipython-input-3-9d446d4403c3> in <cell line: 1>()", "Cell In[3], line 1"
)


LOG = "2026-12-01 10:00:00,123 INFO trainer: step 12 loss 0.123 lr 1e-4 throughput 1234.5 samples/s epoch 1\n"


RULE = "=" * 60


SUMMARY = f"""Traceback (most recent call last):
  File "/home/user/.venv/lib/python3.11/site-packages/torch/distributed/run.py", line 1019, in run
    elastic_launch(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
{RULE}
train.py FAILED
{"-" * 60}
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 4121)
{RULE}
"""


NOISES: dict[str, str] = {
    "notebook old": OLD_NOTEBOOK,
    "notebook new": NEW_NOTEBOOK,
    "colours": TRACEBACK.replace("TypeError", "\x1b[1;31mTypeError\x1b[0m").replace(
        "line 268", "line \x1b[35m268\x1b[m"
    ),
    "terminal title": "\x1b]0;train.py\x07" + TRACEBACK,
    "windows line ends": TRACEBACK.replace("\n", "\r\n").replace("/", "\\"),
    "progress bar": "Epoch 1:  10%|#  \rEpoch 1:  50%|### \rEpoch 1: 100%\n" + TRACEBACK,
    "no-break spaces": TRACEBACK.replace("only possible", "only\xa0possible").replace(
        "    raise", "\xa0\xa0\xa0\xa0raise"
    ),
    "zero-width": MESSAGE.replace("backward", "back\u200bward"),
    "one rank": each_line("[rank3]: "),
    "two ranks": interleaved(),
    "elastic": each_line("[default0]:"),
    "ray": each_line("(RayTrainWorker pid=812, ip=10.0.0.1) "),
    "quoted": each_line("> "),
    "quoted twice": each_line("> > "),
    "json": json.dumps({"level": "error", "message": TRACEBACK}),
    "json twice": json.dumps(json.dumps({"message": TRACEBACK})),
    "html entities": html.escape(TRACEBACK),
    "span soup": "".join(f'<span class="l">{html.escape(line)}</span>\n' for line in TRACEBACK.splitlines()),
    "anchors": TRACEBACK.replace("line 268", '<a href="vscode://x">line 268</a>').replace(
        "TypeError", "<b>TypeError</b>"
    ),
    "logger": each_line("2026-12-01 09:31:00,123 "),
    "container": each_line("2026-12-01T09:31:00.123456789Z stderr F "),
    "compose": each_line("trainer-1  | "),
    "syslog": each_line("Dec  1 09:31:00 node01 train.py[4121]: "),
    "klog": each_line("E1201 09:31:00.123456    4121 train.go:12] "),
    "buildkit": each_line("#12 3.141 "),
    "kubectl": each_line("[pod/train-0/main] "),
    "github": each_line("2026-12-01T09:31:00.1234567Z "),
    "pytest": each_line("E   ", f"TypeError: {MESSAGE}\nnote: see above"),
    "prose": f"Hi all,\n\nsince yesterday I get this:\n\n{TRACEBACK}\nAny idea? I use two GPUs.\n",
    **{f"folded at {width}": folded(width) for width in (40, 72, 80, 100)},
    **{f"box of {width}": boxed(width) for width in (60, 80, 160)},
    "box of a rank": boxed(100, "[rank0]: "),
    "links": TRACEBACK.replace("line 268", "[line 268](vscode-notebook-cell:/x.ipynb#W0?line=267)"),
    "lost indentation": "\n".join(line.lstrip() for line in TRACEBACK.splitlines()),
    "middle of a log": LOG * 25_000 + TRACEBACK + LOG * 25_000,
    "cut before": TRACEBACK[TRACEBACK.index("strategies/ddp") :],
    "summary of torchrun": TRACEBACK + SUMMARY,
    "typographic": TRACEBACK.replace("Got:", "Got\uff1a").replace("(", "\uff08"),
    **{f"also {name}": noise.add(TRACEBACK) for name, noise in noises.NOISES.items()},
}
