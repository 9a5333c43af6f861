"""The page on the architecture is true to the code: its picture, a sample's way, and the places that it names."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from pkgutil import resolve_name

import httpx2
import pytest

from benchmarks.shape.imports import edges, package_of, part_of
from benchmarks.shape.sources import BESIDE, ROOT, read
from tests.walk import OURS, TOOLS, at_rest, service, walked

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ASKED = (
    "a verifier",
    "an answer form",
    "a language",
    "a protocol",
    "a shaping method",
    "a group rule",
    "an audit statistic",
    "an audit kind",
    "a setting",
    "a table",
    "a metric",
    "an error",
)
THREE_PLACES = {"an audit kind", "a table"}
_EDGE = re.compile(r"^    (\w+) (-\S+) (\w+)$", re.MULTILINE)

Edge = tuple[str, str]
Walk = Callable[[httpx2.AsyncClient, str], Awaitable[None]]


def section(title: str) -> str:
    """The text below a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/architecture.md has no heading {title!r}"
    return found[1]


def table(text: str) -> dict[str, str]:
    """The rows of a table of two columns, without its head."""
    return dict(re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE)[1:])


def named(text: str) -> list[str]:
    """The dotted names of our things that are set in code type, in order."""
    return [name for name in re.findall(r"`([\w.]+\.\w+)`", text) if name.partition(".")[0] in OURS]


def way(title: str) -> list[str]:
    """The functions of a way in order, stretches of others written out; what comes again is left out."""
    steps = re.split(r"^1\. ", section(title), flags=re.MULTILINE)[1:]
    found: list[str] = []
    for step in steps:
        stretch = re.match(r"from `\S+` to `\S+`\s+as\s+in\s+`(.+?)`", step)
        names = named(step)
        if stretch is not None:
            whole = way(stretch[1])
            names = whole[whole.index(names[0]) : whole.index(names[1]) + 1]
        found += names
    return list(dict.fromkeys(found))


def drawn(arrow: str) -> set[Edge]:
    """The edges of the picture with this arrow."""
    return {(one, other) for one, made, other in _EDGE.findall(PAGE) if made == arrow}


def permitted() -> set[Edge]:
    """What import-linter lets a package import."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (between,) = (rule for rule in rules["contracts"] if "app" in rule.get("layers", ()))
    layers = [layer.replace(" ", "").split("|") for layer in between["layers"]]
    found = {
        (one, other)
        for height, layer in enumerate(layers)
        for one in layer
        for lower in layers[height + 1 :]
        for other in lower
    }
    refused = {
        (one, other)
        for rule in rules["contracts"]
        if rule["type"] == "forbidden" and not rule.get("ignore_imports")
        for one in rule["source_modules"]
        for other in rule["forbidden_modules"]
    }
    return found - refused


def test_the_picture_shows_what_is_imported() -> None:
    installed = [source for source in read() if source.package not in BESIDE]
    imported = {(one, other) for one, others in edges(installed, package_of).items() for other in others}
    assert drawn("-->") == imported


def test_the_picture_shows_what_may_be_imported() -> None:
    assert drawn("-->") | drawn("-.->") == permitted()
    assert drawn("-->") & drawn("-.->") == set()


def test_the_parts_that_others_stand_on_know_what_the_page_says() -> None:
    known = edges([source for source in read() if source.package == "app"], part_of)
    told = {
        name.strip("`"): set(re.findall(r"`([\w.]+)`", others))
        for name, others in table(section("Architecture")).items()
    }
    assert set(told) >= {"app.kit", "app.path", "app.tables"}
    assert told == {name: {other for other in known.get(name, ()) if other.startswith("app.")} for name in told}


@pytest.mark.parametrize("title", re.findall(r"^### (.+)$", PAGE, re.MULTILINE))
def test_every_function_on_a_way_exists(title: str) -> None:
    names = way(title)
    assert names
    assert all(callable(resolve_name(name)) for name in names)


def sample(answer: str) -> dict[str, str]:
    return {"prompt": "What is it?", "response": f"It is \\boxed{{{answer}}}", "reference": "\\frac56"}


async def verified(http: httpx2.AsyncClient, answer: str) -> None:
    said = await http.post("/v1/verify", json={"verifier": "math", "samples": [sample(answer)]})
    assert said.json()["verdicts"][0]["outcome"] == "incorrect"


async def rewarded(http: httpx2.AsyncClient, answer: str) -> None:
    said = await http.post("/v1/rewards", json={"recipe": "math", "samples": [sample(answer)]})
    assert said.json()["rewards"][0]["reward"] == 0.0


async def trained(http: httpx2.AsyncClient, answer: str) -> None:
    payload = {"query": [f"What? \\boxed{{{answer}}}"], "prompts": ["What?"], "labels": ["1/3"]}
    said = await http.post("/t/math/openrlhf", json=payload)
    assert said.json()["rewards"] == [0.0]


async def accepted(http: httpx2.AsyncClient, answer: str) -> None:
    said = await http.post("/v1/jobs", json={"recipe": "math", "samples": [sample(answer)]})
    assert said.status_code == 202


async def worked_off(http: httpx2.AsyncClient, answer: str) -> None:
    said = await http.post("/v1/jobs", json={"recipe": "math", "samples": [sample(answer)]})
    while (await http.get(f"/v1/jobs/{said.json()['id']}")).json()["state"] != "completed":
        await asyncio.sleep(0.02)


WAYS: dict[str, tuple[Walk, tuple[str, ...]]] = {
    "POST /v1/verify": (verified, ()),
    "The ledger's writer": (rewarded, ("ledger",)),
    "POST /v1/rewards": (rewarded, ()),
    "POST /t/math/openrlhf": (trained, ()),
    "POST /v1/jobs": (accepted, ()),
    "The jobs' runner": (worked_off, ("jobs",)),
}
"""What is sent for each way, and the service's own tasks that it is about."""


async def go_every_way(data_dir: Path) -> dict[str, list[str]]:
    """What is passed on each way; each is gone twice, so that verifier and recipe are known the second time."""
    found = {}
    async with service(data_dir) as http:
        for number, (title, (go, tasks)) in enumerate(WAYS.items()):
            await go(http, f"{number}/7")
            await worked_off(http, f"{number}/11")
            for task in tasks:
                await at_rest(task)
            with walked(tasks) as passed:
                await go(http, f"{number}/13")
                for task in tasks:
                    await at_rest(task)
            found[title] = passed
    return found


@pytest.fixture(scope="module")
def gone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return asyncio.run(go_every_way(tmp_path_factory.mktemp("ways")))


@pytest.mark.parametrize("title", WAYS)
def test_a_sample_goes_the_way_that_the_page_tells(title: str, gone: dict[str, list[str]]) -> None:
    assert gone[title] == way(title)


def test_the_page_says_what_is_left_out_of_a_way() -> None:
    assert set(named(section("A sample's way"))) == set(TOOLS)


@pytest.mark.parametrize("what", ASKED)
def test_whoever_adds_something_finds_the_place(what: str) -> None:
    where = re.findall(r"`([^`]+)`", table(section("Where do I add ..."))[what])
    assert where
    assert [place for place in where if not (ROOT / place).exists()] == []
    assert len(where) <= (3 if what in THREE_PLACES else 2)
