"""The model lane against plain transformers and against the bare forward pass: ``python -m benchmarks.models``."""
