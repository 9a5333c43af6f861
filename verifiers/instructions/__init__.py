"""Constraints on how a response is written, each checked by counting and matching alone."""

from verifiers.instructions.verifier import InstructionsVerifier

__all__ = ["InstructionsVerifier"]
