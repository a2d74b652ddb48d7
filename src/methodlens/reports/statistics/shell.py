"""The start of a page of figures: what it forbids itself, and the style that all pages share. It has no script."""

from html import escape

from methodlens.reports.html.assets import csp_hash, stylesheet
from methodlens.text.printable import one_line


def head(title: str, *styles: str) -> str:
    """Up to the first heading; `styles` name the stylesheets it needs beside the base."""
    style = stylesheet("base", *styles)
    policy = f"default-src 'none'; style-src {csp_hash(style)}; base-uri 'none'; form-action 'none'"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(one_line(title))}</title>
<style>{style}</style>
</head>
<body>
<main>
"""
