"""Human labels in, agreement statistics out: reader vs. human, human vs. human, reader vs. reader.

`table_files` and `labels` read label files, `ground_truth` merges annotators, `scoring` compares readers with the result.
`counts`, `raters`, `bootstrap`, `calibration` and `similarity` hold the statistics; `sampling` selects cells to annotate;
`measure` and `stability` apply them to the runs of a ledger.
"""
