"""Questions that methodlens does not ask, with the reason: no question at all, another language, an opinion, several in one."""

import re
import unicodedata

from methodlens.errors import QuestionsError
from methodlens.questions.problems import split_double
from methodlens.text.vectors import load_vectors

_ID = re.compile(r"[A-Za-z]{1,6}[-_.]?\d{1,4}[A-Za-z]?")
_WORD = re.compile(r"[^\W\d_]+")
_OTHER_LANGUAGES = {
    "German": "der die das und ist sind wurde wurden welche welcher welches wie viele nicht ein eine mit für von auf dem wer wo",
    "French": "le les des est sont quelle quels quel quelles combien avec pour dans sur une qui où été ont du et comment",
    "Spanish": "el los las es son qué cuál cuáles cuántos cuántas con para una del por quién dónde fue fueron cómo se y",
    "Italian": "il gli è sono quale quali quanti quante con per una della dei chi dove stato stati nel che come",
    "Portuguese": "os são qual quais quantos quantas com para uma da do dos quem onde foi foram como não",
    "Dutch": "het een zijn welke hoeveel met voor van op wie waar werd werden niet hoe",
}
_ENGLISH = frozenset(
    """the a an of in on at by for from with to and or is are was were do does did how which what who whom whose why where when
    whether been be has have that this there any it its as per each many much not can could will would should""".split()
)
_OPINION = re.compile(
    r"\b(?:do you (?:think|like|believe|agree|find)|in your (?:opinion|view)|your (?:opinion|view)|what do you think"
    r"|should (?:i|we)|would you)\b"
    r"|^(?:is|are|was|were|do|does|did|how)\b[^?]{0,200}\b(?:good|bad|better|interesting|convincing|trustworthy|impressive|worth|"
    r"well[- ](?:written|designed|documented)|beautiful|important|novel)\b",
    re.IGNORECASE,
)
_KNOWN_SHARE = 0.5  # of the words that must be English, or it is gibberish


def refuse_unanswerable(text: str) -> None:
    """Raise QuestionsError for a question that no paper can answer. Noun phrases, as checklists have, are questions."""
    if _ID.fullmatch(text.strip()):
        fix = "ask in your own words, or name an id of the set: `methodlens questions` lists them"
        raise QuestionsError(f"there is no question {text.strip()!r}", fix)
    refuse_unreadable(text)
    if _OPINION.search(text.strip()):
        fix = "ask for what the paper states, for example which measure or value, and judge it yourself"
        raise QuestionsError(f"{text.strip()!r} asks for an opinion, which no sentence of a paper answers", fix)
    parts = split_double(text)
    if len(parts) > 1:
        raise QuestionsError(f"{text.strip()!r} asks {len(parts)} things at once", "ask one by one: " + " / ".join(parts))


def refuse_unreadable(text: str) -> None:
    """Raise QuestionsError for what is not English: no words, another language or script, or letters without sense."""
    words = [word.lower() for word in _WORD.findall(text)]
    shown = repr(text.strip()[:80])
    if not words:
        raise QuestionsError(f"{shown} is not a question", "write what you want to know in words")
    letters = "".join(words)
    if sum("LATIN" in unicodedata.name(letter, "") or "GREEK" in unicodedata.name(letter, "") for letter in letters) * 2 < len(
        letters
    ):
        raise QuestionsError(f"{shown} is not in the Latin alphabet", "ask in English: methodlens reads English questions only")
    english = sum(word in _ENGLISH for word in words)
    for language, common in _OTHER_LANGUAGES.items():
        if sum(word in common.split() for word in words) > max(1, english):
            raise QuestionsError(f"{shown} looks like {language}", "ask in English: methodlens reads English questions only")
    vectors = load_vectors()
    known = sum(word in _ENGLISH or vectors.has_word(word) for word in words)
    if known < _KNOWN_SHARE * len(words):
        raise QuestionsError(f"{shown} is not a question in English", "write what you want to know in English words")
