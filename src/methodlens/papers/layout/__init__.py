"""From printed lines to clean text in reading order, each character with its way back to the page."""
