"""Physical quantities: a number and its unit."""

from verifiers.quantity.verifier import QuantityVerifier

__all__ = ["QuantityVerifier"]
