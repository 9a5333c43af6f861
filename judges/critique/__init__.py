"""A model's verdict on each step, or each sentence, of a response."""

from judges.critique.verifier import CritiqueVerifier

__all__ = ["CritiqueVerifier"]
