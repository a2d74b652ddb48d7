"""Child processes that read untrusted files: killable, limited in memory and time, confined. Used by `papers` and `code`."""
