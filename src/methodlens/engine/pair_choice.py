"""What a user says about files that belong to papers: repositories and supplements."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class PairChoice(NamedTuple):
    """Pairs as on the command line, and whether to look for others next to the papers."""

    given: tuple[str, ...] = ()
    find: bool = True
    waits: bool = False
    """Whether a paper that is named may be missing, because it may arrive later."""

    @classmethod
    def by_paper(cls, files: Mapping[str, str | Path] | None) -> "PairChoice":
        """From the files by the names of their papers; an empty mapping turns the search off.

        >>> PairChoice.by_paper({"moths.pdf": "clones/moths@2023-05-31"})
        PairChoice(given=('moths.pdf=clones/moths@2023-05-31',), find=True, waits=False)
        >>> PairChoice.by_paper({}).find, PairChoice.by_paper(None).find
        (False, True)
        """
        return cls(tuple(f"{paper}={path}" for paper, path in (files or {}).items()), find=files is None or bool(files))
