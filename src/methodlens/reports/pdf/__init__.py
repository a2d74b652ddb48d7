"""Papers as annotated PDFs: quotes highlighted, answers as notes, an outline and a cover page with the verdicts."""
