"""Multiple-choice questions: which options a response chooses."""

from verifiers.choice.verifier import ChoiceVerifier

__all__ = ["ChoiceVerifier"]
