"""The command `whyraise`.

`main` parses the arguments and calls a command of `lookup_commands` (explain, run, diagnose, show, search),
`record_commands` (check, coverage, build, mine, grow, prove) or `server_commands` (serve, mcp). `text_io` reads input
and writes output; `exit_codes` defines the exit codes. May import every other package; each command imports what it
needs when it runs, since `explain` must start fast.
"""
