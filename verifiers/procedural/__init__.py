"""The verifier ``procedural``: tasks of the reasoning-gym library, judged by its own scorers (extra)."""

from verifiers.procedural.verifier import ProceduralParams, ProceduralVerifier

__all__ = ["ProceduralParams", "ProceduralVerifier"]
