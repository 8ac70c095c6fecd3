"""From records to verdicts: results as tables, statistics, and the paper's claims."""
