"""Every operation of the OpenAPI document under many generated requests, with a key and without: `make prove-contract`.

A documented 503 is an answer here: what was put in may name a model that nobody can load, and that is then said. A 500
is none. The short form, with some requests an operation and no key asked for, is ``tests/app/http/test_openapi.py``.
"""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CheckContext
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from app.main import create_app
from app.settings import Settings
from tests.security.conftest import Target


def no_bug(_context: CheckContext, response: Response, _case: Case[Any]) -> bool | None:
    """No answer is the service's own failure."""
    assert response.status_code != 500, response.text
    return None


CHECKS = [
    no_bug,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
]
SCHEMA = schemathesis.openapi.from_dict(create_app(Settings()).openapi())
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations() if isinstance(result, Ok)]
EXAMPLES = 300


@pytest.fixture(params=["a key", "no key", "a wrong key"])
def headers(request: pytest.FixtureRequest, target: Target) -> dict[str, str]:
    key = {"a key": target.key, "no key": None, "a wrong key": "tw_wrong"}[request.param]
    return {} if key is None else {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_what_the_document_allows_is_answered_as_it_says(
    operation: APIOperation[Any, Any, Any, Any], headers: dict[str, str], target: Target
) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        case.call_and_validate(base_url=target.url, checks=CHECKS, headers=headers, timeout=60)

    check()
