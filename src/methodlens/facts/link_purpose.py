"""What a link in a sentence leads to: the authors' code, the data they used or shared, or neither.

The clause around the link decides, not its host: a repository may hold code or data, and most links are to other people's tools.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from methodlens.facts.link_words import (
    ACCESSED,
    AND_SHARED,
    AT_SITE,
    BASED_ON,
    CITED_AT_END,
    CLAUSE,
    CODE_NOUN,
    COMPLEMENT,
    COORDINATED,
    DATA_NOUN,
    DATA_SET_NOUN,
    DEMO,
    DOWNLOADED,
    EXAMPLE,
    FETCHED,
    HOW,
    IMPLEMENTED_IN,
    INTRODUCES,
    JOINED,
    LABEL,
    LABEL_AFTER,
    LISTED,
    NOTE_NUMBER,
    ONLY_AVAILABLE,
    ORIGIN,
    OTHERS_CODE,
    OUR_MODELS,
    OUR_PLACE,
    OURS,
    PAPER_ITSELF,
    PAPER_PART,
    PHRASE_START,
    PRETRAINED,
    REPRODUCE,
    RESPECTIVELY,
    SHARED,
    SUPPLEMENT,
    TAKEN,
    TAKEN_FROM,
    TOOL_AFTER,
    TOOL_NOUN,
    USED,
    VERB,
    WE_RELEASE,
    WE_SHARE,
    WORDLESS,
)

CODE, DATA = "code", "data"
NOTHING: frozenset[str] = frozenset()


class Mention(NamedTuple):
    """A link in a sentence, or a site that is only `named`, and what that site usually holds: "code", "data" or ""."""

    start: int
    end: int
    usual: str = ""
    named: bool = False
    data_set: bool = False
    """It follows the name of a known data set."""


def purposes(sentence: str, mentions: Sequence[Mention]) -> list[frozenset[str]]:
    """For each mention, in order of print, what it leads to: "code", "data", both or nothing.

    >>> text = "Code is on https://a.org/x and the images are at https://b.org/y."
    >>> purposes(text, [Mention(11, 26), Mention(49, 64)])
    [frozenset({'code'}), frozenset({'data'})]
    """
    sentence = ACCESSED.sub(lambda match: " " * len(match[0]), sentence)
    sentence = NOTE_NUMBER.sub(lambda match: " " * len(match[0]), sentence)
    found: list[frozenset[str]] = []
    at = 0
    for index, mention in enumerate(mentions):
        before = sentence[at : mention.start]
        following = mentions[index + 1].start if index + 1 < len(mentions) else len(sentence)
        after = sentence[mention.end : following]
        if found and JOINED.match(before) and not LABEL_AFTER.match(after):
            found.append(found[-1])
        else:
            found.append(_purpose(before, after, sentence[: mention.start], mention))
        at = mention.end
    return _in_turn(sentence, mentions, found)


def _in_turn(sentence: str, mentions: Sequence[Mention], found: list[frozenset[str]]) -> list[frozenset[str]]:
    """ "Code and data are at A and B, respectively": the nouns and the links, each in the order of print."""
    links = [index for index, mention in enumerate(mentions) if not mention.named]
    code, data = CODE_NOUN.search(sentence), _any_data(sentence)
    if len(links) == 2 and code and data and RESPECTIVELY.search(sentence) and found[links[0]] == {CODE, DATA}:
        kinds = (CODE, DATA) if code.start() < data.start() else (DATA, CODE)
        for index, kind in zip(links, kinds, strict=True):
            found[index] = frozenset((kind,))
    return found


def _purpose(before: str, after: str, whole: str, mention: Mention) -> frozenset[str]:
    if TOOL_AFTER.match(after):
        return NOTHING
    label = LABEL_AFTER.match(after)
    if label and (kinds := _kinds(label[1] or label[2])) and (label[1] or not _kinds(before)):
        return kinds if mention.usual or not OTHERS_CODE.search(whole) else NOTHING
    clause, kinds = _about(before, after, whole, mention)
    if PAPER_ITSELF.search(clause) and not mention.usual:
        return NOTHING
    if mention.usual == CODE and SUPPLEMENT.search(clause) and not _kinds(clause):
        return NOTHING
    if mention.named and not _in_site(clause, before):
        kinds -= {DATA}
    found = {CODE} if CODE in kinds and _is_code(clause) else set()
    # words in brackets may only name the site: "images from Frogbase (a collection of frogs, A)"
    bracketed = before.endswith(f"({clause}") and not found
    if DATA in kinds and (_is_data(clause, mention) or (bracketed and _is_data(before, mention))):
        found.add(DATA)
    return frozenset(found)


def _about(before: str, after: str, whole: str, mention: Mention) -> tuple[str, frozenset[str]]:
    """The clause that says what the link leads to, and the kinds that it names; if none does, what the site usually holds."""
    clause = _last_clause(before)
    if kinds := _kinds(clause):
        return clause, kinds
    if SHARED.search(before) and (kinds := _kinds(whole)):  # "..., archived at A and also available at B"
        return whole, kinds
    if LISTED.match(before) and DATA in _kinds(whole):
        return whole, frozenset((DATA,))
    if mention.data_set:
        return clause, frozenset((DATA,))
    if (SHARED.search(after) or mention.named or not clause.strip(WORDLESS)) and (kinds := _kinds(after)):
        return f"{clause} {after}", kinds
    if mention.usual != DATA and OUR_MODELS.search(clause) and (SHARED.search(clause) or WE_RELEASE.search(clause)):
        return clause, frozenset((CODE,))  # a released model counts as code
    if DOWNLOADED.search(clause):
        return clause, frozenset((DATA,))
    return clause, frozenset((mention.usual,)) if mention.usual else NOTHING


def _is_code(clause: str) -> bool:
    """Only the authors' own: they share it, or it is said where "the code" is."""
    if IMPLEMENTED_IN.search(clause) or BASED_ON.search(clause) or _is_others_code(clause):
        return False
    shared, noun = SHARED.search(clause), CODE_NOUN.search(clause)
    if noun:
        told = OURS.search(clause) or WE_SHARE.search(clause) or LABEL.match(clause)
        return bool(told or (shared and noun.start() < shared.end()))
    if WE_RELEASE.search(clause) or LABEL.match(clause) or REPRODUCE.search(clause):
        return True
    if PRETRAINED.search(clause) and not OURS.search(clause):  # the weights that the training starts from
        return False
    return bool(OUR_PLACE.search(clause)) or (bool(shared) and len(clause.split()) > ONLY_AVAILABLE)


def _is_others_code(clause: str) -> bool:
    """ "We use the code of Marsh et al.", but not "Our code is based on the PondNet library and is available at"."""
    others = OTHERS_CODE.search(clause)
    if not others:
        return False
    ours = OURS.search(clause, 0, others.start()) and CODE_NOUN.search(clause, 0, others.start())
    return not (ours and AND_SHARED.search(clause, others.end()))


def _is_data(clause: str, mention: Mention) -> bool:
    """The authors' own or other people's, if it is said to be used or shared, and the link is not to a tool."""
    end = CITED_AT_END.sub("", clause).rstrip(' ("“[:,')
    phrase = PHRASE_START.split(end)[-1]
    data, data_set = bool(_any_data(clause) or DOWNLOADED.search(clause)), bool(DATA_SET_NOUN.search(clause))
    names_data = mention.data_set or bool(_any_data(phrase))
    how = HOW.search(end)
    if (PRETRAINED.search(clause) and not (SHARED.search(clause) and _any_data(clause))) or (
        not names_data and (TOOL_NOUN.search(phrase) or (how and not _any_data(how[1])))
    ):
        return False
    if (EXAMPLE.search(clause) and not TAKEN.search(clause)) or (DEMO.search(clause) and not data_set):
        return False
    if data and (SHARED.search(clause) or WE_RELEASE.search(clause) or mention.named):
        return True
    if (data or mention.usual == DATA) and TAKEN.search(clause) and TAKEN_FROM.search(f"{end} "):
        return True
    if names_data and (INTRODUCES.search(clause.rstrip('"“ ')) or CITED_AT_END.search(clause)):
        return True
    if (origin := ORIGIN.search(end)) and _any_data(end[max(0, origin.start() - 25) : origin.start()]):
        return True
    if data_set and USED.search(clause) and INTRODUCES.search(clause):
        return True
    introduced = INTRODUCES.search(clause) or not clause.strip(WORDLESS)
    return bool(mention.usual == DATA and not mention.named and introduced and not PAPER_PART.search(phrase))


def _in_site(clause: str, before: str) -> bool:
    """Whether data are said to be taken from the site that is named next, or kept there: not "GBIF is a large database"."""
    return bool(AT_SITE.search(before) and (SHARED.search(clause) or FETCHED.search(clause) or SHARED.search(before)))


def _any_data(text: str) -> re.Match[str] | None:
    return DATA_SET_NOUN.search(text) or DATA_NOUN.search(text)


def _last_clause(text: str) -> str:
    """The clause that ends at the end of the text; a longer part if that clause names neither code nor data."""
    cuts = [cut.end() for cut in CLAUSE.finditer(text) if cut[0][0] != "," or VERB.search(text, 0, cut.start())]
    bracket = text.rfind("(")
    if bracket > text.rfind(")"):
        cuts.append(bracket + 1)
    for cut in sorted(cuts, reverse=True):
        if _kinds(text[cut:]):
            return text[cut:]
    return text


def _kinds(text: str) -> frozenset[str]:
    """What the text is about, by its first noun and those coordinated with it: "code for the images" is code."""
    nouns = [(match.start(), CODE) for match in CODE_NOUN.finditer(text)]
    nouns += [(match.start(), DATA) for pattern in (DATA_NOUN, DATA_SET_NOUN) for match in pattern.finditer(text)]
    kinds: set[str] = set()
    for start, kind in sorted(nouns):
        near = text[max(0, start - 60) : start]
        if not kinds or (kind not in kinds and COORDINATED.search(near) and not COMPLEMENT.search(near)):
            kinds.add(kind)
    return frozenset(kinds)
