"""The notebooks run, and print what they show."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.live import Service
from tests.markdown import links
from tests.notebook import FOLDER, code, comparable, read, run, shown

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 30_000
_TARGET = re.compile(r"\]\(([^)\s:]+)\)")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path, keyless: Service) -> None:
    notebook = read(path)
    told = run(notebook, keyless.url)
    printed = [comparable(cell, text) for cell, text in zip(code(notebook), told, strict=True)]
    assert printed == [comparable(cell, shown(cell)) for cell in code(notebook)]
    assert any(printed)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_of_the_format_that_editors_and_code_hosts_show(path: Path) -> None:
    notebook = read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    assert [cell["execution_count"] for cell in code(notebook)] == [*range(1, len(code(notebook)) + 1)]
    assert path.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_needs_the_client_alone(path: Path) -> None:
    """A reader has installed ``trueward``, and runs a service somewhere."""
    trees = [ast.parse("".join(cell["source"])) for cell in code(read(path))]
    imported = {
        name.partition(".")[0]
        for tree in trees
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert imported <= {"math", "os", "random", "uuid", "trueward"}


def test_links_of_notebooks_lead_to_files_that_exist() -> None:
    for path in NOTEBOOKS:
        targets = [target.partition("#")[0] for target in _TARGET.findall(path.read_text(encoding="utf-8"))]
        assert targets
        assert [one for one in targets if not (path.parent / one).exists()] == []


def test_the_documentation_and_the_list_for_language_models_name_every_notebook() -> None:
    for page in ("docs/quickstart.md", "llms.txt"):
        named = {(ROOT / page).parent.joinpath(target).resolve() for target in links(ROOT / page)}
        assert set(NOTEBOOKS) <= named
