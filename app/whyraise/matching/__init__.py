"""Matches a read paste against the wordings of records.

`squeezed` and `scanner` find literals, `regions` where a message may be, `confirm` turns hits into matches (`match`,
`chains`, `truncated`). `evidence` collects what agrees, `confidence` decides how far a match is believed, `ranking`
orders matches, and `mismatch` finds why a text does not match. `wording` is the shape of what is searched for.
May import `reading`, `patterns`, `records` and the modules at the top of `whyraise`.
"""
