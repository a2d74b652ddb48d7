"""Network architectures: listed ones, and the authors' own that no list has, recognised by how they are introduced or built."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from methodlens.facts.gazetteer import Mention, gazetteer
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.naming import UNCLEAR, Places, name_facts, own, places_in
from methodlens.facts.open_heads import variants
from methodlens.facts.open_names import OPEN, abbreviated, introduced, introduced_in_full, is_model_name, is_name
from methodlens.facts.paper_networks import PaperNetworks, networks_of, short_form
from methodlens.facts.roles import Role, clause, names_an_act, role_of
from methodlens.facts.types import DOUBTFUL, Fact, PaperFacts
from methodlens.records import Paper, Section, SectionKind
from methodlens.text import sentences

_HEADS = (
    "networks?|nets?|autoencoders?|auto-encoders?|transformers?|perceptrons?|lstms?|cnns?|rnns?|gans?|encoders?|u-nets?|units?"
)
_MODEL_WORD = re.compile(
    r"\b(?:models?|networks?|architectures?|frameworks?|encoders?|decoders?|transformers?|cnns?|rnns?|lstms?|gans?|classifiers?|"
    r"detectors?|neural|learning|layers?|method|approach|algorithm|agent|policy)\b",
    re.I,
)
# names built from those of known kinds: "FrogNet", "Char-BiLSTM", "PondBERT", "NewtFormer-2", "GP-RNN", "A-B-FROG-NET"
_BUILT = re.compile(
    r"(?<![\w/.@-])(?P<name>(?:(?:[A-Z][A-Za-z0-9]{0,14}[-‐]){1,3}|(?:[A-Z][A-Za-z0-9]{0,14}[-‐])?(?:[A-Z][A-Za-z0-9]{0,14})?[A-Za-z0-9])"
    r"(?:Net|NET|RNN|CNN|LSTM|GRU|GAN|BERT|[Ff]ormer|VAE|GPT|ViT|Mixer|DQN|GNN|GCN|MLP)"
    r"(?:[-‐]?(?:v?\d{1,4}[a-z]?|[A-Z]{1,4}|small|base|large|tiny|lite))?)(?![\w@/]|\.\w|[-‐][a-z])"
)
_OWN_NAME = re.compile(r"\b(?:we|our|I|proposed|this\s(?:paper|work|study))\b", re.I)
_THE = re.compile(r"\b[Tt]he\s(?:[A-Z][a-z]{2,12}\s){0,2}$")
# "FrogNet consists of three blocks": papers describe at length only what they use
_DESCRIBED = re.compile(r"\s(?:consists?\sof|is\scomposed\sof|comprises|is\smade\sup\sof|stacks|takes\s(?:as\sinput|an?\s))\b")
# "graphics processing unit (GPU)", "rectified linear unit (ReLU)", "Conference on Neural Networks (ICNN)"
_NO_NETWORK = re.compile(
    r"\b(?:process\w*|linear|exponential|activation|measurement|conference|care|transactions|symposium)\b", re.I
)
_DATA_AFTER = re.compile(
    r"[\s-](?:data\s?sets?|data|corpus|benchmark|database|images|weights|pre-?train\w*|classes|challenge|labels)\b", re.I
)
_EXAMPLE = re.compile(r"\b(?:such\sas|e\.g\.,?|like)\s(?:[\w\[\]-]{1,20},?\s){0,6}$", re.I)
_OWN_ACT = re.compile(r"\b(?:we|our|I)\b|\b(?:was|were)\s\w+", re.I)
# "The RNN is a generalization of ...", "a standard LSTM computes ..."
_DEFINED = re.compile(
    r"(?:s|\s\([^()]{1,40}\))?(?:\s\[[\d,\s–-]{1,20}\])?\s(?:is|are)\s(?:an?|one\sof)\s(?:[\w-]{1,20}\s){0,4}?"
    r"(?:types?|kinds?|class|famil(?:y|ies)|generali[sz]ation|extension|form|branch|subset)\s(?:of|that)\b",
    re.I,
)
_RECIPE = re.compile(
    r"\b(?:protocols?|settings?|recipes?|schedules?|hyper-?parameters|configurations?|procedures?|strateg(?:y|ies))\s(?:of|from|in|by)\s(?:the\s)?$",
    re.I,
)
_COMPONENT = re.compile(r"\s(?:encoder|decoder|backbone|branch|front-?end|stem|feature\sextractor|embedding|module)\b")
_STANDARD = re.compile(r"\b(?:standard|typical|conventional|traditional|vanilla|ordinary|classical)\s$", re.I)
_OWN_LABEL = re.compile(r"\s\((?P<name>[A-Z][A-Za-z]{0,10}[-‐]?[A-Z][A-Za-z0-9]{0,10})\)")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9]{0,8}[A-Z][A-Za-z0-9]{0,8}[-‐]")
_BRACKETED = re.compile(r"\s?\(\s?$")


def architectures(quotes: Sequence[str]) -> list[Fact]:
    facts = name_facts(places_in(_own_mentions, quotes), quotes)
    # in papers that no rule was written from, two of three doubtful names are those of other people's models
    facts = [fact for fact in facts if fact.confidence >= DOUBTFUL] or facts
    return [fact for fact in facts if not _is_part(fact, facts)]


def architectures_of(paper: Paper) -> PaperFacts:
    """Knows which networks the paper says are its own, also where a quote only names them."""
    rows = list(_sentences(paper))
    networks = networks_of(
        ((paper.text[start:end], section, names) for start, end, section, names in rows), paper.title, paper.text
    )

    known = {*networks.names, *networks.open_names}

    def extract(quotes: Sequence[str]) -> list[Fact]:
        places = _places(networks, quotes)
        supported = known | {mention.name for _, mention in places if mention.variant_of in networks.names}
        kinds = {mention.name: mention.kind for _, mention in places}
        facts = [
            replace(fact, confidence=max(fact.confidence, _KNOWN)) if fact.value in supported else fact
            for fact in name_facts(places, quotes)
        ]
        if any(fact.value in supported for fact in facts):
            facts = [
                fact
                for fact in facts
                if fact.value in supported or fact.confidence >= _LEAST.get(kinds[fact.value], _LEAST_SHOWN)
            ]
        else:
            facts = [fact for fact in facts if fact.confidence >= DOUBTFUL] or facts
        return [fact for fact in facts if not _is_part(fact, facts, known)]

    return PaperFacts(extract, tuple(_best_places(networks, rows, paper.text)))


_PLACES_PER_NAME = 3


def _best_places(
    networks: PaperNetworks, rows: Sequence[tuple[int, int, str, Sequence[Mention]]], text: str
) -> Iterator[tuple[int, int, str]]:
    """For each network of the paper, the sentences that name most networks in few words."""
    found = {(start, end, section): networks.named(text[start:end], names) for start, end, section, names in rows}
    ranked = sorted(found, key=lambda place: (-len(found[place]) / (place[1] - place[0] + _SENTENCE), place[0]))
    wanted = Counter[str]()
    for place in ranked:
        if any(wanted[name] < _PLACES_PER_NAME for name in found[place]):
            wanted.update(found[place])
            yield place


_SENTENCE = 150  # characters that a sentence costs however short it is, as quotes are few
_KNOWN = 0.8  # the confidence of a name that the whole paper supports
# Next to such names, fewer than half of those that only a quote shows are right, and of general ones even fewer.
_LEAST_SHOWN = 0.75
_LEAST = {"type": 0.85, "family": 1.0}
_NO_SOURCE = frozenset({SectionKind.REFERENCES, SectionKind.ACKNOWLEDGEMENTS})


_NAME_WORD = re.compile(
    r"\b(?:[A-Z][A-Za-z]+|[a-z]{1,2}[A-Z][A-Za-z]+|convolutional|recurrent|convnet|auto-?encoder|perceptron|transformer|adversarial)"
)
_BUILT_WORD = re.compile(r"(?:Net|NET|RNN|CNN|LSTM|GRU|GAN|BERT|[Ff]ormer|VAE|GPT|ViT|Mixer|DQN|GNN|GCN|MLP)")
_INTRODUCED = re.compile(
    r"\b(?:[Ww]e|[Oo]ur|[Pp]aper|[Ww]ork|called|named|dubbed|termed|denoted|coined|[Pp]roposed|architecture)\s"
    r"|(?i:networks?|nets?|encoders?|transformers?|perceptrons?)\s\([A-Z]"
)
_SHORTEST_NAME = re.compile(r"[A-Z]\w*[A-Z0-9]|[a-z][A-Z]")


def _sentences(paper: Paper) -> Iterator[tuple[int, int, str, Sequence[Mention]]]:
    """The spans of a paper's sentences that may name a network, with the kind of their section and the names in each."""
    places = [match.start() for match in _NAME_WORD.finditer(paper.text) if _may_name(match[0])]
    for section in paper.sections or (Section(SectionKind.OTHER, "", 0, len(paper.text)),):
        if section.kind in _NO_SOURCE:
            continue
        for start, end in sentences(paper.text, section.start, section.end):
            at = bisect_left(places, start)
            hit = section.kind != SectionKind.INTRODUCTION and at < len(places) and places[at] < end
            if hit or (_SHORTEST_NAME.search(paper.text, start, end) and _INTRODUCED.search(paper.text, start, end)):
                yield start, end, section.kind, _mentions(paper.text[start:end])


@lru_cache(maxsize=32768)  # papers share most of their words
def _may_name(word: str) -> bool:
    return (
        (not word[0].isupper() and word.islower()) or gazetteer("architectures").may_begin(word) or bool(_BUILT_WORD.search(word))
    )


def _places(networks: PaperNetworks, quotes: Sequence[str]) -> Places:
    """The mentions that a quote shows to be the authors' own, and those of the paper's networks whatever the quote says."""
    shown = [
        (index, replace(mention, name=short) if (short := short_form(mention.name)) in networks.open_names else mention)
        for index, mention in places_in(_own_mentions, quotes)
        if not networks.reviews(mention, quotes[index])
    ]
    known = []
    for index, quote in enumerate(quotes):
        spans = [(mention.start, mention.end) for at, mention in shown if at == index]
        named = [mention for mention in listed("architectures", quote) if mention.name in networks.names]
        for mention in (*networks.mentions(quote), *named):
            taken = any(start < mention.end and mention.start < end for start, end in spans)
            if not taken and role_of(quote, mention.start, mention.end) is not Role.NEGATED:
                known.append((index, mention))
    kept = [
        (index, replace(mention, kind="type") if mention.name in networks.names else mention)
        for index, mention in (*shown, *known)
    ]
    return sorted(kept, key=lambda place: (place[0], place[1].start))


def _is_part(fact: Fact, facts: Sequence[Fact], known: Container[str] = ()) -> bool:
    """ "YOLOv5" next to "YOLOv5s", "LSTM" next to "BiLSTM" unless it is known to be another network."""
    name = str(fact.value)
    others = [str(other.value) for other in facts if other is not fact]
    sized = name[-1].isdigit() and any(other.startswith(name) and other[len(name)].isalpha() for other in others if other != name)
    return sized or (name not in known and (f"Bi{name}" in others or f"Conv{name}" in others))


@lru_cache(maxsize=2048)
def _mentions(text: str) -> tuple[Mention, ...]:
    return tuple(_read(text))


def _read(text: str) -> Iterator[Mention]:
    names = sorted(listed("architectures", text), key=lambda mention: mention.start)
    built = list(_built(text, names))
    names = [mention for mention in names if not any(_is_head(text, mention, name) for name in built)]
    labelled = list(_named_kinds(text, names))
    for at, mention in enumerate(names):
        if any(label.start == mention.start for label in labelled):
            continue
        if at and _is_abbreviation(text, names[at - 1], mention):
            continue
        if mention.kind == "family" and _COMPONENT.match(text, mention.end):
            mention = replace(mention, kind="type")  # "a CNN encoder and an LSTM decoder": a part of its own
        yield replace(mention, confidence=UNCLEAR) if _is_unclear(text, mention) else mention
    open_names = list(_open(text, names, built))
    yield from open_names
    yield from labelled
    yield from variants(text, [mention for mention in (*names, *open_names) if mention.kind in ("model", OPEN)])


_own_mentions = own(_mentions)


def _named_kinds(text: str, names: Sequence[Mention]) -> Iterator[Mention]:
    """ "a deep neural network (IUC-NN)": the name of the authors' network after its kind."""
    for mention in names:
        match = _OWN_LABEL.match(text, mention.end)
        inside = match and any(other.start < match.end("name") and match.start("name") < other.end for other in names)
        if match and not inside and is_name(match["name"]) and mention.kind in ("family", "type"):
            printed = " ".join(text[mention.start : mention.end].lower().split())
            yield Mention(f"{printed} ({match['name']})", OPEN, mention.start, match.end(), confidence=0.7)


def _is_abbreviation(text: str, before: Mention, mention: Mention) -> bool:
    """ "deep feed-forward networks (DNNs)" name one architecture, not two."""
    bracketed = _BRACKETED.fullmatch(text, before.end, mention.start) and text[mention.end : mention.end + 1] == ")"
    return bool(bracketed) and before.name != mention.name and "family" in (before.kind, mention.kind)


def _is_unclear(text: str, mention: Mention) -> bool:
    """An example or a definition: other sentences say better what the authors used."""
    begin, stop = clause(text, mention.start)
    if _DEFINED.match(text, mention.end) or _STANDARD.search(text, max(begin, mention.start - 15), mention.start):
        return True
    if _RECIPE.search(text, max(begin, mention.start - 40), mention.start):
        return True
    return bool(_EXAMPLE.search(text, max(begin, mention.start - 80), mention.start)) and not _OWN_ACT.search(text, begin, stop)


def _is_head(text: str, mention: Mention, name: Mention) -> bool:
    """The "RNN" of "GP-RNN", a name of the authors' own."""
    prefix = text[name.start : mention.start]
    general = mention.kind in ("family", "type") and name.start < mention.start and mention.end == name.end
    return general and bool(_ACRONYM.fullmatch(prefix)) and is_model_name(prefix[:-1])


def _open(text: str, taken: Sequence[Mention], built: Sequence[Mention]) -> Iterator[Mention]:
    """Names that overlap no listed one; each once."""
    seen = list(taken)
    new = [
        mention
        for mention in (*introduced_in_full(text), *introduced(text))
        if _MODEL_WORD.search(text, *clause(text, mention.start))
    ]
    for mention in (*abbreviated(text, _HEADS), *new, *built):
        overlaps = any(other.start < mention.end and mention.start < other.end for other in seen)
        if not overlaps and not _DATA_AFTER.match(text, mention.end) and not _NO_NETWORK.search(mention.name):
            seen.append(mention)
            yield mention


def _built(text: str, names: Sequence[Mention]) -> Iterator[Mention]:
    for match in _BUILT.finditer(text):
        start, end = match.span("name")
        if any(mention.start <= start < mention.end for mention in names):
            continue  # the listed names are no news, and what follows takes time
        owned = _OWN_NAME.search(text, *clause(text, start)) or names_an_act(text, start)
        if not owned and not _THE.search(text, max(0, start - 30), start) and not _DESCRIBED.match(text, end):
            continue
        if is_name(match["name"]) and not any(data.start < end and start < data.end for data in listed("datasets", text)):
            yield Mention(match["name"].replace("‐", "-"), OPEN, start, end, confidence=0.7)
