"""Error records: read from files and URLs, validated, and described.

`sources` finds files and URLs (`download`, `compression`), `documents` parses their JSON (`strict_json`), `schema`
turns it into a `record`. `excerpt`, `fix`, `language`, `proof` and `verdict` read single parts of a record.
May import: the modules at the top level of whyraise; pydantic in `schema` alone, httpx in `download` alone.
"""
