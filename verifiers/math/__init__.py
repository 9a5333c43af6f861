"""The ``math`` verifier: extraction, then exact forms in the process, then symbolic proof in a worker."""

from verifiers.math.verifier import MathParams, MathVerifier

__all__ = ["MathParams", "MathVerifier"]
