"""What the tests of recipes through the service ask for, in few words."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from tests.app.conftest import Api

RIGHT, WRONG, SILENT = "\\boxed{4}", "\\boxed{5}", "no idea"
Json = dict[str, Any]

APPEALS: Json = {
    "terms": [
        {
            "verifier": "math",
            "noise": {
                "false_positive": 0.0,
                "false_negative": 0.0,
                "appeals": {
                    "verifier": "regex",
                    "params": {"pattern": "five", "mode": "search", "scope": "response"},
                    "share": 1.0,
                    "rate": 0.5,
                },
            },
        }
    ]
}
MISSED = "\\boxed{5} is five"
"""What the rule rejects and the appeal accepts."""


def row(response: str, reference: str | None = "4", **fields: Any) -> Json:
    return {"prompt": "2+2?", "response": response, "reference": reference, **fields}


def price(api: Api, recipe: object, rows: Sequence[Json], **rest: Any) -> Json:
    answer = api.post("/v1/rewards", {"recipe": recipe, "samples": list(rows), **rest})
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def pay(api: Api, recipe: object, rows: Sequence[Json], **rest: Any) -> list[float | None]:
    return [reward["reward"] for reward in price(api, recipe, rows, **rest)["rewards"]]


def verdicts(api: Api, run: str, verifier: str) -> list[Json]:
    found: list[Json] = api.get(f"/v1/verdicts?run={run}&verifier={verifier}&limit=1000").json()["verdicts"]
    return found


def eventually(done: Callable[[], bool], within_s: float = 20.0) -> None:
    end = time.monotonic() + within_s
    while not done():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def fresh() -> str:
    return uuid.uuid4().hex


def refused(api: Api, recipe: object, rows: Sequence[Json] = ()) -> Json:
    answer = api.post("/v1/rewards", {"recipe": recipe, "samples": list(rows)})
    assert answer.status_code == 422, answer.text
    found: Json = answer.json()
    return found
