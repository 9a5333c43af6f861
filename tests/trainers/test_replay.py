"""The example that a user runs: every trainer's client against one live service, also while that is started anew."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
import torch
from transformers import AutoTokenizer

from tests.judges.engine.plain import Plain
from tests.judges.tiny import Tiny
from tests.live import Service, free_port, serving

SCRIPT = Path(__file__).parents[2] / "examples/replay.py"
ZEROS = {"right": 1.0, "wrong": 0.0, "empty": 0.0, "hostile": 0.0}
MEAN = 0.25
"""Of these: what a missing score is told as, where it has to be a number."""
TOLD = {  # the number for a missing score, and whether the client is told that it is missing
    "openrlhf": (MEAN, True),
    "slime": (MEAN, None),
    "slime/object": (MEAN, True),
    "roll": (MEAN, True),
    "llama-factory": (0.0, None),
    "nemo-gym": (MEAN, True),
    "prime verifiers": (MEAN, None),
    "eval-protocol": (MEAN, True),
    "openai graders": (0.0, True),
    "open-instruct stdio": (0.0, None),
    "open-instruct assertions": (0.0, None),
    "sandbox-fusion (verl)": (0.0, False),
}
ALONE = ("vllm classify (verl)", "vllm pooling", "sglang embeddings (verl)", "sglang classify", "tei predict")
PAIRS = ("vllm score", "tei rerank")


def replaying(url: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, SCRIPT, "--url", url, "--json", *arguments], stdout=subprocess.PIPE, text=True
    )


def result(replay: subprocess.Popen[str]) -> dict[str, Any]:
    said, _ = replay.communicate(timeout=180)
    rows: dict[str, Any] = json.loads(said)
    assert replay.returncode == 0, rows
    return rows


def rewards(row: dict[str, Any]) -> dict[str, float]:
    return {name: heard["reward"] for name, heard in row["heard"].items()}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    torch.set_num_threads(1)
    return Tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def live(keyless: Service, tiny: Tiny) -> str:
    """With the reward model ``rm``, which prefers answers that have a reason, and the model ``lm``."""
    for name, kind, path in (("rm", "reward", tiny.preferring()), ("lm", "causal", tiny.causal("llama"))):
        entry = {"name": name, "kind": kind, "path": str(path)}
        assert httpx2.post(f"{keyless.url}/v1/models", json=entry).status_code == 201
    return keyless.url


def test_every_client_hears_what_its_samples_are_worth(live: str) -> None:
    rows = result(replaying(live, "--reward-model", "rm", "--causal-model", "lm"))
    assert rows.keys() == {*TOLD, *ALONE, *PAIRS, "slime distillation"}
    for name, (number, missing) in TOLD.items():
        assert rewards(rows[name]) == pytest.approx({**ZEROS, "missing": number}), name
        assert rows[name]["heard"]["missing"]["missing"] is missing, name
        assert not any(rows[name]["heard"][task]["missing"] for task in ZEROS), name
    for names in (ALONE, PAIRS):
        first = rewards(rows[names[0]])
        assert first["right"] > first["wrong"]
        assert all(rewards(rows[name]) == pytest.approx(first, abs=1e-4) for name in names)
    told = rewards(rows["slime distillation"])
    assert told["empty"] == 0 > told["wrong"] > told["right"] > told["hostile"]
    assert not any(row["again"] for row in rows.values())


def test_a_teacher_s_log_probabilities_are_those_of_transformers(live: str, tiny: Tiny) -> None:
    """Of tokens that no tokenizer makes of a text: a control token, then the alphabet backwards."""
    path = tiny.causal("llama")
    words = AutoTokenizer.from_pretrained(path)
    ids = [words.eos_token_id, *(words.convert_tokens_to_ids(letter) for letter in "zyxwvu"), words.eos_token_id]
    sampling = {"temperature": 0.5, "max_new_tokens": 0, "skip_special_tokens": False}
    body = {"input_ids": ids, "sampling_params": sampling, "return_logprob": True, "logprob_start_len": 0}
    told = httpx2.post(f"{live}/generate", json=body, timeout=60).json()["meta_info"]["input_token_logprobs"]
    assert [token for _, token, _ in told] == ids
    assert (told[0][0], {text for _, _, text in told}) == (None, {None})
    assert [logprob for logprob, _, _ in told[1:]] == pytest.approx(
        Plain("causal", path).log_probabilities(ids, 1), abs=1e-4
    )
    outside = httpx2.post(f"{live}/generate", json={**body, "input_ids": [1, len(words)]}, timeout=60)
    assert (outside.status_code, "tokens" in outside.json()["error"]["message"]) == (400, True)
    longer = httpx2.post(f"{live}/generate", json={**body, "input_ids": [1] * 100_000}, timeout=60)
    assert (longer.status_code, "too long" in longer.json()["error"]["message"]) == (400, True)


def until_rendered(url: str, protocol: str, replay: subprocess.Popen[str]) -> None:
    """Until a client of the protocol has heard of a missing score, the last task of a round."""
    while f'trueward_rendered_missing_total{{protocol="{protocol}"}}' not in httpx2.get(f"{url}/metrics").text:
        assert replay.poll() is None
        time.sleep(0.02)


def test_a_restart_loses_nothing_and_holds_those_that_never_try_again(tmp_path: Path) -> None:
    port = free_port()
    quick = ("slime", "slime/object", "nemo-gym")
    with serving(tmp_path, port=port) as first:
        url = first.url
        replay = replaying(url, "--only", ",".join(("roll", *quick)), "--until-restart")
        for name in ("roll", "slime", "nemo_gym"):
            until_rendered(url, name, replay)
        first.process.kill()
        first.process.wait()
    with serving(tmp_path, port=port) as second:
        rows = result(replay)
        assert rows.keys() == {"roll", *quick}
        for name, row in rows.items():
            assert {**rewards(row), "missing": 0.0} == {**ZEROS, "missing": 0.0}, name
        assert all(row["again"] for row in rows.values()), rows

        def tested(number: int) -> Any:
            program = f"import time\ntime.sleep(1)\nprint(int(input()) + {number % 2})"
            tests = [{"input": "1\n", "output": "2\n"}]
            body = {"program": program, "tests": tests, "max_execution_time": 5.0}
            return httpx2.post(f"{url}/test_program_stdio", json=body, timeout=60).json()["results"]

        with ThreadPoolExecutor(4) as threads:
            waiting = [threads.submit(tested, number) for number in range(4)]
            time.sleep(0.5)
            second.process.terminate()
            assert [one.result() for one in waiting] == [[0], [1], [0], [1]]
        assert second.process.wait(timeout=30) is not None
