"""Runs hostile code in one sandbox and prints the results as JSON; tests start it as different users.

It needs only the standard library and `whyraise.prove`, so that any Python can run it as any user.
"""

import json
import sys

from whyraise.prove.runner import Runner
from whyraise.prove.sandbox import bubblewrap, landlock, self_test


def main() -> None:
    sandbox = {"bwrap": bubblewrap, "landlock": landlock}[sys.argv[1]]()
    if isinstance(sandbox, str):
        print(json.dumps({"refused": sandbox}))  # noqa: T201
        return
    results: dict[str, object] = {"claims": sandbox.claims, "selfTest": self_test(sandbox)}
    with Runner(sandbox, ["json"]) as runner:
        for name, snippet in json.loads(sys.argv[2]).items():
            request = {"source": "", "snippet": snippet, "steps": ["snippet"], "ranks": 1, "limit": 2}
            [rank] = runner.run({**request, "launched": False, "imports": []})
            results[name] = rank.get("raised"), rank.get("message", "")
    print(json.dumps(results))  # noqa: T201


if __name__ == "__main__":
    main()
