"""Runs untrusted programs. Knows nothing of samples, verdicts or rewards."""
