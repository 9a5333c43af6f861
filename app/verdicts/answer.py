"""The answer that a verifier read out of a response, for lists and pages."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from verifiers.scope import Scope

_PARTS = (Scope.ANSWER, Scope.RESPONSE, Scope.THINKING)


def answer_of(evidence: Mapping[str, JsonValue]) -> str | None:
    """What matched, or what was extracted; None where the verifier looked at a whole part of the response."""
    answer = evidence.get("match")
    if answer is None and evidence.get("rule") not in _PARTS:
        answer = evidence.get("extracted")
    return answer if answer is None or isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
