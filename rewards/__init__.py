"""Verdicts in, rewards out: pure functions of a recipe. All pricing is here; nothing here measures."""
