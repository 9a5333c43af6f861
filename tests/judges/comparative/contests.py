"""Scripted judges of pairs and lists, by the merit of the texts that they are shown, and groups judged with them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence

from judges.comparative.tournament import TournamentVerifier
from judges.standalone import verify
from tests.judges.replies import Replies, response_in
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

Merit = Callable[[str], float]


def number_in(text: str) -> float:
    """The merit of a response is the last number in it."""
    found = re.findall(r"-?\d+(?:\.\d+)?", text)
    return float(found[-1]) if found else 0.0


def pair_in(text: str) -> tuple[str, str]:
    """The two responses of a prompt, in their order."""
    return response_in(text, "RESPONSE-A"), response_in(text, "RESPONSE-B")


def says(**fields: object) -> str:
    return json.dumps({"analysis": "compared", **fields})


def prefers(merit: Merit = number_in) -> Callable[[str], str]:
    """A judge of pairs that does what it is asked."""

    def reply(text: str) -> str:
        first, second = map(merit, pair_in(text))
        return says(verdict="tie" if first == second else "A" if first > second else "B")

    return reply


def listed_in(text: str) -> dict[str, str]:
    """The responses of a prompt about a list, by name."""
    return dict(re.findall(r"⟦(model-\d+) \w+⟧\n(.*?)\n⟦/\1 \w+⟧", text, re.DOTALL))


def scores_list(merit: Merit = number_in) -> Callable[[str], str]:
    """A judge of lists: the merit is the score."""

    def reply(text: str) -> str:
        scores = {name: int(merit(said)) for name, said in listed_in(text).items()}
        order = sorted(scores, key=lambda name: -scores[name])
        return json.dumps({"thoughts": "read", "scores": scores, "best-to-worst": order})

    return reply


def tournament(**params: object) -> TournamentVerifier:
    made = registry.create("tournament", params)  # type: ignore[arg-type]
    assert isinstance(made, TournamentVerifier)
    return made


def group(*responses: str, **fields: object) -> list[Sample]:
    return [Sample.model_validate({"prompt": "Name a number.", "response": text, **fields}) for text in responses]


def held(responses: Sequence[str], models: Replies, **params: object) -> list[Verdict]:
    """The verdicts on a group."""
    return asyncio.run(verify(tournament(**params), group(*responses), models))


def scores(verdicts: Sequence[Verdict]) -> list[float | None]:
    return [verdict.score for verdict in verdicts]
