"""The knowledge file: one SQLite file with records, their side files, the match index and the full-text index.

`build` writes such a file from sources (`ingest` reads them, `record_writer` stores them), `cache` keeps built files.
`catalog` opens a file for lookup; `queries` reads records, `index` reads and writes the match index,
`file_format` checks and opens files.
May import: matching, records, patterns and the modules at the top level of whyraise.
"""
