"""Export formats: the cells of a run as JSON Lines, CSV, XLSX and transcripts."""
