"""How often verifiers are wrong on material that others made: references as printed, answers by people and systems.

``python -m benchmarks.natural --data DIR``. Nothing here shares code with ``verifiers/``: what an answer is worth is
told by an evaluator of its own, by construction, or by the material's own labels.
"""
