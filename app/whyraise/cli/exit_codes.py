"""The exit codes of the command `whyraise`."""

# Success; nothing found (or, for `check`, faults found); wrong usage or invalid input.
FOUND, NOTHING, USAGE = 0, 1, 2
