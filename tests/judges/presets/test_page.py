"""The page on judges has a row for every preset, as the presets say it; this file's ``main`` writes the table anew."""

from __future__ import annotations

import re
from pathlib import Path

from judges import presets
from judges.pointwise import Judgement
from tests.judges.presets.folder import write

PAGE = Path(__file__).parents[3] / "docs/judges.md"
HEAD = "| preset | mechanism | what | source | |\n|---|---|---|---|---|\n"


def table() -> str:
    return HEAD + "".join(f"{row(name)}\n" for name in presets.names())


def row(name: str) -> str:
    head = presets.find(name).head
    cells = (f"`{name}`", head.mechanism, head.summary, head.source, "experimental" if head.experimental else "")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |".replace("|  |", "| |")


def test_the_table_of_presets_is_that_of_the_presets() -> None:
    missing = [name for name in presets.names() if row(name) not in PAGE.read_text(encoding="utf-8").splitlines()]
    assert missing == [], "python -m tests.judges.presets.test_page writes the table of docs/judges.md anew"


def test_the_table_has_no_preset_that_there_is_not() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| \w+ \| .* \| .* \|", page, re.MULTILINE)) == set(presets.names())


def test_the_preset_that_the_page_shows_can_be_read(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8").partition("### A preset of your own")[2]
    head, prompt = re.search(r"```yaml\n(.*?)```", text, re.DOTALL), re.search(r"```\n(=== .*?)```", text, re.DOTALL)
    assert head is not None
    assert prompt is not None
    preset = presets.Preset.read(write(tmp_path, "polite", preset_yaml=head[1], prompt_md=prompt[1]))
    assert preset.judgement(Judgement).values == {"polite": 1, "rude": 0}


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    present = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*|PRESETS_TABLE\n")
    PAGE.write_text(present.sub(lambda _: table(), page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
