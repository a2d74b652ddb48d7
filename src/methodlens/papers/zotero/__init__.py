"""The papers of a Zotero library, with their metadata and collections: from its database, or from an exported file."""

from methodlens.papers.zotero.library import Library, read_library

__all__ = ["Library", "read_library"]
