"""Measures how the time of a rule grows with its input, in a child process that a rule without an end cannot outlive."""

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection

from methodlens import facts
from methodlens.code.commands import RepositoryNames
from methodlens.code.config_files import config_findings
from methodlens.code.dependencies import included_findings
from methodlens.code.other_languages import other_findings
from methodlens.code.python_code import python_findings
from methodlens.code.readme import readme_findings
from methodlens.code.scripts import script_findings
from methodlens.code.sources import Source
from methodlens.errors import InputError, QuestionsError
from methodlens.papers.checklist_pages import checklist_spans
from methodlens.papers.layout.flow import flow
from methodlens.papers.layout.headings import sections
from methodlens.papers.layout.ligatures import with_ligatures
from methodlens.papers.metadata.authors import split_names
from methodlens.papers.metadata.bibtex import bibtex_entries
from methodlens.papers.metadata.document import document_metadata
from methodlens.papers.metadata.entries import find_dois
from methodlens.papers.metadata.ris import ris_entries
from methodlens.papers.metadata.title_page import starts_body
from methodlens.papers.pdf.text_quality import is_garbled
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.questions import refuse_unanswerable
from methodlens.readers.answer_cleaning import clean_answer
from methodlens.readers.embedded.citations import citations, cited_sentence, link_sentences
from methodlens.readers.embedded.clauses import clauses, joined
from methodlens.readers.embedded.tidying import is_sentence, tidy
from methodlens.readers.embedded.wording import in_third_person
from methodlens.readers.grounding import find_support, locate_quote, unsupported_claims
from methodlens.readers.replies import parse_answer
from methodlens.records import Answer, AnswerForm, Evidence, Hit, Match, Paper, Passage, Section, SectionKind
from methodlens.relevance.cues import cues_asked
from methodlens.relevance.forms import values
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.relevance.understanding import understand
from methodlens.retrieval.pattern_index import PatternIndex
from methodlens.text import locate, sentences, squeeze, words
from methodlens.text.printable import one_line
from methodlens.text.vectors import load_vectors
from methodlens.verdicts import is_silent, paper_flags, separate_speculation

PROSE = (
    "We trained the network on 4 RTX8000 with a learning rate of 0.001 for 1,200 epochs, and stored it at https://example.org/a. "
)
FRAGMENTS = (
    *(
        "ACGT",
        "A",
        "Ab-",
        "A ",
        "Ab ",
        "Ab (",
        "(A",
        "A (B) ",
        "1 https://a.org/b c1. ",
        "\n1 https://a.org/b. D1.",
        "\n[1] A. B. 2019. https://a.org/b ",
        "\nMarsh, A. (2019). https://a.org/c. Marsh (2019).",
        "a",
        "a ",
        "a-",
        "a.",
        "a_",
        "aaaa!",
        "Dr. ",
        "et al. ",
        "é",
        "中",
        "\u3000",
    ),
    *("1", "1.", "1,", "1,111", ",111", "1 ", "1e", "1 x ", "10^", "10-1 ", "1.1 ", "(p. 1, ", "[1,", "1)\n", "100% "),
    *(" ", "\n", " \n", "\n\u3000", ".", "!\n", ")", ".)", '"', "“", "*", "-", "#", "- ", "* \n", ": ", ",  "),
    *("http://a", "www.a", "10.1234/", "a.com/", "https://a.b/- "),
    *('{"a":', "{", '{"reported":', '{"a":1},', "[", "<think>", "</think>", "<think></think>", "```"),
    *(
        "Answer:",
        "Query: a\nAnswer:",
        "References ",
        "References\n",
        "(provide your answer to query ",
        "word count ",
        "Helpful Answer:\n",
    ),
    *(
        "no ",
        "not a ",
        "does not ",
        "also ",
        "it also ",
        "do not really ",
        "therefore ",
        "so, not ",
        "text ",
        "but ",
        "a, but ",
        "likely ",
    ),
    *(
        "deep ",
        "deep-",
        "neural net",
        "convolution",
        "dropout ",
        "learning rate 1, ",
        "seed 1, ",
        "4 GPU ",
        "0.1 for a and ",
        "learning rate (",
        "batch size, epochs ",
        "50, 75 and 100 epochs ",
        "training took 3 days and ",
        "1, 2 and 3 hours ",
        "8 x V100 24 GB ",
        "80% training ",
        "1,000 test images and ",
        "10−",
        "1 × 10",
        "train set 11 ",
        PROSE,
    ),
)
EVIDENCE = (Evidence(PROSE, Match.EXACT),)
PAPER = Paper("0" * 64, "test", text=PROSE * 50)


def _paper(text: str, references: str = "") -> Paper:
    sections = [Section(SectionKind.METHODS, "Methods", 0, len(text))]
    if references:
        sections.append(Section(SectionKind.REFERENCES, "References", len(text) + 1, len(text) + 1 + len(references)))
        text = f"{text}\n{references}"
    return Paper("0" * 64, "test", text=text, sections=tuple(sections))


def _page(text: str) -> list[RawPage]:
    """A page with a line of title, and the text in one long line and in lines of ten words."""
    words = text.split()
    rows = [["The", "gulls", "of", "the", "pier"], words, *(words[at : at + 10] for at in range(0, len(words), 10))]
    printed = [tuple(RawWord(word, 6.0 * at, 6.0 * at + 5) for at, word in enumerate(row)) for row in rows if row]
    lines = [RawLine(row, (0.0, 12.0 * at, 500.0, 12.0 * at + 10), 10.0) for at, row in enumerate(printed)]
    return [RawPage(1, 600.0, 12.0 * len(lines) + 100, lines)]


def _entries(text: str) -> None:
    for read, start in ((ris_entries, "TY  - JOUR\nTI  - "), (bibtex_entries, "@article{a, title={")):
        with suppress(InputError):
            read(start + text, "list")


def _cited(paper: Paper) -> object:
    marks = citations(paper)
    return [cited_sentence(paper, start, end, marks) for start, end, _ in link_sentences(paper)]


def _prepared(table: SentenceTable) -> object:
    return [table.fixed, table.cues]


def _support(text: str) -> object:
    return find_support(text, PAPER, [Hit(Passage(0, 2000, 1, "methods", PROSE), 1.0)])


def _refused(text: str) -> None:
    with suppress(QuestionsError):
        refuse_unanswerable(text)


def _code(suffix: str) -> Callable[[str], object]:
    """All that reads a file of this name in a repository: the text as one line, and in lines of ten words."""

    def rule(text: str) -> object:
        words = text.split(" ")
        rows = "\n".join(" ".join(words[at : at + 10]) for at in range(0, len(words), 10))
        source = Source(f"a{suffix}", f"{text}\n{rows}")
        names = RepositoryNames(["train.py"])
        readers: dict[str, Callable[[Source], object]] = {
            ".py": python_findings,
            ".R": other_findings,
            ".md": lambda source: readme_findings(source, names),
        }
        readers |= {".sh": lambda source: script_findings(source, names), ".txt": included_findings}
        return readers.get(suffix, config_findings)(source)

    return rule


RULES: dict[str, Callable[[str], object]] = {
    **{f"code {suffix}": _code(suffix) for suffix in (".py", ".R", ".md", ".sh", ".txt", ".yaml", ".json", ".toml")},
    "clean_answer": clean_answer,
    "parse_answer": parse_answer,
    "unsupported_claims": lambda text: unsupported_claims(text, EVIDENCE),
    "unsupported_claims of quotes": lambda text: unsupported_claims(PROSE, [Evidence(text, Match.EXACT)]),
    "locate": lambda text: locate(text, PAPER.text),
    "locate in a paper": lambda text: locate(PROSE.replace("trained", "fitted"), text),
    "locate_quote": lambda text: locate_quote("quote " + text, _paper("paper " + text)),
    "find_support": _support,
    "is_silent": lambda text: is_silent(text, context=[PROSE]),
    "is_silent after a denial": lambda text: is_silent(f"It is not mentioned. {text}", context=[text]),
    "separate_speculation": lambda text: separate_speculation(Answer(f"It is not mentioned {text}")),
    "paper_flags": lambda text: paper_flags(_paper(text)),
    "PatternIndex": lambda text: PatternIndex([text]),
    "facts": lambda text: facts.extract(facts.catalog(), [text]),
    "answers from quotes": lambda text: [is_sentence(text), in_third_person(joined(clauses(tidy(f"We ran it {text}"))))],
    "checklist_spans": lambda text: checklist_spans(_paper(text)),
    "checklist_spans after many answers": lambda text: checklist_spans(_paper(f"[Yes] {text}" * 9)),
    "names of authors": lambda text: [split_names(text), split_names(f"Ada Moss1, {text}"), starts_body(text)],
    "lists of references": _entries,
    "find_dois": lambda text: list(find_dois(text)),
    "is_garbled": is_garbled,
    "sections": lambda text: sections(f"References\n{text}", [(0, 10)]),
    "flow": lambda text: flow(with_ligatures(_page(text))),
    "document_metadata": lambda text: document_metadata(_page(text), {"Author": text, "Title": text, "Subject": text}, text),
    "citations": lambda text: _cited(_paper(text)),
    "citations of references": lambda text: _cited(_paper(f"The set of Marsh (2019) [1] {text}", text)),
    "understand a question": lambda text: [understand(text), understand(f"Which nets, such as {text}")],
    "values of each form": lambda text: [values(text, form) for form in AnswerForm],
    "headings, abbreviations and cues of sentences": lambda text: _prepared(
        SentenceTable([Chunk(0, "other", text)], load_vectors())
    ),
    "cues of a question": cues_asked,
    "refuse_unreadable": _refused,
    "sentences": sentences,
    "words": words,
    "squeeze": squeeze,
    "one_line": one_line,
}


HEAVY = frozenset({"names of authors", "flow", "document_metadata"})
"""Rules that are linear but slow: the fast suite tries them with fewer fragments."""


def too_slow(rule: str, fragments: Iterable[str], *, size: int, cpu_s: int) -> list[str]:
    """The fragments for which four times the input takes much more than four times the processor time, or too much of it."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_measure, args=(RULES[rule], tuple(fragments), size, cpu_s, theirs))
    child.start()
    theirs.close()
    slow: list[str] = []
    current = ""
    try:
        while True:
            current, growth = ours.recv()
            slow += [f"{current[:20]!r} takes {growth:.0f} times as long"] if growth else []
    except EOFError:
        child.join()
    return slow if child.exitcode == 0 else [*slow, f"the fragment after {current[:20]!r} takes more than {cpu_s} s"]


def _measure(rule: Callable[[str], object], fragments: tuple[str, ...], size: int, cpu_s: int, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    for fragment in fragments:
        pipe.send((fragment, _growth(rule, fragment, size)))


def _growth(rule: Callable[[str], object], fragment: str, size: int) -> float:
    """How many times longer four times the input takes; 0 if it is about linear, or too fast to tell."""
    for end in ("\x01!", "\x01?", "\x01."):  # a busy machine disturbs one measurement, not all; some rules have a cache
        short = _seconds(rule, fragment * (size // len(fragment)) + end)
        long = _seconds(rule, fragment * (4 * size // len(fragment)) + end)
        growth = long / max(short, 0.001)
        if long < 0.05 or growth < 9:
            return 0
    return growth


def _seconds(rule: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    rule(text)
    return time.process_time() - start
