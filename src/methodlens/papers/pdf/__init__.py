"""What looks into a PDF: PDFium, and what judges a page by its characters and pixels. Only the worker process loads PDFium."""
