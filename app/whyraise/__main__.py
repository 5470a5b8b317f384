"""`python -m whyraise` is the command `whyraise`."""

import sys

from whyraise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
