"""Plug-ins of every kind, really installed: in a service, in audits, in a training; and broken ones."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.plugin_kinds import KINDS
from app.protocols.trainers.contract import BUILT_IN
from tests.app.audits.carried import audited
from tests.brought import PACKAGE, install
from tests.judges.remote.fake import Fake
from tests.judges.remote.fake import serving as served
from tests.live import COMMAND, serving
from tests.openapi import paths

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
GROUPS = re.findall(r'entry-points\."(trueward\.\w+)"', (PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))
FILES = sorted(path for path in (PACKAGE / "src/brought").rglob("*.py") if path.name != "__init__.py")
LONG = "x" * 2_001
FORM = {"tags": ["answer"]}
RECIPE = {
    "terms": [{"verifier": "math"}, {"verifier": "exact"}, {"verifier": "format", "params": FORM}],
    "combine": {"method": "median"},
    "shaping": [{"method": "late_answer", "share": 0.25}],
    "group": {"rules": [{"rule": "enough_judged", "share": 0.75}]},
}
TRAINING = """
import torch
from trueward_trainer.advantages import Scored, advantages
from trueward_trainer.batch import Batch
from trueward_trainer.config import Update
from trueward_trainer.losses import LossConfig, find, needs_whole_groups

update = Update(loss="imitation", advantages="centred")
scored = Scored([1.0, 0.0, None], [0, 1, 2], torch.ones(3, 2))
gains = advantages(update.advantages, scored)
assert gains.values.tolist() == [[0.5, 0.5], [-0.5, -0.5], [0.0, 0.0]], gains.values
logp = torch.tensor([[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]], requires_grad=True)
batch = Batch(ids=torch.zeros(3, 2, dtype=torch.long), mask=scored.mask, logp_old=logp.detach(),
              advantages=gains.values, group=torch.tensor([0, 1, 2]))
result = find(update.loss)(logp, batch, LossConfig())
assert float(result.loss) == 3 / 6 and not needs_whole_groups("imitation"), result
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="module")
def http(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    data_dir = tmp_path_factory.mktemp("plugged")
    with (
        serving(data_dir, prefix=["env", f"PYTHONPATH={path_with(installed)}"], sandbox="brought", workers="1") as live,
        httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as client,
    ):
        yield client


def path_with(folder: Path) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def rewarded(http: httpx2.Client, *samples: dict[str, Any]) -> dict[str, Any]:
    answer = http.post("/v1/rewards", json={"recipe": RECIPE, "samples": samples})
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


def test_a_recipe_prices_by_a_shaping_a_combination_and_a_group_rule_of_a_plug_in(http: httpx2.Client) -> None:
    short = {"prompt": "q", "response": "\\boxed{1/2}", "reference": "1/2"}
    late = short | {"response": f"{LONG} \\boxed{{1/2}}"}
    judged, priced_late = rewarded(http, short, late)["rewards"]
    # math and exact say 1, format 0: their median, where a sum would be 2
    assert (judged["reward"], priced_late["reward"]) == (1.0, 0.75)
    assert judged["kept"]
    dropped = rewarded(http, short, short | {"reference": None})
    assert [one["kept"] for one in dropped["rewards"]] == [False, False]
    assert [group["reason"] for group in dropped["groups"]] == ["too_few_judged"]


def test_a_recipe_that_names_what_nobody_brings_is_refused_at_its_place(http: httpx2.Client) -> None:
    recipe = RECIPE | {"shaping": [{"method": "nowhere"}]}
    answer = http.post("/v1/rewards", json={"recipe": recipe, "samples": [{"response": "1", "reference": "1"}]})
    assert answer.status_code == 422
    assert "late_answer" in answer.text, "the names that there are include those of plug-ins"


def test_audits_attack_and_rewrite_with_what_a_plug_in_brings(http: httpx2.Client) -> None:
    samples = [{"prompt": "1 + 1?", "response": "\\boxed{2}", "reference": "2"}]
    subject = {"verifier": "math"}
    attack = audited(
        http, {"kind": "exploit", "subject": subject, "given": {"samples": samples}, "probes": ["agreeing"]}
    )
    assert attack["state"] == "completed", attack
    assert "agreeing" in json.dumps(attack["report"])
    rewrite = {
        "kind": "metamorphic",
        "subject": subject,
        "given": {"samples": samples},
        "transformations": ["in_words"],
    }
    rewritten = audited(http, rewrite)
    assert rewritten["state"] == "completed", rewritten
    assert "in_words" in json.dumps(rewritten["report"])


def test_an_audit_of_a_plug_in_is_carried_out_and_shown(http: httpx2.Client) -> None:
    samples = [{"prompt": "1 + 1?", "response": f"\\boxed{{{number}}}", "reference": "2"} for number in (2, 3)]
    spec = {"kind": "plugin", "plugin": "repeatability", "subject": {"verifier": "math"}, "params": {"times": 3}}
    found = audited(http, {**spec, "given": {"samples": samples}})
    assert found["state"] == "completed", found
    assert found["report"]["findings"] == {"judged": 2, "changed": 0}
    assert found["spec"]["plugin"] == "repeatability"
    for page in (f"/v1/audits/{found['id']}/report", f"/ui/audits/{found['id']}", "/ui/audits"):
        shown = http.get(page)
        assert shown.status_code == 200, page
    assert "repeatability" in http.get(f"/v1/audits/{found['id']}/report").text


def test_an_audit_that_no_plug_in_brings_is_refused(http: httpx2.Client) -> None:
    for name in ("nowhere", "labelled"):
        spec = {"kind": "plugin", "plugin": name, "subject": {"verifier": "math"}}
        refused = http.post("/v1/audits", json={"audit": spec})
        assert refused.status_code == 422
        assert [problem["field"] for problem in refused.json()["errors"]] == ["audit.plugin"]
        assert "repeatability" in refused.json()["detail"]


async def test_a_model_of_another_server_is_asked_in_the_protocol_of_a_plug_in(http: httpx2.Client) -> None:
    said = {"message": {"content": "four"}, "prompt_eval_count": 7, "eval_count": 1, "done_reason": "stop"}
    fake = Fake().on("/api/chat", lambda _: said).on("/api/tags", lambda _: {"models": []})
    async with served(fake) as url:

        def asked() -> tuple[httpx2.Response, httpx2.Response]:
            entry = {"name": "llama", "kind": "causal", "backend": "ollama", "url": url, "served_name": "llama3"}
            added = http.post("/v1/models", json=entry)
            assert added.is_success, added.text
            generate = {"kind": "generate", "prompt": "2 + 2?", "max_tokens": 4}
            read = {"kind": "classify", "text": "2 + 2 = 4"}
            answers = [http.post("/v1/models/llama/ask", json={"question": one}) for one in (generate, read)]
            return answers[0], answers[1]

        written, refused = await asyncio.to_thread(asked)
    assert written.json()["text"] == "four", written.text
    assert fake.bodies("/api/chat")[0]["messages"] == [{"role": "user", "content": "2 + 2?"}]
    assert "writes: it can be asked nothing else" in refused.text


def test_a_backend_that_nobody_brings_is_refused(http: httpx2.Client) -> None:
    entry = {"name": "lost", "kind": "causal", "backend": "nowhere", "url": "http://127.0.0.1:9"}
    refused = http.post("/v1/models", json=entry)
    assert refused.status_code == 422
    assert [(problem["field"], problem["code"]) for problem in refused.json()["errors"]] == [
        ("backend", "unknown_backend")
    ]
    assert "ollama" in refused.json()["detail"]


def test_a_preset_of_a_plug_in_is_in_the_list(http: httpx2.Client) -> None:
    assert "brevity" in http.get("/v1/presets").text


def test_programs_run_in_a_sandbox_of_a_plug_in(http: httpx2.Client) -> None:
    sample = {
        "response": "```python\nprint(input())\n```",
        "reference": {"stdio": [{"stdin": "4\n", "stdout": "4\n"}]},
    }
    answer = http.post("/v1/verify", json={"verifier": "code", "samples": [sample]})
    assert [verdict["outcome"] for verdict in answer.json()["verdicts"]] == ["correct"], answer.text


def test_a_trainer_is_answered_in_the_protocol_of_a_plug_in(http: httpx2.Client) -> None:
    asked = {"question": "1 + 1?", "answers": ["\\boxed{2}", "\\boxed{3}"], "gold": "2"}
    answer = http.post("/t/math/quiz?run=quiz", json=asked)
    assert answer.json() == {"rewards": [1.0, 0.0], "missing": [False, False]}
    lost = http.post("/t/math/quiz", json=asked | {"gold": None}).json()
    assert lost["missing"] == [True, True]
    assert len(set(lost["rewards"])) == 1
    refused = http.post("/t/math/quiz", json={"question": "1 + 1?"})
    assert refused.status_code == 422
    assert [problem["field"] for problem in refused.json()["errors"]] == ["answers"]
    assert "/t/{recipe}/quiz" in http.get("/openapi.json").json()["paths"]


def test_the_names_of_built_in_protocols_are_taken() -> None:
    routes = {path.split("/")[3] for path in paths() if path.startswith("/t/{recipe}/")}
    assert routes == BUILT_IN


def test_a_training_takes_advantages_and_a_loss_of_a_plug_in(installed: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", TRAINING],
        env={**os.environ, "PYTHONPATH": path_with(installed)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr


def test_a_broken_plug_in_of_any_kind_costs_nothing_and_the_doctor_names_it(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    points = "\n".join(f'[project.entry-points."{group}"]\nfaulty = "faulty:thing"\n' for group in GROUPS)
    build = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    head = '[project]\nname = "faulty"\nversion = "1"\n'
    (package / "pyproject.toml").write_text(
        f'{build}{head}{points}[tool.hatch.build.targets.wheel]\npackages = ["faulty.py"]\n'
    )
    (package / "faulty.py").write_text("thing = 7\n")
    folder = install(tmp_path / "installed", package)
    environment = {**os.environ, "PYTHONPATH": path_with(folder), "TRUEWARD_DATA_DIR": str(tmp_path)}
    told = subprocess.run([COMMAND, "doctor", "--json"], env=environment, capture_output=True, text=True)
    assert told.returncode == 1, told.stderr
    findings = {finding["check"]: finding for finding in json.loads(told.stdout)}
    assert not findings["verifiers"]["ok"]
    assert findings["plug-ins"]["detail"].count("faulty (faulty): 7 is not") == len(KINDS)
    judged = subprocess.run(
        [COMMAND, "verify", "--verifier", "math", "--response", "\\boxed{2}", "--reference", "2"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert judged.returncode == 0, judged.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_page_shows_each_kind_to_the_letter_in_under_thirty_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert f"```python\n{text}```" in PAGE
    for part in re.split(r"\n\n\n(?=class |def )", text):
        assert len([line for line in part.splitlines() if line.strip()]) < 30


def test_the_page_names_every_group_of_entry_points() -> None:
    assert [group for group in GROUPS if f"`{group}`" not in PAGE] == []
