"""The published study in our ledger: its files in (`layouts`), what is wrong with them (`defects`), kept as readers of their
own (`importing`), our reader on the same contexts (`ours`), and its figures from the ledger (`figures`, `page`)."""
