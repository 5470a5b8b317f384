"""Run a command unchanged and, if it fails, explain the failure.

`command` is `whyraise run`; `relay` passes output and signals through; `torchrun` reads which rank failed first.
Only `cli` uses this package. It may import `ask`, `reporters`, `lookup`, `settings` and what is below them; modules
that explain are imported inside functions, because most commands succeed.
"""
