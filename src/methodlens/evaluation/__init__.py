"""Annotations in, agreement statistics out: how far do readers agree with people, people with people, readers with readers?

`gold` reads labels, `truth` settles them, `scoring` measures; `counts`, `raters`, `mcnemar`, `bootstrap`, `calibration` and
`similarity` are the arithmetic. `sampling` chooses what people should look at. Nothing here knows the ledger.
"""
