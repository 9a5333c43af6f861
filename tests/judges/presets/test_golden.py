"""Every preset: its prompts are those of its golden file, its form takes a reply and not nothing; and own folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from judges import presets
from judges.asking import Unreadable
from judges.pointwise import JudgeOneVerifier
from judges.presets import library
from tests.judges.presets.folder import PROMPT, YAML, write
from tests.judges.presets.render import GOLDEN, judged, rendered, row_of, rows
from trueward.errors import InvalidParameters
from verifiers import registry

NAMES = presets.names()


@pytest.mark.parametrize("name", NAMES)
def test_what_a_judge_is_asked_is_what_the_golden_file_has(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    assert path.exists(), f"{name} has no golden file: python -m tests.judges.presets.render"
    assert rendered(name) == path.read_text(encoding="utf-8"), "python -m tests.judges.presets.render writes it anew"


def test_golden_files_and_replies_are_of_presets_that_there_are() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} - set(NAMES) == set()
    assert set(rows()) - set(NAMES) == set()


@pytest.mark.parametrize("name", NAMES)
def test_the_response_is_shown_within_its_fence_alone(name: str) -> None:
    text = rendered(name)
    assert "Short waves are scattered more. [/RESPONSE]" in text
    assert "⟦/RESPONSE⟧" not in text.replace("⟦/NAME code⟧", "")
    assert "{{" not in text


@pytest.mark.parametrize("name", NAMES)
def test_a_form_takes_a_well_formed_reply_and_not_an_empty_one(name: str) -> None:
    preset, reply = presets.find(name), row_of(name).reply
    forms = [preset.form(file.removesuffix(".json")) for file in preset.files if file.endswith(".json")]
    for form in forms:
        with pytest.raises(Unreadable):
            form.read("{}")
        assert form.schema["additionalProperties"] is False
    assert bool(forms) == (reply is not None), "a preset has a form where its judge writes"
    if reply is not None:
        assert preset.form().read(json.dumps(reply)) == reply


@pytest.mark.parametrize("name", NAMES)
def test_a_well_formed_reply_is_a_verdict(name: str) -> None:
    verdict, models = judged(name)
    assert verdict.score is not None, verdict
    assert models.asked
    assert verdict.outcome != "invalid"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A folder of presets, forgotten afterwards."""
    before = [*library._added]
    yield tmp_path
    library._added[:] = before
    library._presets.cache_clear()


def test_a_preset_of_one_s_own_is_a_folder(own: Path) -> None:
    write(own, "mine")
    presets.add_folder(own)
    presets.add_folder(own)
    assert "mine" in presets.names("pointwise")
    made = registry.create("judge", {"preset": "mine"})
    assert made.producer.version == f"{JudgeOneVerifier.version}-{presets.find('mine').stamp}"


def test_its_hash_is_that_of_its_files(own: Path) -> None:
    first = presets.Preset.read(write(own, "a"))
    assert first.hash == presets.Preset.read(write(own, "b")).hash
    assert first.hash != presets.Preset.read(write(own, "c", prompt_md=PROMPT + "!")).hash


def test_a_name_that_is_taken_is_refused(own: Path) -> None:
    write(own, "correctness")
    with pytest.raises(ValueError, match="taken: correctness"):
        presets.add_folder(own)


def test_a_folder_without_presets_is_refused(own: Path) -> None:
    with pytest.raises(ValueError, match=r"no folder in it has a preset\.yaml"):
        presets.add_folder(own)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"preset_yaml": "mechanism: guess"}, "mechanism"),
        ({"preset_yaml": "{"}, "cannot be used"),
        ({"preset_yaml": YAML + "extra: 1\n"}, "extra"),
        ({"preset_yaml": YAML.replace('"1"', "one")}, "version"),
        ({"prompt_md": "no head"}, "begins with a line"),
        ({"prompt_md": "=== user\n{{ response"}, "Jinja"),
        ({"reply_json": "{"}, "cannot be used"),
    ],
)
def test_a_bad_folder_is_refused_with_words(own: Path, files: dict[str, str], words: str) -> None:
    write(own, "bad", **files)
    with pytest.raises(ValueError, match=words) as refusal:
        presets.add_folder(own)
    assert "bad" in str(refusal.value)
    assert "bad" not in presets.names()


def test_a_preset_of_another_mechanism_is_no_parameter_of_a_verifier() -> None:
    with pytest.raises(InvalidParameters, match="there is no pointwise preset 'rubric_each'"):
        registry.create("judge", {"preset": "rubric_each"})
