"""The settings and their defaults. `settings_sources` reads them from files, the environment and flags.

Keys and passwords are not settings: `key_variable` names the environment variable that holds the key.
"""

import os
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

_PositiveFloat = Annotated[float, Meta(gt=0)]
_PositiveInt = Annotated[int, Meta(gt=0)]
_Count = Annotated[int, Meta(ge=0)]


class PaperLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits per paper. A paper beyond them gets the status `timeout`, `crashed` or `too_big`."""

    timeout_s: _PositiveFloat = 30.0
    memory_mb: _PositiveInt = 2048
    max_pages: _PositiveInt = 2000
    max_file_mb: int = 300
    ocr_timeout_s: float = 900.0
    """OCR takes seconds per page and has separate limits."""
    ocr_memory_mb: int = 4096


class CodeLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits per repository. Files beyond them are skipped and named; a repository beyond them is `too_big` or `timeout`."""

    timeout_s: _PositiveFloat = 60.0
    memory_mb: _PositiveInt = 300
    max_files: _PositiveInt = 20_000
    """Text files that are read."""
    max_entries: _PositiveInt = 200_000
    """Files and folders of any kind."""
    max_file_kb: _PositiveInt = 1024
    max_total_mb: _PositiveInt = 200
    """Of text that is read, and of archives before and after decompression ten times as much."""
    max_depth: _PositiveInt = 24


class ReadingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How papers are parsed. Part of the parser's fingerprint, because it changes the text."""

    hidden_text: Literal["leave_out", "keep"] = "leave_out"
    """Invisible text is always flagged; readers get it only with `keep`."""
    ocr: Literal["auto", "off"] = "auto"
    """`auto`: use OCR for pages without legible text if the extra `ocr` is installed."""
    verify: Literal["ink", "ocr"] = "ink"
    """Text that differs from what is drawn is found by its ink; with `ocr`, also by OCR of a sample of lines (extra `ocr`)."""
    pairs: Literal["auto", "off"] = "auto"
    """`auto`: the text of a PDF is that of the JATS or HTML file of the same name beside it."""


class EmbeddingServer(Struct, frozen=True, forbid_unknown_fields=True):
    """[retrieval.embeddings]: an OpenAI-compatible embeddings server."""

    base_url: str
    model: str
    key_variable: str = ""
    timeout_s: float = 60.0


class RetrievalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    passage_chars: _PositiveInt = 400
    shown_chars: _PositiveInt = 4000
    """How much of the ranking a reader is given."""
    kept_chars: int = 8000
    """How much of the ranking is stored with a cell, so that reviewers see what the reader was not given."""
    ranking: str = "learned"
    """`learned`, `plain` (all signals, hand-set weights), `lexical` (BM25), `prompt` (the published study's), or a plugin."""
    vectors: str = ""
    """A model2vec folder to use instead of the built-in vectors."""
    passages: Literal["sentences", "chunks"] = "sentences"
    """`chunks`: cut the whole text at `passage_chars` characters, as the published study did, instead of at sentences."""
    overlap_chars: _Count = 0
    """How much of a chunk the next one may repeat."""
    shown_passages: _Count = 0
    """How many passages a reader is given; 0 means as many as `shown_chars` allows."""
    expand: bool = True
    """Give your own questions the query and fact types of a shipped question that asks the same."""
    embeddings: EmbeddingServer | None = None


class EvaluationSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The words that annotators use as labels (case and surrounding spaces are ignored), and the bootstrap."""

    yes: tuple[str, ...] = ("yes", "y", "1", "true", "reported", "x")
    no: tuple[str, ...] = ("no", "n", "0", "false", "not reported", "not_reported")
    unsure: tuple[str, ...] = ("unsure", "unclear", "?", "withheld", "maybe")
    blank: tuple[str, ...] = ("", "-", "na", "n/a", "nan", "none", "null")
    """Words that mean "no label"."""
    resamples: int = 1000
    """Bootstrap resamples of papers for confidence intervals; 0 for none."""
    seed: int = 7


class VoteSettings(Struct, frozen=True, forbid_unknown_fields=True):
    rule: str = "majority"
    """`majority`, `unanimous`, `2-of-3`, `weighted:READER=2`, or a plugin's rule. See docs/how-to/votes-and-repeats.md."""


class CascadeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When a reader of a cascade is in doubt, so that the next one is asked. See docs/how-to/cascades.md."""

    low: Annotated[float, Meta(ge=0, le=1)] = 0.2
    high: Annotated[float, Meta(ge=0, le=1)] = 0.65
    """Between the two a probability is in doubt. By default these are the limits of a withheld verdict."""
    fact_confidence: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """A value below this confidence is in doubt; 0 accepts every value."""


class ReportSettings(Struct, frozen=True, forbid_unknown_fields=True):
    papers_per_file: _PositiveInt = 500
    """Reports of more papers are split into several files, which browsers can open."""


class StudySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How `methodlens study run` repeats the published study."""

    slots: tuple[str, ...] = ()
    """Names of [readers.NAME] tables, one per model of the study."""
    prompt: str = "seeds"
    """The prompt of slots that do not set their own."""


class EnergySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """From the power of the readers (`watts`) to emissions."""

    grid_g_per_kwh: Annotated[float, Meta(ge=0)] | None = None
    """Grams of CO2 equivalent per kWh; without it, no emissions are stated."""
    country: str = ""
    """ISO code of the country whose grid it is, for the log."""


class ChatServer(Struct, frozen=True, forbid_unknown_fields=True):
    """[readers.NAME]: a language model, used with --reader chat:NAME, or llama:NAME if it has `gguf`."""

    model: str = ""
    preset: str = ""
    """A server in readers/presets.toml, which sets base_url, form, key_variable, schema and concurrency."""
    base_url: str = ""
    form: Literal["openai", "anthropic", "gemini", "azure"] = "openai"
    """The form of its messages; `openai` is chat completions, which most servers understand."""
    api_version: str = "2024-10-21"
    """Of Azure OpenAI; not used with a base_url that ends in /openai/v1."""
    gguf: str = ""
    """A model file to run in this process; needs the extra `local`."""
    key_variable: str = ""
    """The environment variable that holds the API key."""
    prompt: str = "strict"
    """`strict`, `seeds`, or the path of a prompt file."""
    schema: Literal["auto", "json_schema", "json_object", "tool", "none"] = "auto"
    """How JSON is requested. `auto`: the preset's way, or json_schema. A weaker way is used once the server refuses it."""
    context: Literal["passages", "paper"] = "passages"
    context_tokens: _Count = 0
    """Approximate context size; 0 means retrieval.shown_chars, or 100,000 tokens with context = "paper"."""
    vision: bool = False
    """The model sees: pictures of the tables and figures that the passages contain or mention are sent to it."""
    vision_pictures: _PositiveInt = 2
    """At most so many in one call."""
    max_tokens: _PositiveInt = 800
    tokens_field: str = "max_tokens"
    """The server's name for max_tokens."""
    group: Literal["single", "passages", "paper"] = "single"
    """Which questions about a paper share a call: none, those that share passages, or all with the whole paper."""
    group_tokens: _Count = 0
    """Approximate size of the passages in one call with group = "passages"; 0 means 16,000."""
    batch: bool = False
    """Hand the calls of a run in as batches, which are answered within a day at a lower price."""
    batch_api: Literal["auto", "openai", "anthropic", "mistral"] = "auto"
    """The form of the server's batch API. `auto`: by its address; Groq has OpenAI's."""
    batch_discount: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """What a batch costs compared with single calls."""
    batch_poll_s: _PositiveFloat = 30.0
    """Pause between two looks at a batch."""
    temperature: float | None = 0.0
    """None leaves it out, for models that allow only their default."""
    effort: Literal["", "none", "minimal", "low", "medium", "high", "xhigh", "max"] = ""
    """How much a reasoning model thinks; empty leaves it to the server."""
    effort_field: str = "reasoning_effort"
    """The server's name for it, with dots for fields of objects."""
    stream: bool = False
    timeout_s: _PositiveFloat = 120.0
    """For a whole request."""
    attempts: _PositiveInt = 4
    longest_wait_s: float = 60.0
    """Maximum pause between attempts, whatever Retry-After says."""
    concurrency: _Count = 0
    """Concurrent calls; 0 means the preset's number, or 1."""
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    price_in: float | None = None
    """Per million tokens, in the currency of your choice."""
    price_out: float | None = None
    price_cached: float | None = None
    """Of input tokens that the server had in its prompt cache; by default price_in."""
    watts: float | None = None
    """Power drawn while answering, for an energy estimate."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    out: str = "methodlens-out"
    ledger: str = ""
    """URL of a PostgreSQL database for the ledger; empty means a SQLite file in `out`."""
    ledger_password_variable: str = ""
    """The environment variable that holds the database password; by default PGPASSWORD or ~/.pgpass is used."""
    ledger_lease_s: _PositiveFloat = 30.0
    """On a shared ledger, seconds after which the papers of a silent process are given to others."""
    workers: int = 0
    """Papers processed in parallel; 0 means one per core."""
    judge: Literal["rules", "model"] = "rules"
    """`model`: a second call decides whether a language model's answer gives what was asked, as in the published study."""
    batch: bool = False
    """Use the batch APIs of all language models."""
    papers: PaperLimits = field(default_factory=PaperLimits)
    code: CodeLimits = field(default_factory=CodeLimits)
    reading: ReadingSettings = field(default_factory=ReadingSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    vote: VoteSettings = field(default_factory=VoteSettings)
    cascade: CascadeSettings = field(default_factory=CascadeSettings)
    report: ReportSettings = field(default_factory=ReportSettings)
    study: StudySettings = field(default_factory=StudySettings)
    energy: EnergySettings = field(default_factory=EnergySettings)
    readers: Mapping[str, ChatServer] = field(default_factory=dict)

    @property
    def worker_count(self) -> int:
        return self.workers if self.workers > 0 else os.cpu_count() or 1
