"""``code``: does the response's program pass the tests?"""

from verifiers.code.verifier import CodeVerifier

__all__ = ["CodeVerifier"]
