"""From a finding to what to do: gives each finding, and each exception without one, its advice, best first.

`curated` takes it from the solutions and the fix of a record. Further kinds of advice are modules of their own.
May import `lookup` and what is below it; `ask` puts answer and advice together.
"""
