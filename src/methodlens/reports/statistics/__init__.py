"""Pages of statistics (tables, bars, agreement matrices, reliability curves), printed as text or written as HTML."""
