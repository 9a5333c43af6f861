"""``rubric``: a model says which criteria a response meets; weights make one score of that."""

from judges.rubric.verifier import RubricVerifier

__all__ = ["RubricVerifier"]
