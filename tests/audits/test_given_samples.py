"""The samples of audits that judge anew: sent, or one of each of the ledger's tasks, on both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.kit.clock import now
from app.kit.db import Database
from audits.given_samples import choose_samples
from tests.audits.labelled.planted import put_judged, sample, verdict, work
from trueward.errors import InvalidRequest
from trueward.wire.audit import GivenSamples, Population
from trueward.wire.sample import Sample


async def drawn(db: Database, accepted: bool = False, needs_reference: bool = True, **given: Any) -> list[Sample]:
    """From the population that is given, else from all of the ledger."""
    given.setdefault("population", Population())
    return await choose_samples(GivenSamples(**given), work(db), needs_reference, accepted)


async def plant(db: Database, tasks: int, responses: int = 2, **circumstances: Any) -> None:
    judged = []
    for task in range(tasks):
        for response in range(responses):
            one = sample(f"{task} {response}", prompt=f"question {task}", reference=str(task))
            judged.append((one, verdict(one, "incorrect" if response else "correct", **circumstances)))
    await put_judged(db, judged)


async def test_what_is_sent_is_taken_as_it_is(db: Database) -> None:
    sent = [Sample(reference="1"), Sample(reference="1"), Sample(response="x")]
    assert await choose_samples(GivenSamples(samples=sent, limit=1), work(db), needs_reference=True) == sent[:2]
    assert await choose_samples(GivenSamples(samples=sent), work(db), needs_reference=False) == sent


async def test_each_task_comes_once(db: Database) -> None:
    await plant(db, tasks=900)
    found = await drawn(db, limit=1000)
    assert len(found) == len({one.prompt_text for one in found}) == 900
    assert all(one.reference == one.prompt_text.split()[1] for one in found)


async def test_the_draw_is_the_seeds(db: Database) -> None:
    await plant(db, tasks=60)
    first, again, other = [[one.prompt_text for one in await drawn(db, limit=10, seed=seed)] for seed in (1, 1, 2)]
    assert first == again
    assert len(set(first)) == 10
    assert set(first) != set(other)
    seen = {one.prompt_text for seed in range(40) for one in await drawn(db, limit=10, seed=seed)}
    assert len(seen) > 55


async def test_the_same_prompt_with_another_reference_is_another_task(db: Database) -> None:
    ones = [sample("r", prompt="q", reference=reference) for reference in ("1", "2")]
    await put_judged(db, [(one, verdict(one)) for one in ones])
    assert len(await drawn(db)) == 2


async def test_a_right_response_is_found_where_one_is_wanted(db: Database) -> None:
    await plant(db, tasks=20)
    found = await drawn(db, accepted=True)
    assert len(found) == 20
    assert all(one.response_text.endswith(" 0") for one in found)


async def test_only_the_population_is_asked(db: Database) -> None:
    later = now() + timedelta(days=2)
    await plant(db, 2, run="a", step=3, policy="p1", data_source="gsm8k")
    one, of_audit = sample("x", reference="x"), sample("y", reference="y")
    await put_judged(db, [(one, verdict(one, run="b", step=9, split="eval", created_at=later))])
    await put_judged(db, [(of_audit, verdict(of_audit, run="audit:A0"))])
    bounds: list[tuple[dict[str, Any], int]] = [
        ({}, 3),
        ({"run": "a"}, 2),
        ({"run": "audit:A0"}, 1),
        ({"split": "eval"}, 1),
        ({"policy": "p1"}, 2),
        ({"data_source": "gsm8k"}, 2),
        ({"first_step": 4}, 1),
        ({"last_step": 3}, 2),
        ({"since": now() + timedelta(days=1)}, 1),
        ({"until": now() + timedelta(days=1)}, 2),
    ]
    for population, count in bounds:
        assert len(await drawn(db, population=Population(**population))) == count, population


async def test_nothing_to_take_is_said(db: Database) -> None:
    one = sample("x", prompt="q")
    await put_judged(db, [(one, verdict(one, "incorrect"))])
    with pytest.raises(InvalidRequest, match="no sample with a reference in the population"):
        await drawn(db)
    assert len(await drawn(db, needs_reference=False)) == 1
    with pytest.raises(InvalidRequest, match="found correct"):
        await drawn(db, accepted=True, needs_reference=False)
    for given in (GivenSamples(), GivenSamples(samples=[], population=Population())):
        with pytest.raises(InvalidRequest, match="exactly one"):
            await choose_samples(given, work(db), needs_reference=True)
