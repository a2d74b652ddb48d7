"""The published study in a ledger.

`answer_files` and `label_tables` read its files into a `dataset`, `defects` finds what is wrong with its answers, `importer`
stores them as readers, `embedded_answers` answers the same contexts with the embedded reader, and `figures` recomputes its
published figures for `figures_page`.
"""
