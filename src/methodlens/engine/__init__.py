"""How the work is done: plan a run, execute each paper, ask the readers, and write the ledger."""
