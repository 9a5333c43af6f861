"""Loads with planted hangs: now and then a request whose check never ends, and what became of all requests."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.corpus import Item
from benchmarks.load.generator import Request, Volley, post
from benchmarks.measure import EXACT, HANG, OK, SYMBOLIC, trueward_requests

KINDS = {EXACT: "exact", SYMBOLIC: "symbolic", HANG: "hang"}
CHARGED = "invalid: resource_limit"
NO_ANSWER = "no answer"
REFUSED = ("status 503: overloaded", "status 503: deadline_passed_waiting")
"""What an overloaded service says before it judges anything: send it again."""
REFUSED_SHARE = 0.1
"""More than this share of a load that the service is sized for means that it did not do its work."""

_MISSING = ("abstained", "timeout", "error")


def requests(items: Iterable[Item], share: float, seed: int = 0) -> Iterable[Request]:
    """One request an item; in each stretch of ``1 / share`` the spinner takes the place of a random one."""
    dice = random.Random(seed)
    stretch, place = round(1 / share) if share else 0, -1
    for number, item in enumerate(items):
        if stretch and number % stretch == 0:
            place = number + dice.randrange(stretch)
        if number == place:
            sample = {"response": item.response, "reference": item.reference}
            yield post("/v1/verify", json.dumps({"verifier": "spinner", "samples": [sample]}).encode(), HANG)
        else:
            yield from trueward_requests([item])


@dataclass(slots=True)
class Outcomes:
    """How many requests of each kind ended how: ``outcome: reason_code``; and how many were judged wrongly."""

    ends: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS.values()})
    wrong: int = 0

    def add(self, volley: Volley, items: Sequence[Item]) -> None:
        for shot in volley.shots:
            if shot.status != OK:
                self.ends[KINDS[shot.tag]][_failure(shot.status, volley.answers.get(shot.request, b""))] += 1
                continue
            (verdict,) = json.loads(volley.answers[shot.request])["verdicts"]
            self.ends[KINDS[shot.tag]][f"{verdict['outcome']}: {verdict['reason_code']}"] += 1
            if shot.tag != HANG and verdict["score"] is not None:
                self.wrong += (verdict["score"] == 1.0) != items[shot.request].correct

    @property
    def total(self) -> int:
        return sum(ends.total() for ends in self.ends.values())

    @property
    def unanswered(self) -> int:
        """Requests without an answer, and those refused for another reason than the load."""
        return sum(
            count
            for ends in self.ends.values()
            for end, count in ends.items()
            if end == NO_ANSWER or (end.startswith("status") and end not in REFUSED)
        )

    @property
    def refused(self) -> int:
        """Requests that the service had no room for."""
        return sum(_refused(ends) for ends in self.ends.values())

    @property
    def missing(self) -> int:
        """Verdicts without a score."""
        return sum(
            count for ends in self.ends.values() for end, count in ends.items() if end.partition(":")[0] in _MISSING
        )

    @property
    def uncharged(self) -> int:
        """Planted hangs that were judged and did not end as the policy's doing."""
        hangs = self.ends[KINDS[HANG]]
        return hangs.total() - hangs[CHARGED] - _refused(hangs)

    def claims(self) -> dict[str, bool]:
        """What must hold whatever the machine does."""
        return {
            "every sample got an outcome, or was refused for overload before it was judged": self.unanswered == 0,
            f"at most {REFUSED_SHARE:.0%} of the samples were refused": self.refused <= REFUSED_SHARE * self.total,
            "every hang was charged to the response": self.uncharged == 0,
            "no other sample was judged wrongly": self.wrong == 0,
        }


def _refused(ends: Counter[str]) -> int:
    return sum(ends[end] for end in REFUSED)


def _failure(status: int, body: bytes) -> str:
    """How a request ended that got no verdict: its status and the problem's code."""
    if status == 0:
        return NO_ANSWER
    try:
        return f"status {status}: {json.loads(body)['code']}"
    except (ValueError, KeyError, TypeError):
        return f"status {status}"
