"""How soon `whyraise mcp` answers its first call, against the import of the SDK's server, interleaved in one run.

Both are measured from the start of a process to a line that it writes: after the import, and as the answer to a
`tools/call` which was waiting on standard input. Once in the protocol with a handshake, once in the current one.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from startup import TEXTS, installed

ROUNDS = 20
LIMIT = 1.3
CLIENT = {"name": "bench", "version": "1"}
CALL = {"name": "explain_error", "arguments": {"text": TEXTS["something known"]}}
HANDSHAKE = (
    {
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": CALL},
)
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
IMPORTED = {"id": 2}  # what the process says that only imports
CURRENT = ({"id": 2, "method": "tools/call", "params": {**CALL, "_meta": META}},)


def first_answer(command: list[str], environment: dict[str, str], messages: Sequence[Mapping[str, object]]) -> float:
    """Return the seconds from the start of the process to the answer to its first call."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines)
        process.stdin.flush()
        answer = next(line for line in map(json.loads, process.stdout) if line["id"] == 2)
        taken = time.perf_counter() - start
        process.stdin.close()
    assert answer == IMPORTED or answer["result"]["structuredContent"]["matched"], answer
    return taken


def main() -> int:
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        python = str(installed(Path(folder, "env")))
        environment = {**os.environ, "WHYRAISE_CACHE_DIR": folder, "WHYRAISE_MINE": "off"}
        imports = [python, "-c", f"from mcp.server import MCPServer; print({json.dumps(IMPORTED)!r})"]
        serves = [python, "-c", "from whyraise.cli.main import main; main()", "mcp"]
        for name, messages in (("handshake", HANDSHAKE), ("current", CURRENT)):
            first_answer(serves, environment, messages)  # the first start builds the knowledge file
            pairs = [
                tuple(first_answer(command, environment, messages) for command in (imports, serves))
                for _ in range(ROUNDS)
            ]
            ratios = sorted(answer / imported for imported, answer in pairs)
            imported, answered = (statistics.median(column) for column in zip(*pairs, strict=True))
            worst = max(worst, statistics.median(ratios))
            print(
                f"{name}: import {imported * 1000:.0f} ms, first answer {answered * 1000:.0f} ms, "
                f"median ratio {statistics.median(ratios):.2f} (quartiles {ratios[5]:.2f} to {ratios[14]:.2f})"
            )
    print(f"worst ratio {worst:.2f}, limit {LIMIT}")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
