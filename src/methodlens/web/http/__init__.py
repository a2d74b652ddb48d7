"""The review room over HTTP: JSON endpoints, HTML pages, access control, uploads and downloads."""
