"""Where the stages meet: what is asked, who answers, and the ledger that keeps every cell."""
