"""The parts of ``benchmarks.patience``: an imitated provider, callers, and how the two are joined."""
