"""Expressions as trees: their grammar, canonical forms, values at points, derivatives."""
