"""Move speculation out of answers that say the paper does not report something."""

import re

from msgspec.structs import replace

from methodlens.records import Answer
from methodlens.verdicts.answer_sentences import SentenceKind, classify_sentences, is_guess

_BUT = re.compile(r"[,;]?\s{1,50}+(?:but|however|although|though|yet)\b,?\s", re.IGNORECASE)


def separate_speculation(answer: Answer) -> Answer:
    """For answers judged not reported. An answer that is nothing but speculation is left unchanged.

    >>> cut = separate_speculation(Answer("The hardware is not mentioned, but it was probably a GPU."))
    >>> cut.text, cut.speculation
    ('The hardware is not mentioned.', 'it was probably a GPU.')
    """
    kept: list[str] = []
    cut: list[str] = []
    speculating = False
    sentences = classify_sentences(answer.text)
    if not sentences:  # only punctuation
        return answer
    ends = [*(sentence.start for sentence in sentences[1:]), len(answer.text)]
    for sentence, end in zip(sentences, ends, strict=True):
        text = answer.text[sentence.start : end]  # includes short list items and white space up to the next sentence
        # facts after a guess belong to it ("Common ones are: 1. Scaling ...") until a sentence is about the paper again
        continues = speculating and sentence.kind is SentenceKind.FACT and not sentence.about_the_paper
        speculating = sentence.kind is SentenceKind.GUESS or continues
        if speculating:
            cut.append(text)
            continue
        kept_part, cut_part = _split_at_guess(text) if sentence.kind is SentenceKind.DENIAL else (text, "")
        kept.append(kept_part)
        cut += [cut_part] if cut_part else []
    if not kept or not cut:
        return answer
    return replace(answer, text="".join(kept).strip(), speculation="".join(cut).strip())


def _split_at_guess(sentence: str) -> tuple[str, str]:
    """Split a denial from a guess that follows it after "but"."""
    but = _BUT.search(sentence)  # what follows a later "but" also follows the first
    if but and is_guess(sentence[but.end() :]):
        return sentence[: but.start()] + ". ", sentence[but.end() :]
    return sentence, ""
