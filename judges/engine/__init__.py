"""Runs models: load, place, batch, swap weights. ``import judges`` imports neither torch nor transformers."""
