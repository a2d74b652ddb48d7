"""What was found, in the shapes people and programs read: JSON Lines, CSV, XLSX, HTML, a table in the terminal.

Every format starts from `records.Row`. `rows` flattens one, `matrix` lays many out as papers x questions, `plain` makes text
from papers and models harmless to show.
"""
