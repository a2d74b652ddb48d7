"""The HTML report of a run: a matrix of verdicts, each paper with its quotes on the page, each question, a summary."""
