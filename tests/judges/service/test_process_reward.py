"""Process reward models through a service: every way to ask one, and every aggregate, against plain transformers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest
import torch
from safetensors.torch import load_file

from tests.judges.service import by_hand
from tests.judges.service.by_hand import (
    QUESTION,
    TOLERANCE,
    messages,
    numbers,
    samples,
    scores,
    softmax,
    spans,
    tokens,
    turns,
)
from tests.judges.service.conftest import Add
from tests.judges.tiny import Tiny
from trueward import Client, Verdict

STEPS = ("Add 10 to 30, größer als null.", "That gives 40 🙂, and 2 more are 42.", "So \\boxed{42}.")
RESPONSE = "\n\n".join(STEPS)
MARK = "<extra_0>"


def judged(client: Client, *responses: str, metadata: object = None, **params: object) -> list[Verdict]:
    some = samples(*responses, metadata=metadata)
    return client.verify(some, verifier="process_reward", params=params)  # type: ignore[arg-type]


def at_marks(path: Path, steps: Sequence[str]) -> list[list[float]]:
    """Rows at the separators: one follows every step."""
    ids = tokens(path, by_hand.rendered(path, turns(QUESTION, "".join(step + MARK for step in steps))))
    found: list[list[float]] = by_hand.plain("process", path).logits(ids)[_marks(path, ids)].tolist()
    return found


def _marks(path: Path, ids: Sequence[int]) -> list[int]:
    mark = by_hand.token(path, MARK)
    return [place for place, one in enumerate(ids) if one == mark]


@cache
def right(path: Path) -> list[float]:
    return [softmax(row, 1) for row in at_marks(path, STEPS)]


def test_a_separator_after_every_step(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.steps("qwen2")
    model = add("separator", "process", path)
    [found] = judged(client, RESPONSE, model=model, wrong_below=0.4)
    assert found.evidence["step_scores"] == pytest.approx(right(path), abs=TOLERANCE)
    assert [RESPONSE[a:b] for a, b in spans(found, "step_spans")] == [*STEPS]
    assert found.score == pytest.approx(min(right(path)), abs=TOLERANCE)
    wrong = [place for place, p in enumerate(right(path)) if p < 0.4]
    assert found.evidence["first_error"] == (wrong[0] if wrong else -1)


def test_every_aggregate(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.steps("qwen2")
    add("separator", "process", path)
    p = right(path)
    odds = [one / (1 - one) for one in p]
    wanted = {
        "min": min(p),
        "product": math.prod(p),
        "mean": fmean(p),
        "geometric_mean": math.prod(p) ** (1 / 3),
        "last": p[-1],
        "sum": sum(p),
        "sum_of_logs": sum(map(math.log, p)),
        "mean_logit": 1 / (1 + math.exp(-fmean(map(math.log, odds)))),
        "mean_odds": fmean(odds),
    }
    for aggregate, value in wanted.items():
        [found] = judged(client, RESPONSE, model="separator", aggregate=aggregate)
        assert found.score == pytest.approx(value, rel=1e-3, abs=TOLERANCE), aggregate
    [signed] = judged(client, RESPONSE, model="separator", signed=True)
    assert signed.evidence["step_scores"] == pytest.approx([2 * one - 1 for one in p], abs=2 * TOLERANCE)


def test_steps_are_split_as_asked(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.steps("qwen2")
    add("separator", "process", path)
    given = [[0, 5], [6, len(RESPONSE)]]
    cases: list[tuple[str, list[str], dict[str, object]]] = [
        (
            "Step 1: add.\nStep 2: divide.\nso it is",
            ["Step 1: add.", "Step 2: divide.\nso it is"],
            {"split": "numbered"},
        ),
        ("one;two ; three", ["one", "two", "three"], {"split": "marker", "marker": ";"}),
        (RESPONSE, [RESPONSE[a:b] for a, b in given], {"split": "given", "metadata": {"steps": given}}),
    ]
    for response, steps, params in cases:
        [found] = judged(client, response, model="separator", **params)
        wanted = [softmax(row, 1) for row in at_marks(path, steps)]
        assert found.evidence["step_scores"] == pytest.approx(wanted, abs=TOLERANCE), params


def test_separators_that_a_policy_writes_make_no_step(client: Client, add: Add, tiny: Tiny) -> None:
    add("separator", "process", tiny.steps("qwen2"))
    [found] = judged(client, f"Add 10.{MARK}{MARK}\n\nSo 42.{MARK}", model="separator")
    assert (found.outcome, len(numbers(found, "step_scores"))) == ("scored", 2)


def test_the_head_of_qwens_process_reward_model(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.process_reward()
    model = add("qwen-prm", "process", path)
    tensors = load_file(path / "model.safetensors")
    ids = tokens(path, by_hand.rendered(path, turns(QUESTION, "".join(step + MARK for step in STEPS))))
    states = by_hand.plain("base", path).states(ids)[_marks(path, ids)]
    inner = torch.relu(states @ tensors["score.0.weight"].T + tensors["score.0.bias"])
    rows = inner @ tensors["score.2.weight"].T + tensors["score.2.bias"]
    [found] = judged(client, RESPONSE, model=model)
    assert found.evidence["step_scores"] == pytest.approx(rows.softmax(-1)[:, 1].tolist(), abs=TOLERANCE)


def test_a_choice_between_two_tokens_at_a_tag(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.causal("llama")
    style = {"style": "choices", "separator": "@", "choices": ["+", "-"], "joint": " "}
    model = add("shepherd", "process", path, steps=style)
    content, rows = "", []
    for step in STEPS:
        content += step + " @"
        # what follows a position says nothing of it
        closed = by_hand.rendered(path, turns(QUESTION, content)).partition(content)[0] + content
        rows.append(by_hand.next_token(path, closed, ["+", "-"]))
    [found] = judged(client, RESPONSE, model=model)
    assert found.evidence["step_scores"] == pytest.approx([softmax(row, 0) for row in rows], abs=TOLERANCE)


def test_a_head_at_every_steps_last_token(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.steps("qwen2")
    model = add("last-token", "process", path, steps={"style": "last_token", "joint": "\n\n"})
    lead = by_hand.rendered(path, turns(QUESTION, RESPONSE)).partition(RESPONSE)[0]
    ids = tokens(path, by_hand.rendered(path, turns(QUESTION, RESPONSE)))
    ends = [len(tokens(path, lead + "\n\n".join(STEPS[:n]))) for n in (1, 2, 3)]
    rows = by_hand.plain("process", path).logits(ids)[[end - 1 for end in ends]].tolist()
    [found] = judged(client, RESPONSE, model=model)
    assert found.evidence["step_scores"] == pytest.approx([softmax(row, 1) for row in rows], abs=TOLERANCE)


def test_implicit_rewards_of_two_causal_models(client: Client, add: Add, tiny: Tiny) -> None:
    paths = tiny.causal("qwen2", seed=1), tiny.causal("qwen2")
    moving, fixed = (add(name, "causal", path) for name, path in zip(("moving", "fixed"), paths, strict=True))
    one, other = (by_hand.forced(path, turns(QUESTION), "", RESPONSE) for path in paths)
    wanted = [0.05 * (a - b) for a, b in zip(one, other, strict=True)]
    [found] = judged(client, RESPONSE, model=moving, reference_model=fixed)
    assert found.evidence["token_scores"] == pytest.approx(wanted, abs=TOLERANCE)
    assert found.score == pytest.approx(sum(wanted), abs=TOLERANCE)
    assert found.evidence["probability"] == pytest.approx(1 / (1 + math.exp(-sum(wanted))), abs=TOLERANCE)
    assert sum(numbers(found, "step_scores")) == pytest.approx(sum(wanted), abs=TOLERANCE)
    assert found.evidence["weights"] == {"moving": 0, "fixed": 0}
    covered = [RESPONSE[a:b] for a, b in spans(found, "token_spans")]
    assert "".join(covered).replace("ö", "").startswith("Add 10 to 30, gr")


def test_the_best_of_several_responses_by_their_steps(client: Client, add: Add, tiny: Tiny) -> None:
    add("separator", "process", tiny.steps("qwen2"))
    candidates = samples(RESPONSE, "It is 42.", "Step one.\n\nNo.", "Yes, that is right.\n\nThe sum is 42.")
    params = {"model": "separator", "aggregate": "mean"}
    found = client.select(candidates, method="best_of", verifier="process_reward", params=params)
    said = scores(client.verify(candidates, verifier="process_reward", params=params))
    assert found.chosen == str(said.index(max(said)))


def test_a_trajectorys_turns_are_steps(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.steps("qwen2")
    add("separator", "process", path)
    [sample] = samples("")
    said = messages(turns("", "Let me look.", "40 it says", "So it is 42."))[1:]
    [found] = client.verify(
        [sample.model_copy(update={"response": said})],
        verifier="process_reward",
        params={"model": "separator", "split": "turns"},
    )
    wanted = [softmax(row, 1) for row in at_marks(path, ["Let me look.", "So it is 42."])]
    assert found.evidence["step_scores"] == pytest.approx(wanted, abs=TOLERANCE)
