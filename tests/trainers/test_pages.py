"""What the trainers' pages print is what the trainers read: their own parsers take every word of a whole run.

The trainers' code is that of ``.venv-trainers`` (:mod:`tests.trainers.packages.configurations`); where a trainer cannot
be installed, ``contracts`` has what it reads as data, with its source and date.
"""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.trainers.printed import arguments, blocks

HERE = Path(__file__).parent
PYTHON = Path(__file__).parents[2] / ".venv-trainers/bin/python"

pytestmark = pytest.mark.trainer

Refusals = Callable[[str, list[str]], list[str]]


@pytest.fixture
def refusals(tmp_path: Path) -> Refusals:
    """What a trainer refuses of some arguments."""
    if not PYTHON.exists():
        pytest.fail("the plug-ins' environment .venv-trainers is missing: make it with `make trainers`")

    def run(trainer: str, given: list[str]) -> list[str]:
        file = tmp_path / "arguments.txt"
        file.write_text("\n".join(given), encoding="utf-8")
        done = subprocess.run(
            [PYTHON, HERE / "packages/configurations.py", trainer, file],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
        assert done.returncode == 0, done.stderr[-4000:]
        found: list[str] = json.loads(done.stdout.splitlines()[-1])
        return found

    return run


def command(page: str, after: str) -> list[str]:
    return arguments("\n".join(blocks(page, "bash")), after)


def overrides(words: list[str]) -> list[str]:
    """Without ``--config FILE``, which the trainers' own examples are."""
    return [word for place, word in enumerate(words) if word != "--config" and words[place - 1] != "--config"]


CASES = {
    "verl": ("verl", "verl.trainer.main_ppo", "trainer.nothing=1"),
    "skyrl": ("skyrl", "main_trueward", "trainer.nothing=1"),
    "openrlhf": ("openrlhf", "openrlhf.cli.train_ppo_ray", "--reward.nothing"),
    "areal": ("areal", "train.py", "actor.optimizer.nothing=1"),
    "ms-swift": ("ms-swift", "rlhf", "--nothing_at_all"),
}
"""Page, the word that the arguments follow, and one that no trainer knows."""


@pytest.mark.parametrize("trainer", CASES)
def test_a_trainer_takes_every_argument_of_its_page(trainer: str, refusals: Refusals) -> None:
    page, after, unknown = CASES[trainer]
    given = overrides(command(page, after))
    assert len(given) > 10
    assert refusals(trainer, given) == []
    refused = refusals(trainer, [*given, unknown])
    assert len(refused) == 1
    assert unknown.removeprefix("--") in refused[0]


def test_verl_takes_what_names_our_reward_manager(refusals: Refusals) -> None:
    text = (HERE.parents[1] / "docs/trainers/verl.md").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("reward.num_workers=1")]
    assert refusals("verl", line.split()) == []


def test_skyrl_s_old_name_of_a_strategy_is_not_on_the_page(refusals: Refusals) -> None:
    assert refusals("skyrl", ["trainer.strategy=fsdp2"]) == ["trainer.strategy=fsdp2"]


def test_llama_factory_takes_every_key_of_its_page(refusals: Refusals) -> None:
    keys = [f"--{key}" for key in yaml.safe_load(blocks("llama-factory", "yaml")[-1])]
    assert "--reward_model_type" in keys
    assert refusals("llama-factory", keys) == []
    assert refusals("llama-factory", [*keys, "--nothing_at_all"]) == ["nothing_at_all"]


@pytest.mark.parametrize("page", ["skyrl", "areal", "ms-swift", "verl"])
def test_what_a_page_imports_of_a_trainer_is_there(page: str, refusals: Refusals) -> None:
    for code in blocks(page, "python"):
        assert refusals("imports", code.splitlines()) == []


def test_an_import_that_is_not_there_is_found(refusals: Refusals) -> None:
    gone = "from skyrl.train.entrypoints.main_base import BasePPOExp, Nothing"
    assert refusals("imports", [gone]) == ["skyrl.train.entrypoints.main_base.Nothing"]


def test_trl_builds_its_configuration_of_its_page(tmp_path: Path) -> None:
    python = HERE.parents[1] / ".venv-trl/bin/python"
    if not python.exists():
        pytest.fail("the trainers' environment .venv-trl is missing: make it with `make trl`")
    (code,) = blocks("trl", "python")
    for text, built in ((code, True), (code.replace("loss_type=", "nothing="), False)):
        file = tmp_path / "train.py"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [python, HERE / "packages/trl_page.py", file], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert (done.stdout.strip() == "GRPOConfig") is built, done.stderr[-2000:]


def contract(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"contracts/{name}.json").read_text(encoding="utf-8"))
    assert found["source"]
    assert found["read"]
    return found


def unknown_keys(table: dict[str, Any], known: dict[str, Any], path: str = "") -> Iterator[str]:
    for key, value in table.items():
        named = known["tables"][path]
        place = f"{path}.{'*' if named == ['*'] else key}".lstrip(".")
        if key not in named and named != ["*"]:
            yield place
        elif place not in known["elsewhere"]:
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    yield from unknown_keys(inner, known, place)


def test_prime_rl_knows_every_key_of_its_page() -> None:
    known = contract("prime-rl")
    (text,) = blocks("prime", "toml")
    assert list(unknown_keys(tomllib.loads(text), known)) == []
    before = text.replace("[[orchestrator.train.source]]", "[[orchestrator.train.env]]")
    assert list(unknown_keys(tomllib.loads(before), known)) == ["orchestrator.train.env"]


def test_roll_knows_every_key_of_its_page() -> None:
    known = contract("roll")
    (text,) = blocks("roll", "yaml")
    written = yaml.safe_load(text)
    assert written["rewards"]["math"]["worker_cls"] == "trueward_worker.Worker"
    assert list(unknown_keys(written, known)) == []
    assert list(unknown_keys({"reward_system_config": {}}, known)) == ["reward_system_config"]


def test_nemo_rl_knows_every_key_of_its_page() -> None:
    known = contract("nemo-rl")
    (text,) = blocks("nemo-rl", "yaml")
    written = yaml.safe_load(text)
    assert written["data"]["default"]["env_name"] in written["env"]
    assert list(unknown_keys(written, known)) == []
    assert list(unknown_keys({"data": {"default": {"environment": "x"}}}, known)) == ["data.default.environment"]


def gym_defects(written: dict[str, Any], known: dict[str, Any]) -> Iterator[str]:
    """What NeMo Gym's configuration classes would refuse, by the contract."""
    there = {(kind, name) for kind, names in known["given"].items() for name in names}
    there |= {(kind, name) for name, types in written.items() for kind in types}
    reached = {
        (kind, server.get(field, {}).get("name"))
        for kind, (through, field) in known["reached_through"].items()
        for types in written.values()
        for server in types.get(through, {}).values()
    }
    for name, types in written.items():
        for kind, servers in types.items():
            if kind not in known["server_types"] or len(servers) != known["servers_of_a_type"]:
                yield f"{name}.{kind}"
                continue
            (server,) = servers.values()
            if kind in known["reached_through"] and (kind, name) not in reached:
                yield f"{name} is reached by nothing"
            yield from (f"{name}.{key}" for key in known["required"][kind] if key not in server)
            for key, value in server.items():
                if isinstance(value, dict) and (
                    sorted(value) != sorted(known["reference"]) or (value["type"], value["name"]) not in there
                ):
                    yield f"{name}.{key}"


def test_nemo_gym_takes_the_servers_of_its_page() -> None:
    known = contract("nemo-gym")
    (text,) = blocks("nemo-gym", "yaml")
    written = yaml.safe_load(text)
    assert list(gym_defects(written, known)) == []
    del written["trueward"]["resources_servers"]["trueward"]["entrypoint"]
    written["trueward_simple_agent"]["responses_api_agents"]["simple_agent"]["resources_server"]["name"] = "nobody"
    del written["trueward_environment_server"]
    assert list(gym_defects(written, known)) == [
        "trueward.entrypoint",
        "trueward_simple_agent is reached by nothing",
        "trueward_simple_agent.resources_server",
    ]


def test_verifiers_reads_the_environment_of_prime_s_page(refusals: Refusals) -> None:
    (text,) = blocks("prime", "toml")
    (source,) = tomllib.loads(text)["orchestrator"]["train"]["source"]
    assert refusals("prime", [json.dumps(source["env"])]) == []
    source["env"]["agent"]["harness"]["runtime"] = source["env"]["agent"].pop("runtime")
    assert "Extra inputs are not permitted" in refusals("prime", [json.dumps(source["env"])])[0]
