"""Looks up the known errors in a text, and explains why a text does not match.

`explain` answers a text, `stream` a log of any size, `explanation` has the shapes of the answer, `nearest` finds
similar records if nothing is known, and `diagnosis` compares a text with one record.
May import `knowledge`, `matching`, `reading`, `records` and the modules at the top of `whyraise`.
"""
