"""Checklists of conversations: what is to be done in each turn, and whether it was."""

from judges.checklist.verifier import ChecklistVerifier

__all__ = ["ChecklistVerifier"]
