"""Data sets that no list has, by how papers speak of data: "the NewtSong dataset", "on CIFAR-10, NewtSong and PondBench",
"NewtSong [3] contains 900 recordings", "the test split of NewtSong"."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.name_chains import CITED, NAME, chains, is_distinct
from methodlens.facts.open_names import is_function_word, is_name, spelled_out

_CONFIDENCE = 0.7
_LESS = 0.6  # of names that only their place in the sentence makes a data set

_WORD = r"[A-Z0-9][\w’'+-]{0,24}"
_NAME = rf"{_WORD}(?:\s(?:of\s(?:the\s)?|and\s)?{_WORD}){{0,3}}"
_SHORT = r"(?:\s\((?P<short>[A-Z][\w-]{1,10})\))?"
_NOUN = (
    r"(?:data\s?sets?|corpus|corpora|databases?|data\s?bases?|benchmarks?|test\s?beds?|challenge\s(?:data\s?)?sets?|leaderboard)"
)
_SPLIT = r"(?:train(?:ing)?|test(?:ing)?|dev(?:elopment)?|val(?:idation)?|evaluation)"
_HEADED = re.compile(rf"(?<![\w’'-])(?P<names>{_NAME}(?:,\s{_NAME}){{0,4}}){_SHORT}{CITED}\s{_NOUN}\b")
_CALLED = re.compile(
    rf"\b{_NOUN}(?:,|\s\()?\s(?:called|named|known\sas|dubbed|termed|namely|denoted(?:\sas)?)\s[“\"‘']?(?P<names>{_NAME})"
)
_OF_SPLIT = re.compile(
    rf"\b{_SPLIT}(?:/{_SPLIT}){{0,2}}\s?(?:sets?|splits?|subsets?|part(?:ition)?s?|portions?)\s(?:of|from)\s(?:the\s)?(?P<names>{NAME})"
)
_SPLIT_AFTER = re.compile(rf"(?<![\w-])(?P<names>{NAME}){CITED}\s{_SPLIT}(?:[/-]{_SPLIT}){{0,2}}[\s-](?:set|split|partition)s?\b")
_ON = re.compile(
    r"\b(?:(?:pre-?)?train(?:ed|ing)?|fine-?tun(?:ed|ing)|evaluat(?:ed?|ions?|ing)|test(?:ed)?|experiments?|results|validated|"
    rf"benchmarked|tested|performance)\s(?:[a-z]{{2,12}}\s){{0,2}}on\s(?:the\s)?(?P<names>{NAME})(?!\s(?:GPU|CPU|TPU|machine|server|node|core|processor|device|cluster|platform|card))"
)
# "a corpus of calls, NewtSong, which", "NewtSong, a corpus of calls"
_APPOSED = re.compile(rf"\b{_NOUN}(?:\s(?:for|of)\s(?:[\w-]{{1,20}}\s?){{1,5}})?,\s(?P<names>{NAME})(?=[,.;]|\s[(\[])")
_EXPLAINED = re.compile(rf"(?<![\w-])(?P<names>{NAME}){CITED},\s(?:an?|our|the)\s(?:[\w-]{{1,20}}\s){{0,5}}{_NOUN}\b")
_THINGS = (
    r"(?:images?|photo(?:graph)?s|videos?|clips|frames|samples|examples|instances|sentences|questions|documents|articles|utterances|"
    r"recordings|pairs|scans|patients|subjects|annotations|class(?:es)?|categories|species|tracks|hours|reviews|tweets|queries|patches|"
    r"records|molecules|graphs|dialogues|conversations|scenes|slides|radiographs|spectra|sequences|passages|captions|speakers|points)"
)
_DESCRIBED = re.compile(
    rf"(?:^|[.;:•–]\s|\b[Tt]he\s)(?P<names>{NAME}){_SHORT}{CITED}(?:\s{_NOUN})?\s"
    r"(?:(?:contains|consists\sof|comprises|is\scomposed\sof|includes|provides|is\sa\sset\sof|offers)\s(?:[\w,.×~-]{1,20}\s){0,5}?"
    rf"{_THINGS}\b|(?:is|are)\s(?:an?|the|one\sof\sthe)\s(?:[\w-]{{1,20}}\s){{0,5}}?{_NOUN}\b|(?:was|is)\scollected\s(?:from|by|in|at)\b)"
)
_JOINED = re.compile(r",\s|\sand\s(?=[A-Z\d])")
_COUNTED = re.compile(r"\d+(?:[.,]\d+)*")
_AMOUNT = re.compile(r"\d+(?:[.,]\d+)?[-\s]?[kKMGTB]?(?:hrs?|h|px|x|ms|s|min|k|m)?", re.I)
_ORDINARY = re.compile(r"[A-Z][a-z]+")  # "Biological datasets": a first word, of a sentence or of a cell, has a capital anyway
# "five QA datasets", "several ASR benchmarks": a kind of data, not a name
_KIND = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|several|various|multiple|many|other|existing|all|different|most|used|"
    r"popular|common|standard|available|public|large|large-scale|small|challenging|these|those|our|such)\s$",
    re.I,
)
_THE = re.compile(r"\b(?:the|both)\s$", re.I)
_LONGEST_KIND = 3  # letters of an acronym that is a kind of data, such as QA, wherever its noun has a plural
# kinds of data, tasks, makers of software, machines and languages are not names of data sets
_NO_DATA = frozenset(
    """x-ray mri ct rgb eeg ecg lidar uav gps hd 3d 2d 1d sar gpu cpu api url ai ml dl nlp cv english french german spanish
    chinese japanese swedish dutch italian arabic google microsoft amazon sql mysql postgresql sqlite firebase r python matlab
    iot web internet covid-19 twitter deep machine learning imaging qa nli zsl gzsl fsl vqa ocr asr ner nlu nlg mt nmt smt rl
    ssl reid re-id slam har ir sts tts ood llm llms vlm rag cnn rnn lstm dnn svm gan kaggle github zenodo huggingface hugging
    face facebook openai nvidia intel amd tpu tpus gpus cpus v100 a100 h100 p100 k80 gtx rtx titan tesla xeon aws colab ec2
    dgx pytorch tensorflow map miou iou bleu rouge auc roc psnr ssim fid wer cer mse mae top-1 top-5 f1 sota ours imu rgb-d
    pet cxr table figure fig section appendix eq equation algorithm""".split()
)
_OTHER_LISTS = ("architectures", "frameworks", "metrics", "optimizers", "platforms", "augmentations")

_ANNOUNCED = re.compile(
    rf"\b{_NOUN}(?:\s?[:,(]|\s[–—-]|,?\s(?:namely|including|such\sas|i\.e\.,?|e\.g\.,?|like|are|is)){{1,3}}\s?(?:the\s|on\s)?$"
)
_HEAD_AFTER = re.compile(rf"\s{_NOUN}\b")
_SUPERSCRIPT = re.compile(r"(?<![\w-])(?P<name>[A-Z][A-Za-z]+(?:-[A-Za-z]+)?)(?P<mark>\d{1,3})(?!\w)")


def open_datasets(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """Names that overlap none of `taken`, each once."""
    seen = [(mention.start, mention.end) for mention in taken]
    names: set[str] = set()
    for find in (_with_footnote, _headed, _listed_together, _placed):
        for mention in find(text, taken):
            free = not any(start < mention.end and mention.start < end for start, end in seen)
            if free and mention.name not in names:
                seen.append((mention.start, mention.end))
                names.add(mention.name)
                yield mention


def _with_footnote(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "OpenWebText44": a listed name with the number of a reference."""
    for match in _SUPERSCRIPT.finditer(text):
        if known := listed("datasets", f"the {match['name']} dataset"):
            yield Mention(known[0].name, known[0].kind, match.start("name"), match.end("name"))


def _headed(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    for match in _HEADED.finditer(text):
        if any(mention.start < match.end() and match.start() < mention.end for mention in taken):
            continue
        short = match["short"]
        long = spelled_out(text[max(0, match.start("short") - 80) : match.start("short") - 2], short) if short else ""
        if short and long[:1].isupper():  # "Otters with Attributes (OWA) dataset"
            start = match.start("short") - 2 - len(long)
            yield Mention(long, "named", start, start + len(long), confidence=_CONFIDENCE)
            continue
        if not _is_kind(text, match):
            yield from _each(text, match.start("names"), match["names"], _CONFIDENCE)
    for match in _CALLED.finditer(text):
        yield from _each(text, match.start("names"), match["names"], _CONFIDENCE)


def _is_kind(text: str, match: re.Match[str]) -> bool:
    """ "five QA datasets", "using ASR corpora", but not "the POND datasets"."""
    names = match["names"]
    acronym = (
        names.isupper()
        and " " not in names
        and (len(names) <= _LONGEST_KIND or _KIND.search(text, max(0, match.start() - 30), match.start()))
    )
    plural = match[0].endswith(("s", "corpora"))
    return bool(acronym) and plural and not _THE.search(text, max(0, match.start() - 10), match.start())


def _placed(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """Names that only the sentence makes a data set have to look like names."""
    for pattern in (_DESCRIBED, _APPOSED, _EXPLAINED, _OF_SPLIT, _SPLIT_AFTER, _ON):
        for match in pattern.finditer(text):
            for mention in _each(text, match.start("names"), match["names"], _LESS):
                feature = pattern is _ON and mention.name.isalpha() and mention.name.isupper()  # "trained on MFCC"
                if is_distinct(mention.name) and not feature and not _is_something_else(mention.name):
                    yield mention


def _listed_together(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "on CIFAR-10 [4], NewtSong [5] and PondBench": a list with a known data set, or one that is called data sets."""
    for chain in chains(text):
        start, end = chain[0].start(), chain[-1].end()
        spans = [item.span("name") for item in chain]
        known = any(mention.start < stop and begin < mention.end for mention in taken for begin, stop in spans)
        called = _ANNOUNCED.search(text, max(0, start - 40), start) or _HEAD_AFTER.match(text, end)
        for item in chain if known or called else ():
            for mention in _each(text, item.start(), item["name"], _CONFIDENCE):
                if (called or is_distinct(mention.name)) and not _is_something_else(mention.name):
                    yield mention


def _each(text: str, at: int, printed: str, confidence: float) -> Iterator[Mention]:
    for part in _JOINED.split(printed):
        words = part.split()
        while words and (is_function_word(words[0]) or _COUNTED.fullmatch(words[0])):
            words = words[1:]
        name = " ".join(words).rstrip("’'-+") if words else ""
        possessive = any(mark in name for mark in ("’s", "'s"))
        if not is_name(name) or possessive or _AMOUNT.fullmatch(name) or {word.lower() for word in words} <= _NO_DATA:
            continue
        start = text.find(words[0], at)
        if start >= 0 and not (_ORDINARY.fullmatch(name) and _opens_sentence(text, start)):
            yield Mention(name, "named", start, start + len(name), confidence=confidence)


def _opens_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 3) : at].rstrip()
    return not before or before[-1] in ".!?:;–•"


@lru_cache(maxsize=2048)
def _is_something_else(name: str) -> bool:
    """A model, a toolkit or a metric that a list has."""
    return any(listed(each, f"{name} network") for each in _OTHER_LISTS)
