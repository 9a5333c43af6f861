"""Test suites as answers: whether they pass the right program, and which wrong ones they reject."""

from verifiers.unit_tests.verifier import UnitTestsVerifier

__all__ = ["UnitTestsVerifier"]
