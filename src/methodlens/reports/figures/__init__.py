"""Figures for a paper: counted in one pass over a run, drawn as SVG and PNG, with their data as CSV and their captions.

- `corpus_counts`, `fact_counts`, `rater_pairs`, `periods`, `proportions`: what is counted, and the statistics of it
- `shares`, `verdict_map`, `trends`, `coreporting`, `calibration_plot`, `agreement`, `flow`: one kind of figure per module
- `figure_set`: all of them by name; one without data says why
- `style`, `text_width`, `axes`: how they look in print
- `svg_file`, `png_file`, `run_figures`: the files; `report_figures`: the same in the HTML report
"""
