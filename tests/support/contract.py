"""Writes `openapi.yaml`, or with `--check` says where it differs from what the service would write."""

import difflib
import sys

import yaml

from tests.support.repository import ROOT
from whyraise.main import contract, create_api
from whyraise.settings import Settings

FILE = ROOT / "openapi.yaml"


def text() -> str:
    """Return the contract as YAML."""
    return yaml.safe_dump(contract(create_api(Settings())), sort_keys=False, allow_unicode=True, width=120)


def main() -> int:
    """Write the contract, or check the one that is there."""
    if "--check" not in sys.argv:
        FILE.write_text(text(), "utf-8")
        return 0
    lines = difflib.unified_diff(
        FILE.read_text("utf-8").splitlines(), text().splitlines(), "openapi.yaml", "service", n=1
    )
    difference = "\n".join(lines)
    print(difference or "openapi.yaml is what the service says.")  # noqa: T201
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
