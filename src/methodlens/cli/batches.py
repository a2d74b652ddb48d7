"""methodlens batches"""

from methodlens.cli import common


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """List the batches of calls at providers, and how far they are.

    Pending ones are fetched by the same 'methodlens run' that handed them in.

    Example: methodlens batches --out review
    """
    from methodlens.ledger import batches

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        listed = batches.listed(ledger)
    names = ("batch_id", "reader", "state", "provider_id", "cells", "prepared_at", "submitted_at", "ended_at", "note")
    if json:
        common.print_json([{name: getattr(batch, name) for name in names} for batch in listed])
        return
    if not listed:
        common.echo_lines(["no batches"])
    for batch in listed:
        at = (batch.submitted_at or batch.prepared_at)[:16].replace("T", " ")
        line = f"{batch.reader}  {batch.state.value}  {common.number(batch.cells, 'cell')}  {at}  {batch.provider_id}"
        common.echo_lines([f"{line}  {batch.note}".rstrip()])
