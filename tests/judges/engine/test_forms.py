"""Replies of a model that are held to a form: whatever it would say, what it says is of the form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue
from transformers import PreTrainedTokenizerFast

from judges import presets
from judges.asking import Form
from judges.engine.forms import Forms, open_text
from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.questions import Answer, Generate
from tests.judges.engine.plain import asked, entry
from tests.judges.engine.test_generation import written
from tests.judges.tiny import FAMILIES, Family, Tiny

PROMPT = asked("Is it 42? Reply as JSON.")
VERDICT = Form(
    {
        "type": "object",
        "properties": {
            "analysis": {"type": "string", "default": ""},
            "verdict": {"type": "string", "enum": ["correct", "incorrect"]},
        },
        "required": ["analysis", "verdict"],
        "additionalProperties": False,
    }
)


def forms() -> dict[str, Form]:
    """Those of the shipped presets of which a schema of plain objects says all, and what is long is rationale."""
    found = {f"{name}/{part}": form for name in presets.names() for part, form in presets.find(name).forms.items()}
    return {
        name: form
        for name, form in found.items()
        if not any(word in form.text for word in ('"array"', '"scores"', '"if"'))
    }


def asking(form: Form | None, seed: int, max_tokens: int = 400) -> Generate:
    return Generate(PROMPT, max_tokens, temperature=1.0, seed=seed, form=form.text if form else None)


@pytest.fixture
def llama(tiny: Tiny) -> LoadedModel:
    return load(entry("causal", tiny.causal("llama")))


@pytest.mark.parametrize("name", forms())
def test_what_a_model_of_random_weights_says_is_of_the_form(llama: LoadedModel, name: str) -> None:
    form = forms()[name]
    for answer in written(llama, *(asking(form, seed) for seed in range(4))):
        assert answer.finish == "stop"
        value = json.loads(answer.text)
        assert form.read(answer.text) == value


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_held_greedily_too(tiny: Tiny, family: Family) -> None:
    model = load(entry("causal", tiny.causal(family)))
    [answer] = written(model, Generate(PROMPT, 400, form=VERDICT.text))
    assert VERDICT.read(answer.text)["verdict"] in ("correct", "incorrect")


def test_a_text_without_a_form_says_in_their_company_what_it_says_alone(llama: LoadedModel) -> None:
    free = asking(None, 7, 40)
    [alone] = written(llama, free)
    among = written(llama, asking(VERDICT, 1), free, asking(VERDICT, 2))
    assert among[1].text == alone.text
    assert among[0] != among[2]


def test_held_replies_say_the_same_in_any_company(llama: LoadedModel) -> None:
    [alone] = written(llama, asking(VERDICT, 3))
    assert written(llama, asking(VERDICT, 4), asking(VERDICT, 3))[1].text == alone.text


@pytest.mark.parametrize(
    "schema",
    [{"type": "no such type"}, {"type": "object", "properties": {"a": {"$ref": "#/no"}}}],
)
def test_a_form_that_cannot_be_held_to_is_as_none(llama: LoadedModel, schema: dict[str, JsonValue]) -> None:
    [free] = written(llama, asking(None, 5, 30))
    [told] = written(llama, Generate(PROMPT, 30, temperature=1.0, seed=5, form=json.dumps(schema)))
    assert told.text == free.text


def test_an_entry_says_how_its_model_is_held(tiny: Tiny) -> None:
    def said(structured: str) -> Answer:
        return written(load(entry("causal", tiny.causal("llama"), structured=structured)), asking(VERDICT, 6, 60))[0]

    [free] = written(load(entry("causal", tiny.causal("llama"))), asking(None, 6, 60))
    assert said("none").text == free.text
    assert said("json").text.startswith("{")
    assert said("schema") == said("auto")
    assert said("json") != said("schema")


def test_a_tokenizer_that_is_not_known_holds_nothing() -> None:
    from tokenizers import Tokenizer, models

    words = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="a")))
    assert Forms(words, 2, [1]).hold(VERDICT.text, 10) is None
    assert Forms(words, 2, []).hold(VERDICT.text, 10) is None


@pytest.mark.parametrize(
    ("said", "open_member"),
    [
        ('{"analysis":"so it', "analysis"),
        ('{"analysis":"so \\"it', "analysis"),
        ('{"analysis":"so it\\\\"', None),
        ('{"analysis":"so it","ver', None),
        ('{"analysis":"so it","verdict":"cor', "verdict"),
        ('{"principles":["a","b', "principles"),
        ('{"principles":["a"],"critique":"{\\"x', "critique"),
        ('{"steps":[{"reason":"because', "reason"),
        ('{"steps":[{"reason":"because"},{"rea', None),
        ('{"steps":[{"reason":"because"}],"note":"', "note"),
        ('{"scores":{"A":1},"critique":"', "critique"),
        ('{\n  "analysis": "so it', "analysis"),
        ('{\n  "analysis": "so it",\n  "ver', None),
        ('{"score":12', None),
        ("", None),
        ('"text', None),
    ],
)
def test_the_text_that_is_being_written_is_known(said: str, open_member: str | None) -> None:
    assert open_text(said) == open_member


def test_texts_end_in_time_for_what_follows_them(llama: LoadedModel) -> None:
    shape: dict[str, JsonValue] = {
        "type": "object",
        "properties": {"why": {"type": "string", "default": ""}, "quote": {"type": "string"}},
        "required": ["why", "quote"],
        "additionalProperties": False,
    }
    for answer in written(llama, *(asking(Form(shape), seed, 240) for seed in range(6))):
        assert answer.finish == "stop"
        assert set(json.loads(answer.text)) == {"why", "quote"}


def test_what_a_form_holds_to_is_read_from_the_path_alone(tiny: Tiny) -> None:
    """Nothing is shared between models: two entries of one checkpoint hold as each says."""
    path: Path = tiny.causal("llama")
    held, free = (load(entry("causal", path, structured=how)) for how in ("schema", "none"))
    assert written(held, asking(VERDICT, 8, 80))[0].text != written(free, asking(VERDICT, 8, 80))[0].text
