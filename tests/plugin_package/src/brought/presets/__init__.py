"""Presets of judges, a folder each."""
