"""The review room, a web application: the matrix of a run, every cell with its page, and reviewers' annotations.

`review` holds what reviewers see and do, `http` serves it, `background_jobs` adds papers and questions to a run.
"""
