"""A record's regular expression (`messagePattern`), taken apart so that many patterns can be searched for at once.

`parse` reads a pattern into the shapes of `chain`: literals with gaps between them, or an RE2 expression, which
`to_re2` writes. `format_strings` reads the placeholders of the record's `errorMessage`, which name the gaps. May import
`errors` and `namedtuples` and nothing else of ours.
"""
