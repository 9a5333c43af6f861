"""Every preset end to end: POST /v1/verify, a scripted judge over a socket, a verdict with a score."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import httpx2
import pytest

from judges import presets
from tests.judges.openai_server import JudgeServer, Request, Scripted
from tests.judges.presets.render import Row, row_of, sample_of, verifier_name
from tests.judges.service.conftest import registered
from tests.live import Service
from tests.services import PRESET
from trueward import Client

Served = tuple[Client, JudgeServer]


@pytest.fixture(scope="module")
def served(keyless: Service) -> Iterator[Served]:
    with (
        JudgeServer(lambda request: "not asked yet") as server,
        Client(keyless.url) as client,
        registered(client, server.entry("judge")),
    ):
        yield client, server


def said(row: Row, labels: list[str]) -> Scripted:
    if row.reply is not None:
        return Scripted(json.dumps(row.reply))
    assert row.chances is not None
    likely = {label: math.log(chance) for label, chance in zip(labels, row.chances, strict=True)}
    return Scripted(max(likely, key=lambda label: likely[label]), alternatives=[likely])


def labels_of(preset: str) -> list[str]:
    """What a preset reads as the next token: the labels with a value, or the two that are compared."""
    values = presets.find(preset).head.judgement.get("values")
    return [*values] if isinstance(values, dict) else ["A", "B"]


@pytest.mark.parametrize("name", presets.names())
def test_a_preset_runs_end_to_end(served: Served, name: str) -> None:
    client, server = served
    row, asked = row_of(name), list[Request]()

    def reply(request: Request) -> Scripted:
        asked.append(request)
        return said(row, labels_of(name))

    server.reply = reply
    params = {**row.params, "preset": name}
    [verdict] = client.verify([sample_of(name)], verifier=verifier_name(name), params=params)
    assert verdict.score is not None, f"{verdict.reason_code}: {verdict.reason}"
    assert verdict.outcome != "invalid"
    assert asked
    if row.reply is not None:
        assert asked[0]["response_format"]["type"] == "json_schema"
    assert verdict.producer is not None
    assert f"-{name}-" in verdict.producer.version


def test_a_preset_of_one_s_own_runs_where_the_setting_names_its_folder(served: Served) -> None:
    client, server = served
    server.reply = lambda request: '{"verdict": "yes"}'
    [verdict] = client.verify([sample_of("correctness")], verifier="judge", params={"preset": PRESET})
    assert (verdict.outcome, verdict.score) == ("scored", 1.0)
    listed = httpx2.get(f"{client.url}/v1/presets").json()["presets"]
    assert PRESET in [one["name"] for one in listed]
