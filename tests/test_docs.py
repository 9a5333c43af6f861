"""The docs are complete and true: whatever the code has, a page names; whatever a page shows, works."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from textwrap import dedent

import httpx2
import pytest
import yaml

from app.path.facts import FACTS
from app.settings import Settings
from benchmarks.prove import BENCHMARKS
from rewards.recipe import parse_recipe
from tests.each import check_each
from tests.live import Service
from tests.markdown import Block, blocks, links, matches, sections, slugs
from tests.openapi import paths
from trueward import errors
from verifiers import registry

ROOT = Path(__file__).parents[1]
OURS = {"trueward", "trueward_server", "app", "audits", "judges", "rewards", "sandbox", "verifiers"}
DOCS = ROOT / "docs"
TOP = ("README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "client/README.md")
PAGES = [*(ROOT / name for name in TOP), *sorted(DOCS.rglob("*.md"))]
SHOWN_URL = "http://127.0.0.1:8421"
INTERPRETERS = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
IN_PROCESS = {"README.md", "cli.md"}
"""Pages whose commands find no service named and judge by themselves; on the others the tests' service judges."""
RESULTS = ("accuracy", "benchmarks", "judges-hardening", "security")
"""Pages with what the long forms of the benchmarks printed."""
_ACT = re.compile(r"(?:record(?:_in)?|Act)\([^\"()]*\"(\w+\.\w+)\"")
"""What administrators' acts are called where they are recorded."""
RUNNABLE = [block for page in PAGES for block in blocks(page)]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def not_on(text: str, names: set[str]) -> set[str]:
    """The names that a page does not set in code type."""
    shown = set(re.findall(r"`([^`\n]+)`", text))
    return names - shown


@pytest.fixture(scope="module")
def service(keyless: Service) -> str:
    return keyless.url


def test_every_setting_is_documented() -> None:
    settings = {f"TRUEWARD_{name.upper()}" for name in Settings.model_fields}
    assert not_on(page("settings.md"), settings) == set()


def test_no_setting_is_documented_that_does_not_exist() -> None:
    shown = set(re.findall(r"`(TRUEWARD_[A-Z0-9_]+)`", page("settings.md")))
    assert shown - {f"TRUEWARD_{name.upper()}" for name in Settings.model_fields} == {"TRUEWARD_URL"} & shown


@pytest.mark.parametrize("name", [point.name for point in registry.BUILT_INS])
def test_every_built_in_verifier_has_a_page_with_its_parameters(name: str) -> None:
    parameters = set(registry.get(name).Params.model_fields)
    assert not_on(page(f"verifiers/{name}.md"), parameters) == set()


def test_every_route_is_documented() -> None:
    routes = {f"{method.upper()} {path}" for path, methods in paths().items() for method in methods}
    assert not_on(page("api.md"), routes) == set()


def test_every_metric_is_documented(service: str) -> None:
    shown = httpx2.get(f"{service}/metrics", timeout=30.0).text
    metrics = {name for name in re.findall(r"^# TYPE (\S+)", shown, re.MULTILINE) if not name.endswith("_created")}
    assert metrics
    assert not_on(page("metrics.md"), metrics) == set()


def test_every_error_is_documented_with_its_status() -> None:
    text = page("errors.md")
    for kind in _family(errors.TruewardError):
        if kind is errors.AnsweredError:  # no answer has it: it stands for its children
            continue
        status = str(kind.status) if issubclass(kind, errors.AnsweredError) else "-"
        row = rf"^\| `{kind.code}` \| {status} \| `{kind.__name__}` \|"
        assert re.search(row, text, re.MULTILINE), f"docs/errors.md lacks the row of {kind.__name__}"


def test_every_direct_dependency_is_explained() -> None:
    found = set()
    for folder in ("", "client", "trainer"):
        document = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
        project = document["project"]
        groups = [project["dependencies"], document["build-system"]["requires"]]
        for line in chain(*groups, *project.get("optional-dependencies", {}).values()):
            found.add(re.split(r"[\[<>=!~; ]", line)[0])
    assert not_on(page("dependencies.md"), found - {"trueward", "trueward-trainer"}) == set()


def check_pages(check: Callable[[Path], None]) -> None:
    check_each(((str(page.relative_to(ROOT)), page) for page in PAGES), check)


def test_every_recipe_that_a_page_shows_is_one() -> None:
    """Read as the service reads it, but for the models and audits that it names; one within a training's file, too."""

    def check(source: Path) -> None:
        for block in re.findall(r"^```yaml\n(.*?)^```", source.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            shown = yaml.safe_load(block)
            recipe = shown.get("service", {}).get("recipe", shown) if isinstance(shown, dict) else None
            if isinstance(recipe, dict) and recipe.keys() & {"terms", "routes"}:
                assert parse_recipe(recipe, FACTS).hash

    check_pages(check)


def test_links_lead_to_files_that_exist() -> None:
    def check(source: Path) -> None:
        assert [target for target in links(source) if not (source.parent / target).exists()] == []

    check_pages(check)


def test_links_lead_to_sections_that_exist() -> None:
    def check(source: Path) -> None:
        found = [(link, at, section) for link, at, section in sections(source) if at.suffix == ".md"]
        assert [link for link, at, section in found if section not in slugs(at)] == []

    check_pages(check)


def test_every_act_is_documented() -> None:
    made = {name for path in (ROOT / "app").rglob("*.py") for name in _ACT.findall(path.read_text(encoding="utf-8"))}
    assert made
    assert not_on(page("tenancy.md"), made) == set()


def test_make_prove_measures_again_what_the_pages_with_results_show() -> None:
    pages = (ROOT / "README.md", *(DOCS / f"{name}.md" for name in RESULTS))
    shown = [re.findall(r"python -m benchmarks\.(\w+) --long", path.read_text(encoding="utf-8")) for path in pages]
    assert all(shown)
    assert set(chain(*shown)) - BENCHMARKS.keys() == set()


def test_every_aim_that_a_committed_result_misses_has_its_row() -> None:
    """Its row links to the section of the benchmark and has the number that was reached. Broken claims have rows."""
    table = page("limits.md").partition("## Aims that were missed")[2].partition("\n## ")[0].splitlines()
    lacking = []
    long_forms = (one for one in (ROOT / "benchmarks/results").glob("*.json") if "." not in one.stem)
    for result in sorted(long_forms):
        document = json.loads(result.read_text(encoding="utf-8"))
        of_it = [row for row in table if f"(benchmarks.md#benchmarks{result.stem}-" in row]
        for aim in document.get("aims", ()):
            number = re.findall(r"[\d.,]*\d", aim["reached"])[0]
            if aim["met"] is False and not any(number in re.findall(r"[\d.,]*\d", row) for row in of_it):
                lacking.append((result.stem, aim["name"], aim["reached"]))
        for claim, holds in document.get("claims", {}).items():
            if not holds and not any("(a claim, broken)" in row for row in of_it):
                lacking.append((result.stem, claim, "broken"))
    assert lacking == []


def test_the_list_for_language_models_names_every_page() -> None:
    """A page by itself, or by the index of the folder that it is in."""
    named = {(ROOT / target).resolve() for target in links(ROOT / "llms.txt")}
    assert [path for path in named if not path.exists()] == []
    indexed = {
        (index.parent / target).resolve() for index in named if index.name == "index.md" for target in links(index)
    }
    assert set(DOCS.rglob("*.md")) - named - indexed == set()


def test_the_landing_page_is_short() -> None:
    """A screen and a bit: what it is, how to start it, what it does better, where to read on."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 650


def test_the_landing_page_shows_something_that_is_run() -> None:
    assert any(block.page.name == "README.md" for block in RUNNABLE)


@pytest.mark.parametrize("block", RUNNABLE, ids=lambda block: f"{block.page.stem}: {block.code.splitlines()[0][:50]}")
def test_what_a_page_shows_works(block: Block, service: str) -> None:
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    if block.page.name not in IN_PROCESS:
        env["TRUEWARD_URL"] = service
    code = block.code.replace(SHOWN_URL, service)
    ran = subprocess.run([*INTERPRETERS[block.language], code], cwd=ROOT, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    if block.output is not None:
        assert matches(ran.stdout, block.output), f"printed:\n{ran.stdout}\nshown:\n{block.output}"


def _family(kind: type[errors.TruewardError]) -> Iterator[type[errors.TruewardError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _family(child)


def shown_imports() -> Iterator[tuple[str, str]]:
    """Of our packages, each module and name that a page's code imports, whether the code is run or not."""
    for text in map(Path.read_text, PAGES):
        for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            for node in ast.walk(ast.parse(dedent(code))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS:
                    yield from ((node.module or "", one.name) for one in node.names)


def test_what_a_page_imports_of_ours_exists() -> None:
    shown = set(shown_imports())
    assert ("trueward.wire.audit", "GivenSamples") in shown
    assert sorted(one for one in shown if not hasattr(import_module(one[0]), one[1])) == []
