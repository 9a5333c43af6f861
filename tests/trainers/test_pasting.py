"""The lines to paste: they name what there is, are filled in whole, and carry no broken quoting."""

from __future__ import annotations

import ast
import json
import re
import shlex
from importlib import import_module

import httpx2
import pytest
import yaml
from typer.testing import CliRunner

from tests.openapi import paths
from trueward.cli import app
from trueward.errors import NotFound
from trueward.trainers import pasting

NAMES = [lines.name for lines in pasting.every()]
PYTHON = [
    "areal", "aws", "axolotl", "cloud-run", "fireworks", "inspect", "math-verify", "ms-swift", "nemo-rl",
    "open-instruct", "openenv", "other", "prime", "prime-rl", "rllm", "roll", "skyrl", "tinker", "trl", "unsloth",
    "verl",
]  # fmt: skip
URL = "http://127.0.0.1:8421"


def shown(name: str, *, recipe: str = "math", run: str | None = "r1", key: str | None = "tw_x") -> str:
    return pasting.find(name).fill(URL, recipe, run, key)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_to_fill_in(name: str) -> None:
    text = shown(name)
    assert "$" not in text
    assert URL in text
    assert "tw_x" in text
    assert pasting.find(name).summary


@pytest.mark.parametrize("name", PYTHON)
def test_python_lines_are_python_and_import_what_exists(name: str) -> None:
    for node in ast.walk(ast.parse(shown(name, run='a"b'))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("trueward"):
            module = import_module(node.module)
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


def test_python_lines_in_comments_import_what_exists() -> None:
    for name in NAMES:
        for module, attribute in re.findall(r"# from (trueward\S+) import (\w+)", shown(name)):
            assert hasattr(import_module(module), attribute)


def test_addresses_are_routes_of_the_service() -> None:
    routes = set(paths())
    for name in ("openrlhf", "slime", "llama-factory", "roll", "eval-protocol"):
        for address in re.findall(r"http://[^\s\"]+/t/[^\s\"]+", shown(name)):
            path = httpx2.URL(address).path.removeprefix("/k/tw_x")
            assert path.replace("/t/math/", "/t/{recipe}/") in routes


def test_names_are_quoted_for_an_address() -> None:
    text = shown("openrlhf", recipe="my recipe@ab", run="a&b c", key="k/y")
    assert shlex.split(text, comments=True)[1] == f"{URL}/k/k%2Fy/t/my%20recipe@ab/openrlhf?run=a%26b+c"


def test_without_a_run_and_a_key_there_is_neither() -> None:
    assert yaml.safe_load(shown("llama-factory", run=None, key=None))["reward_model"] == f"{URL}/t/math/llamafactory"


def test_headers_are_json() -> None:
    headers = re.search(r"^headers = (.*)$", shown("nemo-gym"), re.MULTILINE)
    assert headers is not None
    assert json.loads(headers[1]) == {"Authorization": "Bearer tw_x"}


def test_an_unknown_trainer_names_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"known: areal, aws, axolotl, cloud-run.*`other` is for any other"):
        pasting.find("nope")


def test_the_command_shows_and_lists() -> None:
    run = CliRunner()
    listed = run.invoke(app, ["trainers", "list"])
    assert all(name in listed.output for name in NAMES)
    told = run.invoke(app, ["trainers", "show", "slime", "--url", "http://h:1/", "--recipe", "mine", "--run", "r2"])
    assert '--rm-type remote_rm --rm-url "http://h:1/t/mine/slime?run=r2"' in told.output
