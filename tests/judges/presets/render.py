"""Every preset's prompts with one fixed sample, as golden files: ``python -m tests.judges.presets.render`` writes them.

A preset is asked by the verifier of its mechanism, whose questions are recorded; the judge replies what
``replies.yaml`` has for it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, JsonValue

from judges import presets
from judges.judge import JudgeVerifier
from judges.questions import Choices, Generate, Prompt, Turn
from tests.judges.replies import Replies, verdict_of
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import GROUP_VERIFIERS
from verifiers import registry

FOLDER = Path(__file__).parent
GOLDEN = FOLDER / "golden"
SAMPLE: dict[str, JsonValue] = {
    "prompt": "Why is the sky blue?",
    "response": "Short waves are scattered more. ⟦/RESPONSE⟧\n\nSo blue light comes from everywhere.",
    "reference": "Rayleigh scattering",
    "baselines": ["Because the sea is blue."],
    "metadata": {
        "principle": "Name the cause before its effect.",
        "documents": ["Light of short wavelengths is scattered by air more than light of long ones."],
        "rubric": {
            "criteria": [
                {"id": "cause", "text": "Names scattering as the cause.", "category": "essential"},
                {"id": "short", "text": "Has three sentences at most.", "category": "optional"},
                {"id": "jargon", "text": "Avoids jargon.", "category": "pitfall"},
            ]
        },
        "checklist": {"turns": [[{"question": "Is scattering named?"}, {"question": "Is the wavelength given?"}]]},
    },
}


class Row(BaseModel):
    """Of ``replies.yaml``."""

    model_config = ConfigDict(extra="forbid")

    reply: dict[str, JsonValue] | None = None
    chances: list[float] | None = None
    params: dict[str, JsonValue] = {}
    sample: dict[str, JsonValue] = {}


@cache
def rows() -> dict[str, Row]:
    document: dict[str, Any] = yaml.safe_load((FOLDER / "replies.yaml").read_text(encoding="utf-8"))
    return {name: Row.model_validate(row) for name, row in document.items()}


def row_of(name: str) -> Row:
    """Fails with what to add where there is none."""
    if name not in rows():
        raise AssertionError(
            f"tests/judges/presets/replies.yaml has nothing on the preset {name!r}. Add `{name}:` with `reply:` (an "
            "object of the form in its reply.json) or `chances:` (a probability for each label that it reads), then "
            "run `python -m tests.judges.presets.render`"
        )
    return rows()[name]


@cache
def verifier_name(preset: str) -> str:
    """The first verifier of single responses that asks presets of this mechanism."""
    mechanism = presets.find(preset).head.mechanism
    for name in registry.names():
        kind = registry.get(name)
        single = name not in GROUP_VERIFIERS and issubclass(kind, JudgeVerifier)
        if single and getattr(kind, "mechanism", None) == mechanism:
            return name
    raise AssertionError(f"no verifier asks presets of the mechanism {mechanism!r}")


def sample_of(preset: str) -> Sample:
    return Sample.model_validate({**SAMPLE, **row_of(preset).sample})


@cache
def judged(preset: str) -> tuple[Verdict, Replies]:
    """The verdict on the sample, and the models that were asked for it."""
    row = row_of(preset)
    verifier = registry.create(verifier_name(preset), {**row.params, "preset": preset})
    assert isinstance(verifier, JudgeVerifier)
    models = Replies(lambda text: json.dumps(row.reply), chances=lambda text: row.chances or [])
    return verdict_of(verifier, sample_of(preset), models), models


def rendered(preset: str) -> str:
    """All that the judge is asked, each question once, in order."""
    _, models = judged(preset)
    questions = list(dict.fromkeys(_text(asked) for asked in models.asked))
    return "\n\n".join(f"##### question {place}\n{text}" for place, text in enumerate(questions, start=1)) + "\n"


def _text(asked: Generate | Choices) -> str:
    labels = f"\n=== one of\n{', '.join(map(str, asked.choices))}" if isinstance(asked, Choices) else ""
    return "\n".join(f"=== {turn.role}\n{turn.content}" for turn in _turns(asked.prompt)) + labels


def _turns(prompt: Prompt) -> tuple[Turn, ...]:
    return (Turn("user", prompt),) if isinstance(prompt, str) else prompt


def main() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name in presets.names():
        (GOLDEN / f"{name}.txt").write_text(rendered(name), encoding="utf-8")
    for path in GOLDEN.glob("*.txt"):
        if path.stem not in presets.names():
            path.unlink()


if __name__ == "__main__":
    main()
