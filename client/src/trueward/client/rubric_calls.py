"""The call about rubrics: how their criteria go together."""

from __future__ import annotations

from urllib.parse import urlencode

from trueward.client.call import Call
from trueward.client.plan import model
from trueward.rubrics.correlation import CriteriaReport


def correlation(
    run: str | None = None,
    verifier: str = "rubric",
    rubric: str | None = None,
    after: str | None = None,
    limit: int = 100,
    verdicts: int = 100_000,
) -> Call[CriteriaReport]:
    asked = {"run": run, "verifier": verifier, "rubric": rubric, "after": after, "limit": limit, "verdicts": verdicts}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return Call("GET", f"/v1/rubrics/correlation?{query}", model(CriteriaReport))
