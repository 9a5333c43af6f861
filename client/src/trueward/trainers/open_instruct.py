"""Rewards of a Trueward service for open-instruct, as a verifier: every subclass of its base is one that rows can name.

::

    Trueward = verifier("http://127.0.0.1:8421", recipe="math")         # imported before the run builds its verifiers

A row with ``dataset: trueward`` is judged by it, against its ``ground_truth``; ``--remap_verifier math=trueward`` sends
the rows of another verifier here. The run multiplies scores, so recipes from 0 to 1 fit.

A score is a number there. A missing one is the mean of the others to its prompt (:mod:`.standing_in`), for which it
waits. A service that is away for longer than ``deadline_s``, or that refuses, raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.chat_text import think_prefix
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.wire.reward import Reward


def verifier(
    url: str | None = None, *, recipe: Recipe, name: str = "trueward", **options: Unpack[Options]
) -> type[Any]:
    """A class of verifiers. Keep it in a variable: open-instruct finds subclasses that exist. ``group_size`` says how
    many responses a prompt has; where it is not told, a missing one waits for ten seconds."""
    from open_instruct.ground_truth_utils import VerificationResult, VerifierFunction

    connection = Connection(url, recipe, "open-instruct", **options)

    def result(rewards: Sequence[Reward], query: str | None) -> Any:
        (score,) = connection.means.rewards(rewards, [query])
        return VerificationResult(score=score, reasoning=f"{rewards[0].reason_code}: {rewards[0].reason}")

    class TruewardVerifier(VerifierFunction):  # type: ignore[misc]  # open-instruct has no types here
        def __init__(self, verifier_config: object = None) -> None:
            super().__init__(name, verifier_config=verifier_config, weight=1.0)

        def __call__(
            self,
            tokenized_prediction: Sequence[int],
            prediction: str,
            label: object,
            query: str | None = None,
            rollout_state: object = None,
        ) -> Any:
            sample = _sample(tokenized_prediction, prediction, label, query)
            return result(connection.rewards([sample], apart=query is not None), query)

        async def async_call(
            self,
            tokenized_prediction: Sequence[int],
            prediction: str,
            label: object,
            query: str | None = None,
            rollout_state: object = None,
        ) -> Any:
            sample = _sample(tokenized_prediction, prediction, label, query)
            return result(await connection.await_rewards([sample], apart=query is not None), query)

    return TruewardVerifier


def _sample(tokens: Sequence[int], prediction: str, label: object, query: str | None) -> Fields:
    sample: Fields = {"response": prediction, "reference": cast(JsonValue, label), "tokens": len(tokens)}
    if query is not None:
        sample["prompt"] = query
        opened = think_prefix(query)
        if opened is not None:
            sample["prefix"] = opened
    return sample
