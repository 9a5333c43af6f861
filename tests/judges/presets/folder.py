"""Folders of presets, for tests of presets of one's own."""

from __future__ import annotations

from pathlib import Path

YAML = (
    'mechanism: pointwise\nversion: "1"\nsummary: A test.\njudgement: {values: {"yes": 1, "no": 0}, field: verdict}\n'
)
PROMPT = "=== system\n{{ rules }}\n=== user\n{{ response }}\n"
FORM = '{"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}}, "required": ["verdict"]}'
FILES = {"preset.yaml": YAML, "prompt.md": PROMPT, "reply.json": FORM}


def write(folder: Path, name: str, **files: str) -> Path:
    """The preset ``name`` in ``folder``; ``preset_yaml=...`` writes that file in another way."""
    place = folder / name
    place.mkdir()
    others = {key.replace("_", "."): text for key, text in files.items()}
    for file, text in {**FILES, **others}.items():
        (place / file).write_text(text)
    return place
