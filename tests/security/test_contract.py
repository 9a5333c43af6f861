"""The OpenAPI document as an attacker reads it: every operation without a key, and by methods that it does not have."""

from __future__ import annotations

import re

from tests.openapi import paths
from tests.security.conftest import Target

OPEN = {"/health", "/health/live", "/health/ready"}
"""What is answered to everybody: that the service is there."""
METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH", "TRACE")
_PARAMETER = re.compile(r"\{[^}]*\}")


def plain(path: str) -> str:
    return _PARAMETER.sub("x", path)


def declares(method: str, path: str) -> bool:
    """Whether some route takes it: a name may be a word that is the end of another path, and a run's has slashes."""
    templates = [template for template, methods in paths().items() if method.lower() in methods]
    return any(re.fullmatch(_PARAMETER.sub(".+", template), path) for template in templates)


def test_without_a_key_nothing_is_answered_and_no_body_is_read(target: Target) -> None:
    answered = {
        (method, path)
        for path, methods in paths().items()
        for method in methods
        if target.stranger.request(method, plain(path), content=b"{").status_code != 401
    }
    assert {path for _, path in answered} == OPEN
    assert len(paths()) > 90


def test_a_method_that_is_not_declared_is_refused(target: Target) -> None:
    wrong = []
    for path in paths():
        for method in METHODS:
            if declares(method, plain(path)):
                continue
            answer = target.admin.request(method, plain(path))
            if answer.status_code not in (404, 405) or method in answer.headers.get("allow", "").split(", "):
                wrong.append((method, path, answer.status_code))
    assert wrong == []
