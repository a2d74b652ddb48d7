"""From printed lines to clean text in reading order, where each character is mapped to its place on the page."""
