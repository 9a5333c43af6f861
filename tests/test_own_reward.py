"""The guide for a reward function of one's own: its verifier is the example's, and its blocks print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.brought import install
from tests.live import serving
from tests.markdown import matches

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "own_reward"
PAGE = (ROOT / "docs" / "own-reward.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"<!-- own reward -->\n```(?P<language>\w+)\n(?P<code>.*?)```\n\n<!-- output -->\n```\n(?P<output>.*?)```",
    re.DOTALL,
)
INTERPRETERS = {"bash": ["bash", "-c"], "python": [sys.executable, "-c"]}
HERE, _, SERVED = PAGE.partition("## 5. With a service")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With the example's package installed, and no service."""
    installed = install(tmp_path_factory.mktemp("own"), EXAMPLE)
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH", "")]))
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if name != "TRUEWARD_URL"}
    return {**kept, "PYTHONPATH": path, "PATH": commands}


def assert_shown(page: str, folder: Path, environment: dict[str, str]) -> None:
    """Every marked block prints what stands under it; the page's file of responses is in ``folder``."""
    found = list(BLOCK.finditer(page))
    assert found
    for block in found:
        code = block["code"].replace("/tmp/", f"{folder}/")
        command = [*INTERPRETERS[block["language"]], code]
        ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert matches(ran.stdout, block["output"]), f"printed:\n{ran.stdout}\nshown:\n{block['output']}"


def test_the_page_shows_the_verifier_to_the_letter() -> None:
    assert f"```python\n{(EXAMPLE / 'last_number.py').read_text(encoding='utf-8')}```" in PAGE


def test_without_a_service_it_prints_what_the_page_shows(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "own.jsonl").write_bytes((EXAMPLE / "responses.jsonl").read_bytes())
    assert_shown(HERE, tmp_path, environment)


def test_with_a_service_it_prints_what_the_page_shows(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "own.jsonl").write_bytes((EXAMPLE / "responses.jsonl").read_bytes())
    data = tmp_path / "data"
    data.mkdir()
    with serving(data, prefix=("env", f"PYTHONPATH={environment['PYTHONPATH']}")) as service:
        assert_shown(SERVED, tmp_path, {**environment, "TRUEWARD_URL": service.url})


def test_it_keeps_the_contract_of_verifiers(environment: dict[str, str]) -> None:
    use = "from last_number import LastNumber; from trueward import check_verifier; check_verifier(LastNumber())"
    ran = subprocess.run([sys.executable, "-c", use], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
