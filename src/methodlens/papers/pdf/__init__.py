"""Reads PDFs with PDFium: characters, hidden text, OCR, page images. Only the worker process loads PDFium."""
