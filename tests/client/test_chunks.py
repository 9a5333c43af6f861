"""How batches are cut, ordered, named and written."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.conftest import Ask
from tests.client.fake_service import FakeService
from trueward import Client, Sample
from trueward.client.chunk import Limits, SampleLike, clean_text, groups_of, make_batch, runs_of
from trueward.client.plan import verify_plan
from trueward.errors import DuplicateIds, InvalidRequest, TruewardError


def test_order_holds_while_later_chunks_answer_first(ask: Ask, service: FakeService) -> None:
    samples = [{"response": str(index), "reference": str(index - index % 2)} for index in range(60)]
    service.latency_s = {"0": 0.3, "10": 0.2, "20": 0.1}
    verdicts = ask("verify", samples, verifier="exact")
    assert [verdict.id for verdict in verdicts] == [str(index) for index in range(60)]
    assert [verdict.score for verdict in verdicts] == [1.0, 0.0] * 30
    assert 1 < service.most_in_flight <= 4


def test_connections_are_reused(url: str, service: FakeService) -> None:
    with Client(url, concurrency=1, chunk_samples=1) as client:
        client.verify([{"response": "a"}] * 12, verifier="exact", progress=lambda done, total: None)
        client.verify([{"response": "a"}], verifier="exact")
    assert len(service.received) == 13
    assert len(service.connections) == 1


def test_progress_counts_samples_up_to_all(ask: Ask) -> None:
    seen: list[tuple[int, int]] = []
    ask("verify", [{"response": "a"}] * 25, verifier="exact", progress=lambda *counts: seen.append(counts))
    assert sorted(seen) == seen
    assert seen[-1] == (25, 25)
    assert len(seen) == 3


def test_chunks_never_split_a_group(ask: Ask, service: FakeService) -> None:
    samples: list[dict[str, Any]] = [
        {"response": str(index), "reference": "1", "group": f"g{index % 7}"} for index in range(50)
    ]
    random.Random(1).shuffle(samples)
    answer = ask("reward", samples, recipe="math")
    places = defaultdict(set)
    for number, received in enumerate(service.received):
        for sample in received.body["samples"]:
            places[sample["group"]].add(number)
    assert len(service.received) > 1
    assert all(len(where) == 1 for where in places.values())
    assert [reward.id for reward in answer.rewards] == [str(index) for index in range(50)]
    assert [reward.reward for reward in answer.rewards] == [float(s["response"] == "1") for s in samples]
    assert sorted(group.group for group in answer.groups) == [f"g{index}" for index in range(7)]
    assert answer.recipe == "sha256:r"


def test_without_a_group_the_prompt_is_one_and_a_hint_does_not_tell_them_apart() -> None:
    batch = make_batch(
        [
            {"prompt": "1+1? think", "hint": " think"},
            {"prompt": [{"role": "user", "content": "1+1?"}]},
            {"prompt": "1+1?"},
            {"prompt": "1+1?", "group": "own"},
        ]
    )
    assert batch.groups[0] == batch.groups[1] == batch.groups[2] != batch.groups[3]


def test_two_groups_of_one_pair_travel_together() -> None:
    batch = make_batch([{"prompt": f"{side}{n}", "pair": str(n)} for side in "qr" for n in range(4)])
    assert groups_of(batch, Limits(2)) == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_samples_of_a_group_verifier_travel_by_group() -> None:
    samples: list[SampleLike] = [{"prompt": f"p{n % 2}", "response": "x"} for n in range(6)]
    by_group = [call.size for call in verify_plan(samples, "majority", None, {}, Limits(2)).calls]
    by_row = [call.size for call in verify_plan(samples, "math", None, {}, Limits(2)).calls]
    assert (by_group, by_row) == ([3, 3], [2, 2, 2])


def test_a_group_over_the_limit_travels_alone_and_whole() -> None:
    batch = make_batch([{"response": "a", "group": "big" if index > 2 else "small"} for index in range(30)])
    assert groups_of(batch, Limits(10)) == [[0, 1, 2], list(range(3, 30))]


@given(
    groups=st.lists(st.integers(0, 5), max_size=40),
    most=st.integers(1, 12),
    size_bytes=st.integers(1, 400),
)
def test_chunks_hold_every_sample_once_and_keep_to_the_limits(groups: list[int], most: int, size_bytes: int) -> None:
    batch = make_batch([{"response": "x" * group, "group": str(group)} for group in groups])
    limits = Limits(most, size_bytes)
    for chunks in (runs_of(batch, limits), groups_of(batch, limits)):
        assert sorted(index for chunk in chunks for index in chunk) == list(range(len(groups)))
        assert all(chunk and chunk == sorted(chunk) for chunk in chunks)
    for chunk in runs_of(batch, limits):
        assert len(chunk) == 1 or len(chunk) <= most
        assert len(chunk) == 1 or sum(len(batch.encoded[index]) for index in chunk) <= size_bytes
    homes = [{groups[index] for index in chunk} for chunk in groups_of(batch, limits)]
    assert all(count == 1 for count in Counter(group for home in homes for group in home).values())


def test_samples_without_an_id_get_their_index_among_all(ask: Ask, service: FakeService) -> None:
    ask("verify", [Sample(response="a"), {"id": "mine"}, *[{"response": "b"}] * 20], verifier="exact")
    sent = [sample["id"] for received in service.received for sample in received.body["samples"]]
    assert sorted(sent) == sorted(["mine", *(str(index) for index in range(22) if index != 1)])


@pytest.mark.parametrize(
    "samples",
    [
        [{"id": "a"}, {"id": "b"}, {"id": "a"}],
        [{"response": "a"}, {"id": "0"}],
        [{"id": "\ud800"}, {"id": "\udfff"}],
    ],
    ids=["given", "given and index", "equal once cleaned"],
)
def test_duplicate_ids_are_refused_before_anything_is_sent(
    ask: Ask, service: FakeService, samples: list[dict[str, str]]
) -> None:
    with pytest.raises(DuplicateIds) as refusal:
        ask("verify", samples, verifier="exact")
    assert refusal.value.errors[0].field.endswith(".id")
    assert service.received == []


def test_surrogates_and_nuls_become_replacement_characters_one_for_one(ask: Ask, service: FakeService) -> None:
    bad = "a\ud800\udc00\x00b"
    samples = [
        Sample(response=bad, reference=[bad, {"k": bad}], metadata={"x": bad}),
        {"response": bad, "reference": bad, "id": bad, bad: 1},
        {"response": [{"role": "assistant", "content": bad}], "prompt": bad},
    ]
    verdicts = ask("verify", samples, verifier="exact")
    raw = service.received[0].raw.decode()
    assert "\ufffd" * 3 in raw
    assert "\\ud" not in raw
    assert [verdict.id for verdict in verdicts] == ["0", "a\ufffd\ufffd\ufffdb", "2"]
    sent = service.received[0].body["samples"]
    assert sent[1]["reference"] == sent[2]["prompt"] == "a\ufffd\ufffd\ufffdb"


def test_text_that_was_well_formed_arrives_as_it_was(ask: Ask, service: FakeService) -> None:
    text = 'é \U0001f600 \u2028 "\\ \n\t \ufffd'
    ask("verify", [{"response": text}], verifier="exact", run=text)
    assert service.received[0].body["samples"][0]["response"] == text
    assert service.received[0].body["run"] == text


@given(st.text(st.characters(), max_size=20))
def test_cleaning_keeps_the_length_and_is_encodable(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned) == len(text)
    cleaned.encode()
    assert "\x00" not in cleaned


@pytest.mark.parametrize(
    ("sample", "field"),
    [
        ({"response": 5}, "samples.1.response"),
        ({"reference": float("nan")}, "samples.1.reference"),
        ({"metadata": {"x": float("inf")}}, "samples.1.metadata"),
        ({"metadata": {"x": object()}}, "samples.1.metadata"),
        ({"unknown": object()}, "samples.1"),
        ({"tokens": -1}, "samples.1.tokens"),
        ("text", "samples.1"),
    ],
)
def test_a_sample_that_cannot_be_written_is_named(ask: Ask, service: FakeService, sample: Any, field: str) -> None:
    with pytest.raises(InvalidRequest, match="Nothing was sent") as refusal:
        ask("verify", [{"response": "fine"}, sample], verifier="exact")
    assert refusal.value.errors[0].field.startswith(field)
    assert service.received == []


def test_a_number_that_json_has_not_is_said_so_whichever_field_has_it(ask: Ask) -> None:
    for field in ("reference", "metadata"):
        given = float("nan") if field == "reference" else {"x": float("inf")}
        with pytest.raises(InvalidRequest, match=rf"samples\.0\.{field}: NaN or infinity"):
            ask("verify", [{"response": "a", field: given}], verifier="exact")


@pytest.mark.parametrize("one", [{"response": "a"}, Sample(response="a"), "a", b"a"])
def test_one_sample_is_no_list_of_samples(ask: Ask, service: FakeService, one: Any) -> None:
    with pytest.raises(InvalidRequest, match="samples is a list of samples, not a"):
        ask("verify", one, verifier="exact")
    assert service.received == []


def test_deep_nesting_is_refused_not_crashed_on(client: Client) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TruewardError):
        client.verify([{"reference": deep}], verifier="exact")


def test_parameters_that_json_cannot_say_are_refused(client: Client) -> None:
    with pytest.raises(InvalidRequest, match="params"):
        client.verify([], verifier="exact", params={"x": float("nan")})
    with pytest.raises(InvalidRequest, match="params"):
        client.verify([{}], verifier="exact", params={"x": object()})  # type: ignore[dict-item]


def test_an_empty_batch_is_an_empty_answer(ask: Ask) -> None:
    assert ask("verify", [], verifier="exact") == []
    answer = ask("reward", [], recipe="math")
    assert answer.rewards == []
    assert answer.recipe == "sha256:r"


def test_samples_may_come_from_a_generator(ask: Ask) -> None:
    assert len(ask("verify", ({"response": str(index)} for index in range(15)), verifier="exact")) == 15


def test_the_whole_request_arrives_as_it_was_meant(ask: Ask, service: FakeService) -> None:
    ask(
        "verify",
        [Sample(id="a", prompt="p", response="r", reference=["x", 1], group="g", tokens=3)],
        verifier="exact",
        params={"a": [1, None]},
        run="r1",
        step=12,
        policy="v12",
        split="eval",
    )
    assert service.received[0].body == {
        "verifier": "exact",
        "params": {"a": [1, None]},
        "run": "r1",
        "step": 12,
        "policy": "v12",
        "split": "eval",
        "samples": [{"id": "a", "prompt": "p", "response": "r", "reference": ["x", 1], "group": "g", "tokens": 3}],
    }
    assert json.loads(service.received[0].raw) == service.received[0].body


def test_numbers_and_arrays_of_numpy_travel_as_pythons(client: Client, service: FakeService) -> None:
    sample: dict[str, Any] = {
        "response": "a",
        "reference": np.str_("a"),
        "metadata": {"step": np.int64(3), "share": np.float32(0.5), "ids": np.array([[1, 2]]), "right": np.bool_(True)},
    }
    client.verify([sample], verifier="exact")
    [sent] = service.received[0].body["samples"]
    assert sent["metadata"] == {"step": 3, "share": 0.5, "ids": [[1, 2]], "right": True}
