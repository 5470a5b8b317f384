"""Runs the command `whyraise` for `python -m whyraise`."""

import sys

from whyraise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
