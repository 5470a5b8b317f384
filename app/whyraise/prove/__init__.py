"""Run the snippets of records in a sandbox and record the results as proofs.

`command` is `whyraise prove`; `scenario` reads a record's folder; `stages` decides what is run and judges the results;
`runner` talks to the worker; `sandbox`, `seccomp` and `landlock` confine it. `worker` and `rank` run inside the sandbox
and import the standard library alone. Only `cli` may import this package. It may import `lookup` and what is below it.
"""
