"""The wide table: one line per paper, one column per question with a short answer, and the facts as values."""
