"""Runs hostile code in one sandbox and prints what came of it; started by the tests in places of their choice.

It needs the standard library and `whyraise.prove` alone, so that any Python can run it as any user.
"""

import json
import sys

from whyraise.prove.runner import Runner
from whyraise.prove.sandbox import bubblewrap, landlock, self_test


def main() -> None:
    rung = {"bwrap": bubblewrap, "landlock": landlock}[sys.argv[1]]()
    if isinstance(rung, str):
        print(json.dumps({"refused": rung}))  # noqa: T201
        return
    told: dict[str, object] = {"claims": rung.claims, "selfTest": self_test(rung)}
    with Runner(rung, ["json"]) as runner:
        for name, snippet in json.loads(sys.argv[2]).items():
            request = {"source": "", "snippet": snippet, "steps": ["snippet"], "ranks": 1, "limit": 2}
            [rank] = runner.run({**request, "launched": False, "imports": []})
            told[name] = rank.get("raised"), rank.get("message", "")
    print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    main()
