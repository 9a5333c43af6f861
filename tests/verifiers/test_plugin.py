"""A third-party verifier, really installed: found by its entry point, conformant, and what the docs show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.brought import PACKAGE, install

ROOT = Path(__file__).parents[2]
SOURCE = PACKAGE / "src" / "palindrome_verifier.py"

USE = """
import json
from trueward import Sample, check_verifier
from verifiers import registry
verifier = registry.create("palindrome", {"longest": 30})
samples = [Sample(response="Never odd or even", reference="odd"), Sample(response="x" * 31, reference="x")]
verdicts = verifier.verify(samples)
check_verifier(verifier)
print(json.dumps({
    "names": registry.names(), "failures": registry.failures(), "outcomes": [v.outcome for v in verdicts],
    "hash": verdicts[0].producer.params,
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("plugin"))


def test_an_installed_plugin_is_found_and_conforms(installed: Path) -> None:
    env = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
    ran = subprocess.run([sys.executable, "-c", USE], env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert "palindrome" in said["names"]
    assert {"choice", "exact", "math", "numeric"} <= set(said["names"])
    assert said["failures"] == {}
    assert said["outcomes"] == ["correct", "invalid"]
    assert said["hash"].startswith("sha256:")


def test_the_page_shows_the_package_to_the_letter() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    assert f"```python\n{SOURCE.read_text(encoding='utf-8')}```" in page
    assert (PACKAGE / "pyproject.toml").read_text(encoding="utf-8").count("trueward.verifiers") == 1
    assert 'palindrome = "palindrome_verifier:PalindromeVerifier"' in page


def test_a_verifier_of_ones_own_takes_under_thirty_lines() -> None:
    lines = [line for line in SOURCE.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) < 30
