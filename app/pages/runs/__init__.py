"""Runs: the list, and a page a run with its rewards over its steps."""
