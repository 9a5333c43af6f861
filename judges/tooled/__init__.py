"""A judge that may run code and compare mathematics before it concludes."""

from judges.tooled.verifier import TooledVerifier

__all__ = ["TooledVerifier"]
