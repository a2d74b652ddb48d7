import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.embedded.candidates import candidate_sentences
from methodlens.readers.embedded.probability import HAS_LINK
from methodlens.readers.embedded.reader import SURELY_NOT
from methodlens.readers.embedded.weights import NOTHING_LEARNED, load_learned
from methodlens.readers.general.reading import NOT_REPORTED, SURE, UNSUPPORTED
from methodlens.readers.grounding import unsupported_claims
from methodlens.records import Answer, Hit, Line, Match, Page, Paper, Passage, Question, Section, SectionKind, Word
from methodlens.text import words
from methodlens.verdicts.judge import MAX_P_NOT_REPORTED, MIN_P_REPORTED

HARDWARE = Question(
    id="CQ20",
    text="Which hardware resources are used for training the deep learning model (e.g., GPUs, TPUs)?",
    title="Training hardware",
    query="trained on GPU NVIDIA workstation RAM CPU training took hours",
    signs=("gpu*", "cpu*", "nvidia", "titan*", "rtx*", "v100*", "virtual machine", "azure", "amd", "gb ram"),
    facts=("hardware", "training_time_h", "ram_gb"),
)
READER = EmbeddedReader()


def _read(*passages: str, question: Question = HARDWARE, section: str = SectionKind.METHODS) -> Answer:
    text = "\n".join(passages)
    middle = len(text) // 2
    lines = (
        Line(0, middle, 4, 0, 10, (Word(0, middle, 0, 500),)),
        Line(middle, len(text), 5, 0, 10, (Word(0, len(text) - middle, 0, 500),)),
    )
    paper = Paper("", "test", text=text, pages=(Page(4, 600, 800), Page(5, 600, 800)), lines=lines)
    hits, start = [], 0
    for passage in passages:
        hits.append(Hit(Passage(start, start + len(passage), 4, section, passage), 1.0))
        start += len(passage) + 1
    answer = READER.read(question, paper, hits)
    for evidence in answer.evidence:
        assert evidence.match is Match.EXACT
        assert paper.text[evidence.start : evidence.end] == evidence.quote
    return answer


def _p(answer: Answer) -> float:
    assert answer.p_reported is not None
    return answer.p_reported


def test_named_gpus_are_reported_with_their_count_and_page() -> None:
    answer = _read("The newt detector was trained on a workstation with NVIDIA Titan RTX GPU * 2. It hears newts.")
    assert _p(answer) >= MIN_P_REPORTED
    assert answer.facts["hardware"] == [{"name": "NVIDIA TITAN RTX", "kind": "GPU", "count": 2, "memory_gb": None}]
    assert answer.text == "Training used 2 NVIDIA Titan RTX GPUs."
    assert [evidence.places[0].page for evidence in answer.evidence] == [4]


def test_hardware_of_cited_work_is_not_reported() -> None:
    answer = _read(
        "Okafor et al. (2019) trained their newt detector on eight V100 GPUs. Deep networks are commonly run on NVIDIA GPUs.",
        "Future work could be extended to GPU clusters. We kept the recordings of 40 ponds.",
    )
    assert _p(answer) <= MAX_P_NOT_REPORTED
    assert answer.evidence == ()
    assert answer.facts == {}
    assert answer.text == "The paper does not report the training hardware; the closest passages are on page 4."


def test_a_rented_cpu_is_named_and_no_gpu_is_claimed() -> None:
    answer = _read(
        "Such nets are usually trained on GPUs. However, we trained ours on CPUs on purpose.",
        "It ran in a virtual machine, a “D4asV4” on Microsoft Azure with 32GB RAM and a 2.5 GHz AMD EPYC 7543.",
        "Tuning also requires GPU hardware, which might be out of reach.",
    )
    assert _p(answer) >= MIN_P_REPORTED
    kinds = {device["name"]: device["kind"] for device in answer.facts["hardware"]}
    assert kinds == {"Azure D4as v4": "cloud", "AMD EPYC 7543": "CPU"}
    assert answer.facts["ram_gb"] == 32
    assert "GPU" not in answer.text


def test_the_hardware_of_the_deployed_model_is_not_training_hardware() -> None:
    answer = _read(
        "All nets were trained on a server with four NVIDIA V100 GPUs. Each training run took 6.5 hours.",
        "The finished net runs on Jetson Nano devices at three ponds, and as a web service on Azure.",
    )
    assert [device["name"] for device in answer.facts["hardware"]] == ["NVIDIA V100"]
    assert answer.facts["training_time_h"] == 6.5
    only_in_use = _read("The finished net classifies a call in 2 seconds on a smartphone with an NVIDIA chip and one CPU.")
    assert _p(only_in_use) <= MAX_P_NOT_REPORTED


def test_a_sentence_about_own_work_may_contain_a_citation() -> None:
    answer = _read("The model was trained with a public toolkit (Okafor et al. 2019) on four NVIDIA V100 GPUs.")
    assert _p(answer) >= MIN_P_REPORTED
    assert answer.facts["hardware"][0]["count"] == 4


def test_nothing_outside_the_context_is_read() -> None:
    paper = Paper("", "test", text="The newt detector was trained on two NVIDIA V100 GPUs.")
    answer = READER.read(HARDWARE, paper, [])
    assert _p(answer) <= MAX_P_NOT_REPORTED
    assert answer.text == "The paper does not report the training hardware; no passage comes near it."


@pytest.mark.parametrize(
    "passage",
    [
        "The newt detector was trained for 96 h on a cluster equipped with 4 RTX8000 and 64 GB RAM.",
        "Training took three days on two NVIDIA V100 GPUs and an AMD EPYC™ 7543 CPU with 16GB RAM * 8.",
        "We trained on one GPU (TITAN Xp) first. We then trained again on three GPUs for 500 iterations.",
    ],
)
def test_an_answer_contains_only_claims_of_its_quotes(passage: str) -> None:
    answer = _read(passage)
    assert _p(answer) >= MIN_P_REPORTED
    claims = re.sub(r" \(pp?\. [\d, and]+\)", "", answer.text)
    assert unsupported_claims(claims, answer.evidence, question=HARDWARE.text) == ()


def test_quotes_and_answers_stay_short() -> None:
    passages = [
        f"In run {n} we trained the newt net on {n} NVIDIA V100 GPUs " + "and let it rest " * 20 + "." for n in range(2, 12)
    ]
    answer = _read(*passages)
    assert 1 <= len(answer.evidence) <= 5
    assert sum(len(evidence.quote) for evidence in answer.evidence) <= 1500
    assert len(answer.text.split()) < 400


def test_without_facts_the_answer_is_the_main_clause_of_the_quote() -> None:
    question = Question(
        "CQ15", "Which optimiser?", title="Optimiser", query="optimizer Adam SGD", signs=("adam", "sgd", "optimi*")
    )
    answer = _read("We trained the newt net with the Adam optimizer.", question=question)
    assert answer.text == "The authors trained the newt net with the Adam optimizer (p. 4)."


def test_a_negated_sign_is_not_evidence() -> None:
    question = Question("CQ4", "Which augmentation?", title="Data augmentation", query="data augmentation", signs=("augment*",))
    assert _p(_read("We used no data augmentation for the newt calls.", question=question)) <= MAX_P_NOT_REPORTED


def test_a_link_question_needs_a_sentence_with_a_link() -> None:
    question = Question("L", "Where?", title="Code link", query="code GitHub", signs=("code", "github*"), facts=("code_urls",))
    assert _p(_read("Our code is on GitHub. The code is open, and the code is good.", question=question)) <= MAX_P_NOT_REPORTED
    answer = _read("Our code is on GitHub at https://github.com/lab/newts.", question=question)
    assert answer.facts == {"code_urls": ["https://github.com/lab/newts"]}
    assert answer.text == "The code is at https://github.com/lab/newts."


def test_the_abstract_is_read_for_the_task_even_if_it_was_not_retrieved() -> None:
    question = next(question for question in load("dl-methods").questions if question.id == "CQ25")
    abstract, body = "We propose a network for newt detection in ponds.", "The newt images were taken at night by a camera."
    text = f"{abstract}\n{body}"
    sections = (Section(SectionKind.ABSTRACT, "Abstract", 0, len(abstract)),)
    paper = Paper("", "test", text=text, pages=(Page(1, 600, 800),), sections=sections)
    context = [Hit(Passage(len(abstract) + 1, len(text), 1, SectionKind.METHODS, body), 1.0)]
    assert abstract in [candidate.text for candidate in candidate_sentences(question, paper, context)]


def test_a_users_question_is_answered_with_the_sentence_that_answers_it() -> None:
    question = Question("Q1", "Which ponds were visited at night?")
    answer = _read("We visited seven ponds at night. The nets were small.", question=question)
    assert _p(answer) >= 0.6
    assert answer.text == "The authors visited seven ponds at night (p. 4)."
    assert [evidence.quote for evidence in answer.evidence] == ["We visited seven ponds at night."]


def test_a_question_like_a_shipped_one_is_answered_like_it_with_less_confidence() -> None:
    ours = next(question for question in load("dl-methods").questions if question.id == "CQ15")
    said = "We trained the newt net with the Adam optimizer."
    like = replace(ours, id="mine", text="Which optimizer did they use?", like=ours.id)
    assert 0.6 <= _p(_read(said, question=like)) <= 0.9
    elsewhere = replace(like, text="Which optimizer did the quantum annealer use?")
    assert _p(_read(said, question=elsewhere)) < _p(_read(said, question=like))


def test_a_users_question_on_something_else_is_not_reported() -> None:
    answer = _read("We trained the newt net with care.", question=Question("Q1", "Which volcano erupted near Naples?"))
    assert _p(answer) <= MAX_P_NOT_REPORTED
    assert answer.text.startswith("The paper does not report an answer to this question")


def test_the_fingerprint_names_the_revision_and_the_data() -> None:
    assert re.fullmatch(r"embedded-r\d+(?:-[0-9a-f]{64}){4}", READER.info.fingerprint)
    assert READER.info.model == "embedded-" + READER.info.fingerprint.split("-")[1][1:]


def test_a_changed_question_with_a_known_id_gets_no_learned_weights() -> None:
    ours = next(question for question in load("dl-methods").questions if question.id == "CQ20")
    assert load_learned().of(ours).words
    assert load_learned().of(HARDWARE) == NOTHING_LEARNED


def test_every_shipped_question_has_words_learned_for_its_current_form() -> None:
    stale = [question.id for question in load("dl-methods").questions if not load_learned().of(question).words]
    assert not stale, "learn again: make verdicts GOLD=... STUDY=..."


def test_learned_words_score_an_answer_above_another_sentence() -> None:
    ours = next(question for question in load("dl-methods").questions if question.id == "CQ19")
    learned = load_learned().of(ours)
    assert learned.score(words("It was implemented with the Keras and TensorFlow libraries.")) > learned.score(
        words("The newts sleep under wet stones.")
    )


def test_what_is_surely_not_reported_for_the_reader_is_so_for_the_verdict() -> None:
    assert SURELY_NOT == NOT_REPORTED == MAX_P_NOT_REPORTED < UNSUPPORTED < MIN_P_REPORTED
    assert HAS_LINK >= MIN_P_REPORTED == SURE


def test_the_same_passages_give_the_same_answer() -> None:
    passage = "We trained on two NVIDIA V100 GPUs. The GPU was fast. An AMD CPU fed the GPU."
    assert _read(passage) == _read(passage)


@given(st.text(min_size=1, max_size=300), st.sampled_from(list(SectionKind)))
def test_any_text_gives_an_answer(text: str, section: SectionKind) -> None:
    answer = _read(text, "We trained on GPUs. " + text, section=section)
    assert answer.text
    assert 0 < _p(answer) < 1


def test_a_toolkit_that_no_list_has_counts_for_the_verdict_without_a_sign_of_the_question() -> None:
    asked = next(question for question in load("dl-methods").questions if question.id == "CQ19")
    toolkit = "We train the newt models from scratch using the NewtTorch toolkit on ten ponds."
    assert _p(_read(toolkit, question=asked)) > _p(_read("We train the newt models from scratch on ten ponds.", question=asked))
