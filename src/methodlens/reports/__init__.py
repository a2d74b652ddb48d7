"""The cells of a run in the forms that people and programs read.

- `formats`: exports, one module per format (JSON Lines, CSV, XLSX, RIS, Web Annotations, transcripts)
- `pdf`: annotated copies of the papers
- `html`: the report, from the matrix to the sentence on its page
- `figures`: plots for a paper, as SVG, PNG and CSV
- `statistics`: pages of tables and plots, for evaluations and for the study
- `terminal`: verdicts in a terminal
- `annotation_sheets`: sheets for annotators

All of them start from `records.Row`; `verdict_matrix` arranges rows as papers x questions.
"""
