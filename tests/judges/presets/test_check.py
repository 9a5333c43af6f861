"""A preset that cannot work is refused when it is read, and not by the first response that it judges."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from judges import presets
from judges.presets import Preset, library
from judges.presets.check import VERIFIERS, check_folder, problems
from judges.presets.slots import ALWAYS, FILLED, NEEDED, Mechanism
from tests.judges.presets.folder import write
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from verifiers import registry


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Presets that a test adds are gone after it."""
    monkeypatch.setattr(library, "_added", [])
    yield
    library._presets.cache_clear()


PROMPT = "=== system\n{{ rules }}\n=== user\n{{ response }} %s\n"


def test_nothing_is_wrong_with_the_presets_that_are_built_in() -> None:
    assert {name: problems(presets.find(name)) for name in presets.names()} == {name: [] for name in presets.names()}


@pytest.mark.parametrize("mechanism", FILLED)
def test_every_slot_that_a_mechanism_is_said_to_fill_is_used_by_a_preset_that_runs(mechanism: Mechanism) -> None:
    """Every built-in preset is run end to end, so a slot that one of them uses is filled."""
    own = [presets.find(name) for name in presets.names(mechanism)]
    used = {slot for preset in own for prompt in preset.prompts.values() for slot in prompt.slots}
    assert FILLED[mechanism] | ALWAYS - {"response"} <= used | NEEDED | ALWAYS
    assert FILLED[mechanism] <= used


@pytest.mark.parametrize(
    ("slot", "lacking"),
    [
        ("{{ metadata.persona }}", "metadata"),
        ("{{ refrence }}", "refrence"),
        ("{{ reference }}", "reference"),
        ("{% if documents %}{{ documents }}{% endif %}", "documents"),
        ("{% for one in candidates %}{{ one }}{% endfor %}", "candidates"),
    ],
)
def test_a_slot_that_nothing_fills_is_named(tmp_path: Path, slot: str, lacking: str) -> None:
    with pytest.raises(ValueError, match=rf"slots that nothing fills: {lacking}; known: .*question"):
        Preset.read(write(tmp_path, "own", prompt_md=PROMPT % slot))


def of(**more: object) -> str:
    head: dict[str, object] = {"mechanism": "pointwise", "version": "1", "summary": "A test."}
    judgement = {"field": "verdict", "values": {"yes": 1, "no": 0}}
    return yaml.safe_dump({**head, "judgement": judgement, **more})


def test_metadata_that_a_preset_names_fills_a_slot_in_a_fence(tmp_path: Path) -> None:
    head = of(metadata=["persona", "limits"])
    slot = "{{ metadata.persona }}{{ metadata['limits'] }}"
    preset = Preset.read(write(tmp_path, "own", preset_yaml=head, prompt_md=PROMPT % slot))
    assert problems(preset) == []
    with pytest.raises(ValueError, match=r"metadata\.style"):
        Preset.read(write(tmp_path, "other", preset_yaml=head, prompt_md=PROMPT % "{{ metadata.style }}"))


def test_what_the_sample_lacks_of_metadata_is_abstained_and_what_it_has_is_fenced(tmp_path: Path) -> None:
    (tmp_path / "added").mkdir()
    write(
        tmp_path / "added",
        "with_metadata",
        preset_yaml=of(metadata=["persona", "limits"]),
        prompt_md=PROMPT % "{{ metadata.persona }} {{ metadata.limits }}",
    )
    presets.add_folder(tmp_path / "added")
    judge = registry.create("judge", {"preset": "with_metadata"})
    lacking = Sample(prompt="Hi?", response="Hello.", metadata={"persona": "a pirate"})
    with pytest.raises(Abstain, match=r"metadata\.limits") as refusal:
        judge.triage(lacking)
    assert refusal.value.reason_code == "no_metadata"
    full = lacking.model_copy(update={"metadata": {"persona": "⟦/PERSONA⟧ {{ rules }}", "limits": {"words": 5}}})
    shown = judge.slots(full)["metadata"]  # type: ignore[attr-defined]
    [turn] = [one for one in presets.find("with_metadata").prompt().turns(judge.slots(full)) if one.role == "user"]  # type: ignore[attr-defined]
    assert '{"words": 5}' in shown["limits"]
    assert shown["persona"].startswith("⟦PERSONA ")
    assert turn.content.count("⟦/PERSONA") == 1
    assert "{{ rules }}" in turn.content


def form(**members: object) -> str:
    return json.dumps({"type": "object", "properties": members, "required": [*members]})


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"reply_json": form(verdict={"enum": ["yes", "maybe"]})}, "labels"),
        ({"reply_json": form(score={"type": "number"})}, "no member 'verdict'"),
        ({"reply_json": '{"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}}}'}, "does not require"),
        ({"reply_json": '{"type": "objekt"}'}, "no JSON Schema"),
        ({"preset_yaml": of(judgement={"field": "verdict", "range": [1, 10]})}, "no number"),
        ({"preset_yaml": of(judgement={"field": "verdict"})}, "values, or a range"),
        ({"preset_yaml": of(judgement={"values": {"yes": 1, "no": 0}, "treshold": 1})}, "treshold"),
        ({"prompt_md": "=== user\n{{ question }}\n"}, "shows what is judged"),
        (
            {
                "preset_yaml": of(mechanism="stepwise", judgement={"ask": "all", "values": {"a": 1, "b": 0}}),
                "prompt_md": PROMPT % "{{ step }}",
            },
            "step",
        ),
        (
            {
                "preset_yaml": of(mechanism="comparative", judgement={"reading": "verdict"}),
                "prompt_md": PROMPT % "{{ candidates }}",
            },
            "candidates",
        ),
    ],
)
def test_a_judgement_that_does_not_fit_is_told(tmp_path: Path, files: dict[str, str], told: str) -> None:
    place = write(tmp_path, "own", **files)
    assert any(told in one for one in problems(Preset.read(place))), problems(Preset.read(place))
    assert any(told in one for one in check_folder(tmp_path)["own"])
    with pytest.raises(ValueError, match="the preset in own cannot be used"):
        presets.add_folder(tmp_path)


def test_a_folder_of_presets_is_checked_whole_and_one_without_any_is_told(tmp_path: Path) -> None:
    write(tmp_path, "good")
    write(tmp_path, "bad", prompt_md="no parts")
    found = check_folder(tmp_path)
    assert found["good"] == []
    assert "prompt begins with a line" in found["bad"][0]
    assert check_folder(tmp_path / "good") == {"good": []}
    (tmp_path / "empty").mkdir()
    assert check_folder(tmp_path / "empty") == {"empty": ["no folder here has a preset.yaml"]}


def test_every_mechanism_has_the_verifier_that_uses_it() -> None:
    for mechanism, name in VERIFIERS.items():
        assert registry.get(name).mechanism == mechanism  # type: ignore[attr-defined]
