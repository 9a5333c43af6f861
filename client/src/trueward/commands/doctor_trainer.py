"""``trueward doctor --trainer``: the service as a trainer will ask it, and what a first batch says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueward.commands.finding import DoctorFinding
from trueward.errors import TruewardError
from trueward.trainers import pasting, tried
from trueward.trainers.first_batch import diagnosis
from trueward.wire.reward import Reward

if TYPE_CHECKING:
    from trueward.client import Client

_BATCH = 256


def trainer_findings(
    client: Client, trainer: str, recipe: str, samples: Sequence[dict[str, JsonValue]], run: str | None
) -> Iterator[DoctorFinding]:
    """The trainer here, the recipe, and a batch: ``samples``, else the newest of ``run`` in the ledger, else none.

    Raises :class:`NotFound` for a trainer that is not known.
    """
    pasting.find(trainer)
    yield from _package(trainer)
    try:
        found = client.recipe(recipe)
    except TruewardError as error:
        yield DoctorFinding("recipe", False, error.detail)
        return
    yield DoctorFinding("recipe", True, f"{recipe}, {found.hash}")
    try:
        rewards = _ask_rewards(client, recipe, samples) if samples else _recorded(client, run) if run else None
    except TruewardError as error:
        yield DoctorFinding("first batch", False, error.detail)
        return
    if rewards is None:
        yield DoctorFinding(
            "first batch", True, "not looked at: name a JSONL of samples with --file, or the run with --run"
        )
        return
    said = diagnosis(trainer, found.recipe, rewards, [str(sample.get("response", "")) for sample in samples])
    yield DoctorFinding("first batch", said.ok, said.sentence)


def _package(trainer: str) -> Iterator[DoctorFinding]:
    known = tried.find(trainer)
    if known is None or known.package is None:
        return
    try:
        here = version(known.package)
    except PackageNotFoundError:
        detail = f"{known.package} is not in this environment; tried with {known.version}"
    else:
        same = here == known.version
        detail = f"{known.package} {here}" + ("" if same else f"; tried with {known.version}, so compare its page")
    yield DoctorFinding("trainer", True, detail)


def _ask_rewards(client: Client, recipe: str, samples: Sequence[dict[str, JsonValue]]) -> list[Reward]:
    return client.reward(list(samples), recipe=recipe).rewards


def _recorded(client: Client, run: str) -> list[Reward]:
    """The newest of a run."""
    return [record.reward for record in client.run_rewards(run, limit=_BATCH).rewards]
