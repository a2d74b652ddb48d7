"""methodlens weights"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.evaluation.vote_weights import Agreement, WeightProposal


def command(
    apply: Annotated[bool, typer.Option("--apply", help="Use the learned weights for the vote of this run.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Go back to the voting rule of the settings.")] = False,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Learn the weights of a vote from the decisions of reviewers.

    Needs two or more readers and 30 decisions. Estimates how often each reader is right (Dawid and Skene), and prints the
    agreement of the vote before and after, cross-validated on the decisions, and how many cells would change. Nothing is
    stored without --apply.

    Example: methodlens weights --out review
    """
    from methodlens.evaluation import vote_weights
    from methodlens.evaluation.ground_truth import ground_truth
    from methodlens.evaluation.measure import collect_decisions, labels_from_annotations
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.run_rows import VOTE, latest
    from methodlens.ledger.run_votes import change_rule
    from methodlens.records import CellRef, Status

    if apply and undo:
        raise InputError("--apply and --undo cannot be combined", "use one of them")
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        if len(chosen.readers) < 2:
            raise InputError("this run has only one reader", "a vote needs two or more: methodlens run --reader A --reader B")
        if undo:
            with ledger.lock():
                change_rule(ledger, chosen, settings.vote.rule)
                common.record_action(ledger, Action.REWEIGHTED, f"{chosen.vote} -> {settings.vote.rule}")
            common.echo_lines([f"the voting rule is now {settings.vote.rule}"] if not json else [])
            if json:
                common.print_json({"rule": settings.vote.rule})
            return
        collected = collect_decisions(ledger, [chosen])
        truth = ground_truth(labels_from_annotations(ledger.annotations(), collected.papers).labels).reported
        votes: dict[CellRef, dict[str, Status]] = {}
        for reader in chosen.readers:
            for ref, decision in collected.decisions.get(reader, {}).items():
                if decision.status is not Status.UNREADABLE:
                    votes.setdefault(ref, {})[reader] = decision.status
        proposal = vote_weights.propose(votes, truth, chosen.readers, chosen.vote)
        applied = bool(apply and proposal)
        if apply and proposal:
            with ledger.lock():
                change_rule(ledger, chosen, proposal.rule)
                common.record_action(ledger, Action.REWEIGHTED, _record(proposal))
    if json:
        common.print_json({"applied": applied, "proposal": proposal, "vote": VOTE})
        return
    if proposal is None:
        few = common.number(sum(ref in votes for ref in truth), "decision")
        raise InputError(f"weights need {vote_weights.LEAST_DECISIONS} decisions, but there are {few}", "review more cells first")
    common.echo_lines(_lines(proposal, applied=applied))


def _record(proposal: "WeightProposal") -> str:
    figures = f"{_agreement(proposal.before)} -> {_agreement(proposal.after)} on {proposal.decisions} decisions"
    return f"{proposal.present} -> {proposal.rule}; {figures}"


def _lines(proposal: "WeightProposal", *, applied: bool) -> Iterator[str]:
    yield f"learned from {proposal.decisions} decisions:"
    for reader, skill in proposal.skills.items():
        yield f"  {reader}: right {skill.sensitivity:.0%} of yes, {skill.specificity:.0%} of no; weight {skill.weight:g}"
    yield f"before: {_agreement(proposal.before)} ({proposal.present})"
    yield f"after:  {_agreement(proposal.after)} ({proposal.rule}), cross-validated"
    yield f"{proposal.changes} of {common.number(proposal.cells, 'vote')} {'changed' if applied else 'would change'}"
    if applied:
        yield f'stored; to keep it when you rerun, set vote.rule = "{proposal.rule}". --undo goes back'
    else:
        yield "nothing is stored yet: add --apply"


def _agreement(agreement: "Agreement") -> str:
    kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.2f}"
    return f"kappa {kappa}, right {agreement.accuracy:.0%}"
