"""Admission: ids, hints, limits, and the name of a sample's content."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from app.admission.admit import admit, admit_paced
from app.kit.pace import LoopPace
from app.settings import Settings
from trueward.errors import DuplicateIds, TooLarge
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Outcome

SETTINGS = Settings(max_samples=3, max_characters=100)


def test_an_absent_id_is_the_index() -> None:
    assert [item.sample.id for item in admit([Sample(), Sample(id="x"), Sample()], SETTINGS)] == ["0", "x", "2"]


def test_ids_that_repeat_are_refused_by_name() -> None:
    with pytest.raises(DuplicateIds, match="repeated: a") as refusal:
        admit([Sample(id="a"), Sample(id="a")], SETTINGS)
    assert refusal.value.errors[0].field == "samples.0.id"


def test_an_index_that_repeats_a_given_id_is_refused() -> None:
    with pytest.raises(DuplicateIds):
        admit([Sample(id="1"), Sample()], SETTINGS)


def test_too_many_samples_are_refused() -> None:
    with pytest.raises(TooLarge, match="at most 3"):
        admit([Sample() for _ in range(4)], SETTINGS)


@pytest.mark.parametrize(
    "prompt",
    ["Solve x. Hint: try 4.", [Message(role="user", content="Solve x. Hint: try 4.")]],
)
def test_a_hint_is_gone_before_any_verifier_sees_the_prompt(prompt: str | list[Message]) -> None:
    [item] = admit([Sample(prompt=prompt, hint=" Hint: try 4.", response="4")], SETTINGS)
    assert item.sample.prompt_text == "Solve x."
    assert item.sample.hint is None
    assert "try 4" not in item.content


def test_a_hint_in_a_content_part_is_gone_too() -> None:
    prompt = [Message(role="user", content=[{"type": "text", "text": "Solve. SECRET"}, {"type": "image"}])]
    [item] = admit([Sample(prompt=prompt, hint=" SECRET")], SETTINGS)
    assert "SECRET" not in item.content


def test_an_over_long_response_is_the_policys_doing() -> None:
    [long, fine] = admit([Sample(response="x" * 101), Sample(response="x")], SETTINGS)
    assert long.verdict is not None
    assert (long.verdict.outcome, long.verdict.reason_code) == (Outcome.INVALID, "too_long")
    assert fine.verdict is None


def test_an_over_long_field_of_the_caller_is_not() -> None:
    [item] = admit([Sample(response="x", reference="y" * 101)], SETTINGS)
    assert item.verdict is not None
    assert (item.verdict.outcome, item.verdict.reason_code) == (Outcome.ABSTAINED, "field_too_long")


def test_a_response_in_policy_messages_counts_as_a_whole() -> None:
    messages = [Message(role="assistant", content="x" * 60), Message(role="assistant", content="x" * 60)]
    [item] = admit([Sample(response=messages)], SETTINGS)
    assert item.verdict is not None
    assert item.verdict.reason_code == "too_long"


def test_the_fingerprint_names_the_content_and_not_the_identity() -> None:
    [one] = admit([Sample(id="a", group="g", response="x", reference=1)], SETTINGS)
    [same] = admit([Sample(id="b", pair="p", response="x", reference=1)], SETTINGS)
    [other] = admit([Sample(id="a", group="g", response="x", reference=2)], SETTINGS)
    assert one.fingerprint == same.fingerprint != other.fingerprint


def test_text_that_cannot_be_stored_is_replaced_one_for_one() -> None:
    [item] = admit([Sample(response="a\ud800b\x00c", metadata={"\udfff": "x"}, id="i")], SETTINGS)
    assert item.sample.response == "a\ufffdb\ufffdc"
    assert item.sample.metadata == {"\ufffd": "x"}
    assert "a\ufffdb\ufffdc" in item.content


async def test_a_long_sample_is_admitted_in_pieces_under_the_name_that_it_has_at_once() -> None:
    rounds = 0

    async def others() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0)
            rounds += 1

    long = Sample(response="x" * 10 * 2**20)
    working = asyncio.create_task(others())
    [paced] = await admit_paced([long.model_copy()], SETTINGS, LoopPace(piece_s=0.0))
    working.cancel()
    assert rounds >= 9
    [at_once] = admit([long], SETTINGS)
    assert (
        paced.fingerprint == at_once.fingerprint == hashlib.blake2b(paced.content.encode(), digest_size=20).hexdigest()
    )
