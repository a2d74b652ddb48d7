"""Papers that occur more than once in a collection: the same DOI, or the same text."""

import hashlib
import unicodedata


class DuplicateFinder:
    """Finds the first copy of each paper. Papers are added in the order of the collection."""

    def __init__(self) -> None:
        self._first: dict[int, str] = {}  # by 64-bit hash, because there may be millions of long keys

    def add(self, name: str, doi: str, digest: str) -> str:
        """The name of the first paper with the same DOI or text digest; '' if this one is the first."""
        keys = [hash(key) for key in (("doi", doi.lower()), ("text", digest)) if key[1]]
        original = next((self._first[key] for key in keys if key in self._first), name)
        for key in keys:
            self._first.setdefault(key, original)
        return original if original != name else ""


def text_digest(text: str) -> str:
    """Equal for two files with the same letters and digits, whatever their layout; '' for a text that has none."""
    characters = "".join(char for char in unicodedata.normalize("NFKC", text).lower() if char.isalnum())
    return hashlib.sha256(characters.encode()).hexdigest() if characters else ""
