"""The figures of a run: curves, stacks and heat maps over its steps, in which every point leads to its samples."""
