"""SQL queries: what they return, and how much of the reference's vocabulary they use."""

from verifiers.sql.verifier import SqlVerifier

__all__ = ["SqlVerifier"]
