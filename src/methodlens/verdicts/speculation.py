"""What a reader supposes where the paper is silent is no answer: it is cut from the text, and kept aside."""

import re

from msgspec.structs import replace

from methodlens.records import Answer
from methodlens.verdicts.sayings import Kind, guesses, sayings

_BUT = re.compile(r"[,;]?\s+(?:but|however|although|though|yet)\b,?\s", re.IGNORECASE)


def set_aside(answer: Answer) -> Answer:
    """For an answer that was judged not reported. Where nothing else is left, the text stays as it is.

    >>> cut = set_aside(Answer("The hardware is not mentioned, but it was probably a GPU."))
    >>> cut.text, cut.speculation
    ('The hardware is not mentioned.', 'it was probably a GPU.')
    """
    kept: list[str] = []
    cut: list[str] = []
    supposing = False
    said = sayings(answer.text)
    for saying, after in zip(said, [*(each.start for each in said[1:]), len(answer.text)], strict=True):
        sentence = answer.text[saying.start : after]  # with the short items and the blanks that follow it
        # what follows a guess goes on with it ("Common ones are: 1. Scaling ...") until the paper itself is spoken of again
        supposing = saying.kind is Kind.GUESS or (supposing and saying.kind is Kind.FACT and not saying.of_the_paper)
        if supposing:
            cut.append(sentence)
            continue
        kept_part, cut_part = _parted(sentence) if saying.kind is Kind.NOTHING else (sentence, "")
        kept.append(kept_part)
        cut += [cut_part] if cut_part else []
    if not kept or not cut:
        return answer
    return replace(answer, text="".join(kept).strip(), speculation="".join(cut).strip())


def _parted(sentence: str) -> tuple[str, str]:
    """A denial, and what it goes on to suppose after "but"."""
    for but in _BUT.finditer(sentence):
        if guesses(sentence[but.end() :]):
            return sentence[: but.start()] + ". ", sentence[but.end() :]
    return sentence, ""
