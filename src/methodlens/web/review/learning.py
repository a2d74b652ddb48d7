"""Learning from decisions: what refitting the probabilities of a question would change, and doing it when confirmed."""

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec import Struct

from methodlens.errors import InputError
from methodlens.evaluation import recalibration
from methodlens.evaluation.recalibration import Agreement, Proposal
from methodlens.ledger import recalibrations
from methodlens.ledger.store import Ledger, Run
from methodlens.records import ContentRef
from methodlens.verdicts.recalibration import LEAST_DECISIONS


class LearningOffer(Struct, frozen=True):
    """A question whose probabilities can be refitted. `changes` counts cells by "withheld to reported"."""

    question: str
    title: str
    reader: str
    decisions: int
    before: Agreement
    after: Agreement
    cells: int
    changes: Mapping[str, int]


class LearningView(Struct, frozen=True):
    """`needed` decisions make an offer; `decided` has the most that a question without an offer has. `applied` are the ids of
    the questions whose refitted probabilities count now."""

    needed: int
    decided: int
    offers: tuple[LearningOffer, ...]
    applied: tuple[str, ...]


def learning_view(ledger: Ledger, run: Run, decided: Collection[ContentRef]) -> LearningView:
    """`decided` are the cells that people have decided."""
    counts = Counter(ref.question for ref in decided)
    applied = {stored.question for stored in recalibrations.current(ledger, run)}
    enough = [question.id for question in run.questions if counts[question.id] >= LEAST_DECISIONS]
    proposals = recalibration.propose(ledger, run, questions=enough).proposals if enough else ()
    offers = tuple(_offer(proposal) for proposal in proposals if proposal.question.id not in applied)
    offered = {offer.question for offer in offers}
    most = max((count for question, count in counts.items() if question not in offered | applied), default=0)
    return LearningView(LEAST_DECISIONS, most, offers, tuple(sorted(applied)))


def learn(ledger: Ledger, run: Run, question: str) -> None:
    """From now on the refitted probabilities of the question count, with the verdicts that follow from them."""
    proposals = recalibration.propose(ledger, run, questions=[question]).proposals
    if not proposals:
        raise InputError(f"{question} has too few decisions", f"decide {LEAST_DECISIONS} of its cells first")
    recalibration.apply(ledger, proposals)


def unlearn(ledger: Ledger, run: Run, question: str) -> None:
    """The readers' own probabilities count again."""
    if not recalibration.undo(ledger, run, questions=[question]):
        raise InputError(f"{question} was not recalibrated", "reload the page")


def _offer(proposal: Proposal) -> LearningOffer:
    return LearningOffer(
        question=proposal.question.id,
        title=proposal.question.title or proposal.question.text,
        reader=proposal.recalibration.reader,
        decisions=proposal.decisions,
        before=proposal.before,
        after=proposal.after,
        cells=proposal.cells,
        changes=proposal.changes,
    )
