"""methodlens calibrate"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.evaluation.recalibration import Agreement, Proposal, Proposals


def command(
    question: Annotated[
        list[str] | None, typer.Option("--question", metavar="ID", help="Only this question. Repeatable. [default: all]")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Store the recalibration: reports, exports and the review room then use it.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Go back to the reader's own probabilities.")] = False,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Refit probabilities to the decisions of reviewers.

    Each question with 30 or more decisions is recalibrated for these papers. Prints agreement (kappa) and calibration error
    before and after, cross-validated on the decisions, and how many cells would change. Nothing is stored without --apply;
    the readers' own answers are always kept, so --undo restores them.

    Example: methodlens calibrate --out review --question CQ5
    """
    from methodlens.evaluation import recalibration
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.run_rows import latest

    if apply and undo:
        raise InputError("--apply and --undo cannot be combined", "use one of them")
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        if undo:
            with ledger.lock():
                withdrawn = recalibration.undo(ledger, chosen, questions=question or ())
                ids = list(dict.fromkeys(stored.question for stored in withdrawn))  # a question may have several readers
                if ids:
                    common.record_action(ledger, Action.RECALIBRATED, f"{', '.join(ids)}: undone")
            if json:
                common.print_json({"undone": ids})
            else:
                typer.echo(f"recalibration undone: {', '.join(ids)}" if ids else "no question is recalibrated")
            return
        proposed = recalibration.propose(ledger, chosen, questions=question or ())
        if apply and proposed.proposals:
            with ledger.lock():
                recalibration.apply(ledger, proposed.proposals)
                ids = list(dict.fromkeys(proposal.question.id for proposal in proposed.proposals))
                common.record_action(ledger, Action.RECALIBRATED, ", ".join(ids))
    if json:
        applied = apply and bool(proposed.proposals)
        common.print_json({"applied": applied, "proposals": proposed.proposals, "too_few": proposed.too_few})
        return
    common.echo_lines(_lines(proposed, applied=apply))


def _lines(proposed: "Proposals", *, applied: bool) -> Iterator[str]:
    from methodlens.verdicts.recalibration import LEAST_DECISIONS

    for proposal in proposed.proposals:
        yield from _proposal_lines(proposal, "changed" if applied else "would change")
    if proposed.too_few:
        missing = ", ".join(f"{question} ({count})" for question, count in proposed.too_few.items())
        yield f"fewer than {LEAST_DECISIONS} decisions: {missing}"
    if not proposed.proposals:
        yield f"nothing to calibrate: a question needs {LEAST_DECISIONS} decisions, from 'methodlens serve' or 'annotate import'"
    elif applied:
        yield f"{common.number(len(proposed.proposals), 'recalibration')} stored; --undo withdraws them"
    else:
        yield "nothing is stored yet: add --apply"


def _proposal_lines(proposal: "Proposal", verb: str) -> Iterator[str]:
    title = proposal.question.title or proposal.question.text
    yield f"{proposal.question.id} {title} ({proposal.recalibration.reader}, {proposal.decisions} decisions)"
    yield f"  before: {_agreement(proposal.before)}"
    yield f"  after:  {_agreement(proposal.after)}"
    changed = sum(proposal.changes.values())
    details = ", ".join(f"{count} {change}" for change, count in sorted(proposal.changes.items()))
    yield f"  {changed} of {common.number(proposal.cells, 'cell')} {verb}{f': {details}' if details else ''}"


def _agreement(agreement: "Agreement") -> str:
    kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.2f}"
    return f"kappa {kappa}, right {agreement.accuracy:.0%}, calibration error {agreement.ece:.2f}"
