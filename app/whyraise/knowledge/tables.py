"""The SQL that creates the tables and indexes of a knowledge file, except those of the match index (see `index`)."""

from whyraise.knowledge import file_format

TABLES = f"""
PRAGMA application_id = {file_format.APPLICATION_ID};
PRAGMA user_version = {file_format.FORMAT};
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA foreign_keys = ON;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE dataset (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL,
    records INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE record (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    dataset TEXT NOT NULL, repo TEXT NOT NULL, slug TEXT NOT NULL,
    error_class TEXT, severity TEXT NOT NULL, origin TEXT NOT NULL, site TEXT NOT NULL, function TEXT NOT NULL,
    line INTEGER NOT NULL, kind TEXT NOT NULL, unmatched TEXT NOT NULL, fields TEXT NOT NULL, beside TEXT NOT NULL
);
CREATE TABLE tag (
    tag TEXT NOT NULL, record INTEGER NOT NULL REFERENCES record (n) ON DELETE CASCADE, PRIMARY KEY (tag, record)
) WITHOUT ROWID;
CREATE TABLE fault (kind TEXT NOT NULL, file TEXT NOT NULL, pointer TEXT NOT NULL, reason TEXT NOT NULL);
CREATE VIRTUAL TABLE prose USING fts5 (
    message, name, tags, explanation, code, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
"""
# These are created after the records are inserted, which is faster than updating them row by row.
INDEXES = """
CREATE INDEX record_of_slug ON record (repo, slug, id);
CREATE INDEX record_of_error_class ON record (error_class, id);
CREATE INDEX record_of_severity ON record (severity, id);
CREATE INDEX record_of_origin ON record (origin, id);
CREATE INDEX record_of_dataset ON record (dataset, id);
CREATE INDEX record_unmatched ON record (id) WHERE unmatched != '';
CREATE INDEX tag_of_record ON tag (record);
"""
