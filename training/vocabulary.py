"""Which words may be learned: general ones that occur in many papers, and no names of authors."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

IN_PAPERS = 20
"""A word must occur in this many papers, so that nothing is learned from a single one."""
_WORD = re.compile(r"(?!cid$)[a-z][a-z-]*[a-z]")  # "(cid:12)" is what some PDFs give for a glyph
_CITED = re.compile(r"\b([A-Z][a-z]+)(?:\s+(?:et\s+al|and\s+[A-Z][a-z]+,?\s*\(?(?:19|20)\d\d|&)|,?\s*\(?(?:19|20)\d\d)")
_NAME = 0.08  # the share of its sentences in which a word is cited, from which it is an author


def vocabulary(papers: Iterable[Collection[str]], sentences: Iterable[tuple[str, Collection[str]]]) -> list[str]:
    """From the words of each paper, and from every sentence with its words."""
    spread = Counter(word for found in papers for word in set(found))
    names = _names(sentences)
    return sorted(word for word, count in spread.items() if count >= IN_PAPERS and _WORD.fullmatch(word) and word not in names)


def _names(sentences: Iterable[tuple[str, Collection[str]]]) -> set[str]:
    """Words that occur in citations too often to be anything but names."""
    cited: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for text, tokens in sentences:
        cited.update({name.lower() for name in _CITED.findall(text)})
        spread.update(set(tokens))
    return {name for name, count in cited.items() if count > _NAME * spread[name]}
