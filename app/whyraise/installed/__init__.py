"""Errors that the installed packages can raise, mined from their source into the cache.

`grow` mines whole packages and builds the knowledge file, `process` does so in the background, and `state` reads what
has been mined. `from_frames` mines only the files that the frames of a paste name, to answer at once.
May import: lookup, knowledge, matching, mine, reading, records, settings and the modules at the top level of whyraise.
"""
