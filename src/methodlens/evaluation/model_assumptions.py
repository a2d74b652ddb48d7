"""What a language model would take per call, before it was ever asked: from its settings, its prompt and typical lengths."""

from methodlens.errors import ReaderError
from methodlens.evaluation.forecast import Model
from methodlens.evaluation.reader_statistics import ReaderFigures
from methodlens.readers.presets import resolve
from methodlens.readers.prompting import ADJUDICATE, CHARS_PER_TOKEN, load
from methodlens.settings import ChatServer, Settings

RIGHT = 0.85
"""Share of a model's answers that are right, where nothing was measured."""
IN_DOUBT = 0.15
"""Share of a model's answers that are withheld, failed or contradicted, where nothing was measured."""
EMBEDDED_SECONDS = 0.04
"""Of the embedded reader per cell, parsing included."""
_QUESTION_CHARS = 100
_TOKENS_OUT = 90
_SECONDS, _LOCAL_SECONDS = 3.0, 30.0
_ANSWERS_CHARS = 1200  # of the earlier answers that a judge sees
_PAPER_CHARS = 60_000
_PICTURE_TOKENS = 1000  # of a table or figure; a whole page has three times as many
_JUDGE, _LLAMA, _CHAT = "judge:", "llama:", "chat:"


def assumed_model(name: str, settings: Settings, *, right: float = RIGHT, paper_chars: int = _PAPER_CHARS) -> Model:
    """Contacts no server and needs no key. Raises ReaderError for a reader that is not a language model, or unknown."""
    model = name.removeprefix(_JUDGE)
    local = model.startswith(_LLAMA)
    if not local and not model.startswith(_CHAT):
        raise ReaderError(f"no plan can be made for {name}", "name embedded, chat:..., llama:... or a cascade of them")
    server = _server(model, settings)
    prompt = load(ADJUDICATE if name.startswith(_JUDGE) else server.prompt)
    written = sum(len(message["content"]) for message in prompt.messages("", [""])) + _QUESTION_CHARS
    written += _ANSWERS_CHARS if name.startswith(_JUDGE) else 0
    context = settings.retrieval.shown_chars
    if server.context == "paper":
        context = min(paper_chars, server.context_tokens * CHARS_PER_TOKEN or paper_chars)
    elif server.context_tokens:
        context = server.context_tokens * CHARS_PER_TOKEN
    pictures = server.vision_pictures * _PICTURE_TOKENS if server.vision else 0
    figures = ReaderFigures(
        tokens_in=(written + context) / CHARS_PER_TOKEN + pictures,
        tokens_out=min(_TOKENS_OUT, server.max_tokens),
        seconds=_LOCAL_SECONDS if local else _SECONDS,
        right=right,
        in_doubt=IN_DOUBT,
        assumed=("tokens", "seconds", "right", "in_doubt"),
    )
    free = 0.0 if local else None
    price_in, price_out = (free if price is None else price for price in (server.price_in, server.price_out))
    return Model(figures, price_in, price_out, max(1, server.concurrency))


def _server(model: str, settings: Settings) -> ChatServer:
    kind, _, name = model.partition(":")
    if kind + ":" == _CHAT:
        return resolve(name, settings)
    table = settings.readers.get(name)
    return table if table and table.gguf else ChatServer(gguf=name)
