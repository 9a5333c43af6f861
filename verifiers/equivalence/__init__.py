"""Open questions: whether an answer in words says what a reference says."""

from verifiers.equivalence.verifier import EquivalenceVerifier

__all__ = ["EquivalenceVerifier"]
