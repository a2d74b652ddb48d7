"""An item of a library: what its database and its exported files have in common."""

from collections.abc import Mapping
from typing import NamedTuple

from methodlens.papers.metadata.entries import Metadata


class LibraryItem(NamedTuple):
    """`files` are paths of PDFs, which may be missing; `collections` are paths such as 'Moths/Night'.

    `source` says where the item is listed, for messages.
    """

    metadata: Metadata
    source: str
    files: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


class Collection(NamedTuple):
    name: str
    parent: object = None
    """The id of the collection it is in, if any."""


def collection_path(key: object, collections: Mapping[object, Collection]) -> str:
    """
    >>> collection_path(2, {1: Collection("Moths"), 2: Collection("Night", 1)})
    'Moths/Night'
    """
    names: list[str] = []
    seen: set[object] = set()
    while key in collections and key not in seen:  # a damaged library may have a loop
        seen.add(key)
        names.append(collections[key].name)
        key = collections[key].parent
    return "/".join(reversed(names))
