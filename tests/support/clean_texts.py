"""Texts in which nothing went wrong, or that only talk about errors: no record may claim one of them.

Written for the tests, or read at test time from what is installed: descriptions of distributions and source files.
"""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from tests.support.repository import ROOT

WRITTEN = {
    "pip": """Collecting httpx<1,>=0.28
  Downloading httpx-0.28.1-py3-none-any.whl (73 kB)
     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 73.5/73.5 kB 4.1 MB/s eta 0:00:00
Requirement already satisfied: certifi in ./.venv/lib/python3.11/site-packages (from httpx) (2026.5.20)
Installing collected packages: sniffio, h11, httpcore, httpx
Successfully installed h11-0.16.0 httpcore-1.0.9 httpx-0.28.1 sniffio-1.3.1

[notice] A new release of pip is available: 25.0 -> 26.3
""",
    "lightning": """GPU available: False, used: False
TPU available: False, using: 0 TPU cores
Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2
----------------------------------------------------------------------------------------------------
distributed_backend=gloo
All distributed processes registered. Starting with 2 processes
----------------------------------------------------------------------------------------------------

  | Name  | Type   | Params | Mode
-----------------------------------------
0 | model | Linear | 330    | train
-----------------------------------------
330       Trainable params
Epoch 0: 100%|██████████| 64/64 [00:01<00:00, 41.20it/s, v_num=3, train_loss=0.312]
Epoch 9: 100%|██████████| 64/64 [00:01<00:00, 47.81it/s, v_num=3, train_loss=0.041]
`Trainer.fit` stopped: `max_epochs=10` reached.
""",
    "transformers": """{'loss': 2.3041, 'grad_norm': 1.29, 'learning_rate': 4.9e-05, 'epoch': 0.02}
{'loss': 1.9833, 'grad_norm': 0.97, 'learning_rate': 4.8e-05, 'epoch': 0.04}
  4%|▍         | 20/500 [00:14<05:41,  1.41it/s]
Saving model checkpoint to out/checkpoint-500
Configuration saved in out/checkpoint-500/config.json
Training completed. Do not forget to share your model.
""",
    "uvicorn": """INFO:     Started server process [4121]
INFO:     Waiting for application startup.
INFO:     Application startup complete.
INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)
INFO:     127.0.0.1:53122 - "GET /livez HTTP/1.1" 200 OK
INFO:     127.0.0.1:53123 - "GET /favicon.ico HTTP/1.1" 404 Not Found
INFO:     Shutting down
""",
    "pytest": """============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.6.0
rootdir: /home/user/project
collected 212 items

tests/test_errors.py ........................................            [ 18%]
tests/test_parse.py .................................................... [ 43%]
tests/test_raise.py ...............................................x.... [100%]

================== 211 passed, 1 xfailed in 12.31s ==================
""",
    "docker": """#5 [2/6] RUN apt-get update && apt-get install -y build-essential
#5 0.412 Get:1 bookworm InRelease [151 kB]
#5 3.101 Setting up build-essential (12.9) ...
#5 DONE 6.2s
#9 exporting to image
#9 exporting layers 1.1s done
#9 writing image sha256:8f7c done
""",
    "kubernetes": """2026-11-02T08:00:01Z INFO  reconciler: reconcile succeeded {"name": "web", "duration": "41ms"}
2026-11-02T08:00:02Z INFO  leaderelection: successfully acquired lease default/controller
2026-11-02T08:05:02Z INFO  health: probe ok {"path": "/readyz", "code": 200, "errors": 0}
""",
    "slurm": """Submitted batch job 918273
JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
918273       gpu    train     user  R       0:12      2 node[01-02]
slurmstepd: info: step 918273.0 completed with exit code 0
""",
    "git": """On branch main
Your branch is up to date with 'origin/main'.

Changes not staged for commit:
	modified:   app/errors.py
	modified:   tests/test_raise.py

no changes added to commit (use "git add" and/or "git commit -a")
""",
    "make": """gcc -O2 -Wall -c -o build/parse.o src/parse.c
gcc -O2 -Wall -c -o build/error.o src/error.c
ar rcs libparse.a build/parse.o build/error.o
make[1]: Nothing to be done for 'all'.
""",
    "npm": """added 214 packages, and audited 215 packages in 6s

38 packages are looking for funding
  run `npm fund` for details

found 0 vulnerabilities
""",
    "sql": """BEGIN (implicit)
SELECT users.id, users.name FROM users WHERE users.name = ?
[generated in 0.00011s] ('ada',)
COMMIT
""",
    "json logs": """{"level": "info", "ts": 1764576000.1, "msg": "request served", "status": 200, "error": null}
{"level": "info", "ts": 1764576000.9, "msg": "cache warmed", "entries": 1042, "failed": 0}
""",
    "prose one": """We had three incidents this quarter. Two came from expired certificates, one from a full disk. None was
caused by the new release. In each case the on-call engineer found the cause within twenty minutes, because the
alert named the host. We should still write down how to rotate the certificates, since nobody remembered.
""",
    "prose two": """An exception is how a program says that it cannot go on as planned. Raise one where the caller can do
something about it, name what is wrong and what would be right, and let it pass where you cannot add to it. A bare
except hides mistakes that you would rather see. Error messages are read by tired people.
""",
    "prose three": """Q: My training is slower on two machines than on one. Is that normal?
A: It depends on the network between them. Every step waits for the slowest rank, and gradients travel at every
step. Try larger batches, or accumulate gradients over a few steps, and measure again. If the loss looks odd, check
that the sampler gives each rank a different part of the data.
""",
    "german prose": """Der Lauf endete ohne Fehler. Die Gewichte liegen im Ordner »ausgabe«, die Protokolle daneben. Beim
nächsten Mal bitte die Lernrate halbieren und die Zahl der Schritte verdoppeln; mehr war nicht zu sehen.
""",
    "chinese prose": """训练顺利完成，没有任何报错。模型保存在 output 文件夹里，日志在旁边。下次请把学习率减半，再多跑几个周期，看看效果如何。
""",
    "release notes": """## 2.4.0
- Faster start: the index is loaded, not built.
- The option `--limit` is new; `--max` still works and will go in 3.0.
- Fixed: the wrong page was shown after a search with no result.
""",
    "table": """| run | loss | accuracy | time |
|---|---|---|---|
| baseline | 0.412 | 0.871 | 12 min |
| larger batch | 0.398 | 0.874 | 9 min |
| no warm-up | 0.455 | 0.858 | 9 min |
""",
    "configuration": """trainer:
  max_epochs: 10
  devices: 2
  strategy: ddp
model:
  lr: 0.001
  # raise this when the loss stalls
  hidden: 256
""",
    "shell": """$ ls
README.md  app  records  tests
$ python train.py --epochs 3
epoch 1: 0.812
epoch 2: 0.512
epoch 3: 0.377
saved to model.pt
$ echo $?
0
""",
}

# Descriptions that quote a real error on purpose.
_QUOTING = {"whyraise", "pytest-cov"}
# Source files that are looked at, of all that are installed; those of the standard library quote their own messages.
_SOURCES = 110
_SHORTEST = 2000
# Runs that go well, by the tools that this repository is checked with.
_RUNS = (
    ["pip", "list"], ["pip", "check"], ["pip", "debug"], ["pip", "config", "list"], ["pip", "help", "install"],
    ["compileall", "-f", "app/whyraise/prove"], ["pytest", "--collect-only", "-q", "tests/records/test_proof.py"], ["pytest", "--help"],
    ["pytest", "-v", "tests/records/test_proof.py"], ["mypy", "--help"], ["ruff", "rule", "E501"], ["ruff", "linter"],
    ["ruff", "check", "app"], ["uvicorn", "--help"], ["zipfile", "--help"], ["tarfile", "--help"], ["timeit", "1+1"],
    ["platform"], ["sysconfig"], ["site"],
)  # fmt: skip


def texts() -> Iterator[tuple[str, str]]:
    """Yield every clean text with a name."""
    yield from WRITTEN.items()
    for found in metadata.distributions():
        described = str(found.metadata.json.get("description") or "")
        if len(described) > 500 and found.name not in _QUOTING:
            yield f"description of {found.name}", described
    for path in _sources():
        yield f"source {path.name}", path.read_text("utf-8", "replace")
    for words in _RUNS:
        done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        yield f"run of {' '.join(words)}", done.stdout + done.stderr


def _sources() -> list[Path]:
    """Return some source files of what is installed, the same ones for the same versions."""
    packages = Path(str(metadata.distribution("pytest").locate_file("")))
    large = (path for path in packages.glob("*/**/*.py") if path.stat().st_size > _SHORTEST)
    return sorted(large, key=lambda path: hashlib.sha256(str(path.relative_to(packages)).encode()).digest())[:_SOURCES]
