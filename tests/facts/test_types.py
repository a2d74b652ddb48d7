"""What a fact type promises: its place in a question does not matter, and other packages can add one."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.facts import catalog, deciding_type, extract, find, types_of
from methodlens.ledger.keys import question_digest
from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.embedded.weights import question_fingerprint
from methodlens.records import Hit, Line, Page, Paper, Passage, Question, SectionKind, Word

QUESTIONS = [question for question in load("dl-methods").questions if len(question.facts) > 1]
SENTENCES = (
    "We trained the newt net on two NVIDIA V100 GPUs with 64 GB RAM; training took 12 hours.",
    "Our code is at https://github.com/lab/newts and our data are at https://zenodo.org/record/1.",
    "We split the images into 80% for training and 20% for testing, 4,000 images for training, in five-fold cross-validation.",
    "We used Adam with a learning rate of 0.001, a batch size of 32, a cross-entropy loss and 100 epochs.",
    "The random seed was set to 42 and training was repeated five times.",
    "The newts were labelled by experts with bounding boxes in LabelImg.",
)


def _answer(question: Question) -> object:
    text = "\n".join(SENTENCES)
    line = Line(0, len(text), 1, 0, 9, (Word(0, len(text), 0, 9),))
    paper = Paper("", "test", text=text, pages=(Page(1, 600, 800),), lines=(line,))
    passage = Passage(0, len(text), 1, SectionKind.METHODS, text)
    return EmbeddedReader().read(question, paper, [Hit(passage, 1.0)])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_the_order_of_facts_in_a_question_changes_nothing(question: Question) -> None:
    chance = random.Random(7)
    for _ in range(3):
        shuffled = replace(question, facts=tuple(chance.sample(question.facts, len(question.facts))))
        assert _answer(shuffled) == _answer(question)
        assert list(find(types_of(shuffled), SENTENCES).values) == list(find(types_of(question), SENTENCES).values)
        assert question_digest(shuffled) == question_digest(question)
        assert question_fingerprint(shuffled) == question_fingerprint(question)


def test_shipped_facts_are_listed_in_the_order_of_the_export() -> None:
    for question in QUESTIONS:
        assert tuple(each.key for each in types_of(question)) == question.facts


def test_the_fact_that_a_question_names_decides_and_else_the_one_with_the_highest_priority() -> None:
    both = Question("Q1", "Where is the code?", facts=("code_hosts", "code_urls"))
    assert deciding_type(both) is catalog()["code_urls"]
    named = replace(both, decided_by="code_hosts")
    assert deciding_type(named) is catalog()["code_hosts"]
    assert question_digest(named) != question_digest(both)


def test_the_digest_of_a_shipped_question_is_that_of_earlier_versions() -> None:
    """Or every cell of every ledger would be asked again. Questions with facts change when a fact type is revised."""
    digests = {question.id: question_digest(question)[:12] for question in load("dl-methods").questions}
    assert digests["CQ1"] == "8f6de1dbadc2"
    assert digests["CQ16"] == "697f1c2b181f"


def test_a_fact_of_a_plugin_that_is_not_installed_is_left_out() -> None:
    assert [each.key for each in types_of(Question("Q1", "?", facts=("reef_depth_m", "epochs")))] == ["epochs"]


def test_every_type_has_a_label_and_a_key_that_a_question_set_can_name() -> None:
    for key, fact_type in catalog().items():
        assert key == fact_type.key
        assert key.isidentifier()
        assert fact_type.label


def test_types_that_are_merged_from_nothing_are_left_out_or_empty() -> None:
    assert {key: value for key, value in extract(catalog(), []).items() if value} == {}


PLUGIN = """
import re
from methodlens.facts import FactType, from_each_quote, one_or_list

DEPTH = FactType(
    key="reef_depth_m",
    label="depth",
    unit="m",
    extract=from_each_quote(lambda quote: [float(match[1]) for match in re.finditer(r"(\\d+) m deep", quote)]),
    merge=one_or_list,
    phrase=("the depth is {} m", "the depths are {} m"),
    revision=2,
)
"""
REEFS = '[[question]]\nid = "R1"\ntext = "How deep is the reef?"\nfacts = ["reef_depth_m"]\n'
SCRIPT = """
from methodlens.facts import catalog, find, types_of, versioned_keys
from methodlens.questions import available, load
question = load("reefs").questions[0]
findings = find(types_of(question), ["The reef is 12 m deep."])
print(findings.values, catalog()["reef_depth_m"].clause(findings), versioned_keys(question), available()[-1].name)
"""


def _installed(folder: Path, plugin: str) -> subprocess.CompletedProcess[str]:
    """A package that is found by its entry points, as one that pip installed."""
    (folder / "reefs.py").write_text(plugin + f"\nQUESTIONS = {str(folder / 'reefs.toml')!r}\n")
    (folder / "reefs.toml").write_text(REEFS)
    about = folder / "reefs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: reefs\nVersion: 1.0\n")
    groups = "[methodlens.fact_types]\ndepth = reefs:DEPTH\n\n[methodlens.question_sets]\nreefs = reefs:QUESTIONS\n"
    (about / "entry_points.txt").write_text(groups)
    code = f"import sys; sys.path.insert(0, {str(folder)!r})\n{SCRIPT}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_package_can_add_a_fact_type_and_a_question_set(tmp_path: Path) -> None:
    done = _installed(tmp_path, PLUGIN)
    expected = "{'reef_depth_m': 12.0} the depth is 12.0 m ['reef_depth_m@2'] reefs\n"
    assert (done.stdout, done.stderr) == (expected, "")


@pytest.mark.parametrize(
    ("plugin", "problem"),
    [("DEPTH = 12", "is not a FactType"), (PLUGIN.replace("reef_depth_m", "epochs"), "defines the fact 'epochs' again")],
)
def test_a_plugin_that_is_not_a_fact_type_or_redefines_a_key_is_refused(tmp_path: Path, plugin: str, problem: str) -> None:
    assert problem in _installed(tmp_path, plugin).stderr
