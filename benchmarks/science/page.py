"""The results on the page ``docs/science.md``: ``python -m benchmarks.science.page`` writes them from the documents.

A criterion is told with its mean, its 95% interval over the seeds, and its word, whatever that is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.science.__main__ import EFFECTS, find

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "science.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- results -->\n", "<!-- end of the results -->\n"


def table(results: Path = RESULTS) -> str:
    """The rows of every effect that has a document."""
    lines = ["| effect | criterion | mean | 95% interval | |", "|---|---|---|---|---|"]
    for name in EFFECTS:
        path = results / f"science-{find(name).name}.json"
        lines += _rows(name, path) if path.exists() else []
    return "\n".join(lines) + "\n"


def filled(page: str, results: Path = RESULTS) -> str:
    """The page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + table(results) + "\n" + END + after


def _rows(name: str, path: Path) -> Iterator[str]:
    for finding in json.loads(path.read_text(encoding="utf-8"))["findings"]:
        mean, low, high = (finding["measured"][part] for part in ("mean", "low", "high"))
        yield f"| `{name}` | {finding['criterion']} | {mean:.3f} | {low:.3f} to {high:.3f} | {finding['word']} |"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
