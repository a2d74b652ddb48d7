"""ro-crate-metadata.json: what a crate holds, who made it and how."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from methodlens._version import __version__
from methodlens.ledger.store import Run

METADATA = "ro-crate-metadata.json"
_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_CONFORMS_TO = "https://w3id.org/ro/crate/1.1"
_MEDIA_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "rq": "application/sparql-query",
    "ttl": "text/turtle",
}
_LICENCE = {
    "@id": "#licence",
    "@type": "CreativeWork",
    "name": "No licence chosen yet",
    "description": "Whoever publishes this review chooses its licence. The quotes are from the papers and remain their authors'.",
}


class CrateFile(NamedTuple):
    """A file of the crate by its path in it, such as "queries/hardware.rq"."""

    path: str
    description: str
    size: int


class ReviewInfo(NamedTuple):
    """What the crate says about the review: how many papers, the people who decided cells, and the run if it is known."""

    papers: int
    people: Sequence[str] = ()
    run: Run | None = None
    started_at: str = ""
    ended_at: str = ""


def crate_metadata(review: ReviewInfo, files: Iterable[CrateFile]) -> dict[str, Any]:
    """The document in the flat form that RO-Crate 1.1 requires: every entity by itself, referring to others by their ids."""
    parts = [_file(file) for file in files]
    people = [{"@id": f"#person-{number}", "@type": "Person", "name": name} for number, name in enumerate(review.people, 1)]
    software = [_software(review), *_readers(review.run)]
    action = _action(review, software, people)
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": _name(review),
        "description": _description(review),
        "datePublished": (review.ended_at or datetime.now(UTC).isoformat())[:10],
        "license": _reference(_LICENCE),
        "hasPart": [_reference(part) for part in parts],
        "mentions": _reference(action),
    }
    if people:
        root["contributor"] = _references(people)
    if review.run:
        root["identifier"] = review.run.id
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _CONFORMS_TO},
        "about": {"@id": "./"},
    }
    return {"@context": _CONTEXT, "@graph": [descriptor, root, _LICENCE, *software, *people, action, *parts]}


def _reference(entity: Mapping[str, Any]) -> dict[str, str]:
    return {"@id": entity["@id"]}


def _references(entities: Sequence[Mapping[str, Any]]) -> Any:
    """RO-Crate recommends no list around a single value."""
    found = [_reference(entity) for entity in entities]
    return found[0] if len(found) == 1 else found


def _file(file: CrateFile) -> dict[str, Any]:
    media_type = _MEDIA_TYPES.get(file.path.rpartition(".")[2], "application/octet-stream")
    return {
        "@id": file.path,
        "@type": "File",
        "name": file.path,
        "description": file.description,
        "encodingFormat": media_type,
        "contentSize": str(file.size),
    }


def _name(review: ReviewInfo) -> str:
    return f"What {review.papers:,} paper{'s report' if review.papers != 1 else ' reports'} about their method"


def _description(review: ReviewInfo) -> str:
    asked = f" {len(review.run.questions)} questions ({review.run.question_set})," if review.run else ""
    return (
        f"A review of {review.papers:,} papers made with methodlens:{asked} the answers with their quotes, pages and certainty,"
        " and what the papers leave out. The papers themselves are not included."
    )


def _software(review: ReviewInfo) -> dict[str, Any]:
    version = review.run.version if review.run and review.run.version else __version__
    return {"@id": "#methodlens", "@type": "SoftwareApplication", "name": "methodlens", "softwareVersion": version}


def _readers(run: Run | None) -> list[dict[str, Any]]:
    names = run.readers if run else ()
    return [
        {
            "@id": f"#reader-{number}",
            "@type": "SoftwareApplication",
            "name": name,
            "description": "A reader that answered questions.",
        }
        for number, name in enumerate(names, 1)
    ]


def _action(review: ReviewInfo, software: Sequence[Mapping[str, Any]], people: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    action: dict[str, Any] = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "Asking the papers",
        "instrument": _references(software),
        "result": {"@id": "./"},
    }
    times = {"startTime": review.started_at, "endTime": review.ended_at}
    return action | ({"agent": _references(people)} if people else {}) | {name: time for name, time in times.items() if time}
