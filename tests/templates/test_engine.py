"""What the engine makes of conversations by real templates and tokenizers: no model is needed for that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges import presets
from judges.engine.render import Renderer, Says
from judges.questions import Classify, Generate, Prompt, Spans, Steps, Turn
from tests.judges.engine.plain import asked, entry, told
from tests.judges.presets.render import GOLDEN
from tests.templates.families import TALKING, folder, tokenizer_of

pytestmark = pytest.mark.template

TEXTS = ("It is 42.", " a space first", "größer 🙂 é 答案", "1\n\n2", "👩‍👩‍👧", "a_b \\frac{1}{2} 3.14")
TALK = (*told("It is 42.", "What is 12 + 30?"), Turn("user", "Are you sure?"))


def ids_of(family: str, turns: Sequence[Turn], *, opened: bool = False) -> list[int]:
    """As transformers itself makes tokens of a conversation."""
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    ids = tokenizer_of(family).apply_chat_template(messages, add_generation_prompt=opened, return_dict=False)
    return [int(token) for token in ids]


@cache
def renderer(family: str, says: Says, separator: str = "") -> Renderer:
    kind = {"next": "causal", "labels": "process"}[says]
    steps = {"style": "separator", "separator": separator} if separator else {"style": "last_token", "joint": "\n\n"}
    return Renderer(entry(kind, folder(family), steps=steps), tokenizer_of(family), 4096, says)


@pytest.mark.parametrize("family", TALKING)
def test_a_conversation_is_tokenised_as_transformers_does(family: str) -> None:
    for text in TEXTS:
        work = renderer(family, "labels").encode(Classify(told(text.strip())))
        assert list(work.ids) == ids_of(family, told(text.strip()))
        written = renderer(family, "next").encode(Generate(TALK, 8))
        assert list(written.ids) == ids_of(family, TALK, opened=True)


@pytest.mark.parametrize("family", TALKING)
def test_there_is_one_bos_at_most(family: str) -> None:
    """Plain text has what the tokenizer puts before it: DeepSeek's puts nothing, as transformers reads it."""
    tokenizer = tokenizer_of(family)
    bos = tokenizer.bos_token_id
    for prompt in (asked(), TALK):
        assert renderer(family, "next").encode(Spans(prompt, " 42", ((0, 3),))).ids.count(bos) == (bos is not None)
    ids = renderer(family, "next").encode(Spans("12 + 30 =", " 42", ((0, 3),))).ids
    assert list(ids) == tokenizer("12 + 30 = 42")["input_ids"]


@pytest.mark.parametrize("family", TALKING)
def test_no_control_token_of_a_policy_counts(family: str) -> None:
    tokenizer = tokenizer_of(family)
    control = set(tokenizer.all_special_ids) | {n for n, one in tokenizer.added_tokens_decoder.items() if one.special}
    forged = "".join(tokenizer.added_tokens_decoder[n].content for n in sorted(control)[:300])

    def written(prompt: Prompt) -> list[int]:
        return [token for token in renderer(family, "labels").encode(Classify(prompt)).ids if token in control]

    assert written(told(f"x{forged}x")) == written(told("x"))
    work = renderer(family, "next").encode(Spans(asked(), forged, ((0, len(forged)),)))
    assert not control.intersection(work.ids[work.shared :])


@settings(max_examples=60, deadline=None)
@given(data=st.data(), family=st.sampled_from(TALKING))
def test_a_span_has_the_tokens_that_have_a_character_in_it(data: st.DataObject, family: str) -> None:
    texts = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=40) | st.sampled_from(TEXTS)
    text = data.draw(texts)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    work = renderer(family, "next").encode(Spans(asked(), text, ((start, end), (0, len(text)))))
    within, whole = work.offsets
    assert within == tuple((a, b) for a, b in whole if a < end and b > start and start < end)
    assert {place for a, b in whole for place in range(a, b)} == set(range(len(text)))


@pytest.mark.parametrize("family", TALKING)
def test_each_step_is_read_at_its_end(family: str) -> None:
    steps = ("Add 10.", "Add 2, which gives 42 🙂", "<think>\nDone.\n</think>")
    work = renderer(family, "labels").encode(Steps(asked(), steps))
    for n, position in enumerate(work.read.positions):
        said = str(tokenizer_of(family).decode(work.ids[: position + 1]))
        assert said.rstrip().endswith("\n\n".join(steps[: n + 1]).rstrip())


@pytest.mark.parametrize("family", TALKING)
def test_a_separator_is_one_control_token_and_read_where_we_wrote_it(family: str) -> None:
    tokenizer, talk = tokenizer_of(family), str(tokenizer_of(family).decode(ids_of(family, told("42"), opened=True)))
    separator = next(
        one.content for one in tokenizer.added_tokens_decoder.values() if one.special and one.content not in talk
    )
    work = renderer(family, "labels", separator).encode(Steps(asked(), (f"First {separator}", "then", separator)))
    mark = tokenizer.convert_tokens_to_ids(separator)
    assert [n for n, token in enumerate(work.ids) if token == mark] == list(work.read.positions)
    assert len(work.read.positions) == 3


@pytest.mark.parametrize("family", TALKING)
def test_every_preset_is_asked_by_every_template(family: str) -> None:
    """What stands in the golden prompts is in the text that the model reads, whole and once."""
    for preset in presets.names():
        for question in questions(preset):
            ids = renderer(family, "next").encode(Generate(question, 64)).ids
            said = str(tokenizer_of(family).decode(ids))
            assert [said.count(turn.content) for turn in question] == [1] * len(question), preset


def questions(preset: str) -> list[tuple[Turn, ...]]:
    """The golden prompts of a preset, read as turns."""
    found: list[list[Turn]] = []
    for part in (GOLDEN / f"{preset}.txt").read_text(encoding="utf-8").split("##### question ")[1:]:
        found.append([])
        for turn in part.split("\n=== ")[1:]:
            role, _, content = turn.partition("\n")
            if role in ("system", "user", "assistant"):
                found[-1].append(Turn(role, content.strip()))
    return [tuple(turns) for turns in found]
