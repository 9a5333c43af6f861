"""What docs/security.md claims of numbers is what the suite and the benchmark say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_the_table_of_forged_passes_is_the_benchmarks_own() -> None:
    results = json.loads((ROOT / "benchmarks/results/exploits.json").read_text(encoding="utf-8"))["attacks"]
    for backend, kinds in results.items():
        cells = [f"{len(kind['forged'])} of {kind['attacks']}" for kind in kinds.values()]
        assert f"| {backend} | {' | '.join(cells)} |" in PAGE
        assert all(not kind["unjudged"] for kind in kinds.values())
    named = re.search(r"^\| backend \| (.*) \|$", PAGE, re.MULTILINE)
    assert named is not None
    assert [name.strip(" `") for name in named[1].split("|")] == list(results["local"])


def test_the_attacks_are_counted_as_the_suite_has_them() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "--no-header", "tests/security"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    counts = Counter(re.findall(r"^tests/(security/test_\w+\.py)::", listed, re.MULTILINE))
    del counts["security/test_page.py"]
    shown = {
        name: int(count)
        for name, count in re.findall(r"^\| `(security/test_\w+\.py)` \| (\d+) \|$", PAGE, re.MULTILINE)
    }
    assert shown == dict(counts)


def test_every_file_that_the_page_names_is_there() -> None:
    for name in re.findall(r"`((?:app|rewards|sandbox|verifiers|judges|benchmarks|deploy)/[\w/.]*)`", PAGE):
        assert (ROOT / name).exists() or (ROOT / "tests" / name).exists(), name
    for name in re.findall(
        r"`((?:app|faults|security|rewards|pages|sandbox|exploits|judges)/[\w/]*test_\w+\.py)`", PAGE
    ):
        assert (ROOT / "tests" / name).exists(), name
