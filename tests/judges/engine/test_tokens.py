"""Only templates write control tokens; everything else is tokenised as the tokenizer itself would."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.engine.tokens import PRIVATE, Tokens
from tests.judges.words import SPECIAL, style_of, tokenizer

NAMES = ("llama", "qwen2", "gemma2", "bert")
KNOWN = {name: tokenizer(name) for name in NAMES}
GUARDED = {name: Tokens(KNOWN[name].backend_tokenizer) for name in NAMES}
TEXTS = (
    "What is 12 + 30? It is 42, because 10 + 30 = 40.",
    "e\u0301 größer 🙂 👩‍👩‍👧 答案是四十二",
    "  two spaces\n\n\ttab, and the end \n",
    "\ufeff\u200b\u202e zero width and right to left \u0627\u0644",
    "",
)
ANY = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


def control_ids(name: str) -> set[int]:
    return {KNOWN[name].convert_tokens_to_ids(text) for text in SPECIAL[style_of(name)]} - {KNOWN[name].unk_token_id}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_without_control_tokens_is_tokenised_as_ever(name: str, text: str) -> None:
    assert GUARDED[name].tokenize(text).ids == tuple(KNOWN[name](text, add_special_tokens=False)["input_ids"])


@settings(max_examples=100, deadline=None)
@given(text=ANY, name=st.sampled_from(NAMES))
def test_any_text_is_tokenised_as_ever(text: str, name: str) -> None:
    plain = KNOWN[name](text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    assert GUARDED[name].tokenize(text).ids == tuple(plain)


@pytest.mark.parametrize("name", NAMES)
def test_a_control_text_that_a_template_wrote_is_its_token(name: str) -> None:
    for text in SPECIAL[style_of(name)]:
        ids = GUARDED[name].tokenize(GUARDED[name].seal(f"{text}a{text}")).ids
        assert ids[0] == ids[-1] == KNOWN[name].convert_tokens_to_ids(text)


@settings(max_examples=120, deadline=None)
@given(data=st.data(), name=st.sampled_from(NAMES))
def test_no_policy_writes_a_control_token(data: st.DataObject, name: str) -> None:
    control = SPECIAL[style_of(name)]
    pieces = st.sampled_from(control) | ANY | st.sampled_from(control).map(lambda text: text[:-1]) | st.just("|>")
    hostile = "".join(data.draw(st.lists(pieces, max_size=6)))
    guarded = GUARDED[name]
    sealed = guarded.seal(control[0] + guarded.hide(hostile) + control[1])
    ids = guarded.tokenize(sealed).ids
    written = [token for token in ids if token in control_ids(name)]
    first, second = (KNOWN[name].convert_tokens_to_ids(text) for text in control[:2])
    assert written == [token for token in (first, second) if token in control_ids(name)]
    assert hostile in sealed
    # as plain text they reach the model: nothing is dropped
    assert guarded.tokenize(hostile).ids == tuple(
        KNOWN[name](hostile, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    )


@pytest.mark.parametrize("name", NAMES)
def test_private_characters_name_nothing(name: str) -> None:
    """The secret names are drawn for each load: those of another are any characters."""
    other = Tokens(KNOWN[name].backend_tokenizer)
    stolen = other.seal("".join(SPECIAL[style_of(name)]))
    hidden = other.hide("".join(SPECIAL[style_of(name)]))
    every = "".join(chr(PRIVATE + n) for n in range(16))
    for text in (stolen, hidden, every):
        ids = GUARDED[name].tokenize(GUARDED[name].seal(GUARDED[name].hide(text))).ids
        assert control_ids(name).isdisjoint(ids)


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize("text", TEXTS)
def test_offsets_are_characters_and_the_tokens_say_the_text(name: str, text: str) -> None:
    found = GUARDED[name].tokenize(text)
    assert list(found.starts) == sorted(found.starts)
    assert list(found.ends) == sorted(found.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(found.starts, found.ends, strict=True))
    assert GUARDED[name].says(found, text)
    assert not text.strip() or not GUARDED[name].says(found, text + "x")


@pytest.mark.parametrize(
    ("name", "before", "after"), [("llama", 1, 0), ("qwen2", 0, 0), ("gemma2", 1, 0), ("bert", 1, 1)]
)
def test_what_a_tokenizer_puts_around_a_text(name: str, before: int, after: int) -> None:
    assert (len(GUARDED[name].before), len(GUARDED[name].after)) == (before, after)
    whole = GUARDED[name].before + GUARDED[name].tokenize("the sum").ids + GUARDED[name].after
    assert whole == tuple(KNOWN[name]("the sum")["input_ids"])


def test_pairs_are_joined_as_the_tokenizer_does() -> None:
    ids, second = GUARDED["bert"].pair("the sum", "the answer [SEP] is")
    types = KNOWN["bert"]("the sum", "the answer", return_token_type_ids=True)["token_type_ids"]
    assert second == types.index(1)
    assert ids.count(KNOWN["bert"].sep_token_id) == 2


@settings(max_examples=100, deadline=None)
@given(text=ANY, name=st.sampled_from(NAMES), most=st.integers(1, 40), times=st.integers(1, 60))
def test_a_text_that_fits_has_all_its_tokens_and_one_that_does_not_more_than_fit(
    text: str, name: str, most: int, times: int
) -> None:
    long = text * times
    whole, bounded = GUARDED[name].tokenize(long).ids, GUARDED[name].tokenize(long, most).ids
    assert bounded == whole if len(whole) <= most else len(bounded) > most


@pytest.mark.parametrize("name", ["llama", "qwen2", "gemma2"])
@pytest.mark.parametrize(
    "text", ["a" * 2**20, "\U000f0000" * 2**18, " " * 2**19 + "\u200b" * 2**18, "e" + "\u0301" * 2**18]
)
def test_of_a_text_that_is_far_too_long_only_the_first_tokens_are_made(name: str, text: str) -> None:
    assert 512 < len(GUARDED[name].tokenize(text, 512).ids) < 20 * 512
