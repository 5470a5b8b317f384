"""Whyraise: paste any error, get the known error behind it."""
