"""Where this repository and its records lie."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "records"
DATA = ROOT / "tests" / "data"
