"""Verifiers that ask a model."""
