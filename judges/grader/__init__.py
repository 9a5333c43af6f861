"""OpenAI's graders as a verifier: one small file a type, templates, and what the reply is made of."""

from judges.grader.verifier import GraderVerifier

__all__ = ["GraderVerifier"]
