"""Measures of the quality of records, for authors and maintainers.

`lint` checks records and reports every fault and warning. `evaluate` looks up labelled pastes and measures how many are
known and how often the first finding is right.
May import: lookup, knowledge, matching, patterns, reading, records and the modules at the top level of whyraise.
"""
