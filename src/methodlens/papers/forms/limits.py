"""How much of a file is read. Papers are far below these; a file made to exhaust memory or time is not."""

MAX_TEXT_BYTES = 64 << 20
"""Of one file, or one member of an archive, after decompression."""
MAX_NODES = 1_000_000
"""Elements of an XML or HTML file."""
MAX_DEPTH = 200
"""Levels of nesting."""
MAX_MEMBERS = 5_000
"""Files in an archive."""
MAX_INCLUDED = 200
"""Files that a LaTeX document includes."""
MAX_COLUMNS, MAX_ROWS = 60, 2_000
"""Of a table."""
