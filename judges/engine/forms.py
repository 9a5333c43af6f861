"""Replies held to a form: of the vocabulary those tokens are left that a text of the form can go on with.

What a JSON Schema allows after each token is llguidance's to say, over the bytes of the model's own tokens. Between two
signs stands a space, or a line feed and some spaces, and numbers have two decimals at most, so that no reply runs on in
them. A free text is ended when the tokens for texts are spent (:mod:`judges.asking.bounds`), so that the decision after
it is reached. A schema or a tokenizer that llguidance cannot read holds nothing, as if no form had been asked
for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import torch
from llguidance import LLMatcher, LLTokenizer
from pydantic import JsonValue

from judges.asking.bounds import is_free_text, text_tokens

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_SPACES = r"(\x20|\x0A\x20{0,8})?"
"""Models write JSON as they saw it: with a space after a comma, or with a line a member."""
_WITHIN = ("items", "prefixItems", "anyOf")
_ANY = '{"type": "object"}'


class Hold:
    """What one reply may go on with; its tokens are told one by one.

    ``quote`` is the token of a quotation mark; the texts that are named ``texts`` end after ``patience`` tokens.
    """

    def __init__(
        self,
        matcher: LLMatcher,
        tokenizer: PreTrainedTokenizerBase,
        patience: int,
        quote: int | None,
        texts: frozenset[str],
    ) -> None:
        self._matcher = matcher
        self._tokenizer = tokenizer
        self._patience = patience
        self._quote = quote
        self._texts = texts
        self._ids: list[int] = []

    @property
    def whole(self) -> bool:
        """Whether nothing can follow but the end."""
        return bool(self._matcher.is_stopped())

    def compute_mask(self, width: int) -> torch.Tensor:
        """(width) true for tokens that may come next; on the CPU."""
        packed = torch.frombuffer(bytearray(self._matcher.compute_bitmask()), dtype=torch.uint8)
        bits = (packed[:, None] >> torch.arange(8, dtype=torch.uint8)) & 1
        found = torch.zeros(width, dtype=torch.bool)
        flat = bits.flatten()[:width]
        found[: len(flat)] = flat.bool()
        if self._quote is not None and found[self._quote] and self._ends_text():
            found[:] = False
            found[self._quote] = True
        return found

    def take(self, token: int) -> None:
        self._ids.append(token)
        self._matcher.consume_token(token)

    def _ends_text(self) -> bool:
        late = len(self._ids) >= self._patience
        return late and open_text(str(self._tokenizer.decode(self._ids))) in self._texts


class Forms:
    """The forms of one model, whose logits are ``width`` numbers and whose turns end with one of ``ends``.

    Its tokenizer is prepared when the first form is asked for. ``kept``: as in an entry's ``structured``.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, width: int, ends: Sequence[int], kept: str = "auto") -> None:
        self._tokenizer = tokenizer
        self._width = width
        self._ends = list(ends)
        self._kept = kept
        self._prepared: LLTokenizer | None = None
        self._refused = kept == "none" or not ends

    def hold(self, form: str | None, max_tokens: int) -> Hold | None:
        """None where there is no form, or it cannot be held to."""
        if form is None or self._refused or (tokens := self._tokens()) is None:
            return None
        schema = json.loads(_ANY if self._kept == "json" else form)
        try:
            # lenient: a keyword that is not known there holds to less; whoever reads the reply knows it
            grammar = LLMatcher.grammar_from_json_schema(
                json.dumps(_brief(schema)), overrides={"whitespace_pattern": _SPACES, "lenient": True}
            )
            matcher = LLMatcher(tokens, grammar, log_level=0)
        except ValueError:
            return None
        if matcher.is_error():
            return None
        said = tokens.tokenize_str('"')
        quote = said[0] if len(said) == 1 else None
        return Hold(matcher, self._tokenizer, text_tokens(schema, max_tokens), quote, frozenset(_texts(schema)))

    def _tokens(self) -> LLTokenizer | None:
        if self._prepared is None:
            try:
                said = self._tokenizer.backend_tokenizer.to_str()
                self._prepared = LLTokenizer(said, n_vocab=self._width, eos_token=self._ends)
            except ValueError:
                self._refused = True
        return self._prepared


def open_text(said: str) -> str | None:
    """The member whose text, or whose list's text, is open at the end of JSON; None outside of one."""
    names: list[str | None] = []  # of the containers that are open: the member being said; None in lists
    is_list: list[bool] = []
    begun, name = -1, True
    place, last = 0, ""
    while place < len(said):
        sign = said[place]
        if begun >= 0:
            if sign == "\\":
                place += 1
            elif sign == '"':
                if name and names:
                    names[-1] = said[begun:place]
                begun = -1
        elif sign == '"':
            begun = place + 1
            name = bool(is_list) and not is_list[-1] and last in ("{", ",")
        elif sign in "{[":
            is_list.append(sign == "[")
            names.append(names[-1] if names and sign == "[" else None)
        elif sign in "}]" and names:
            is_list.pop()
            names.pop()
        if not sign.isspace():
            last = sign
        place += 1
    return names[-1] if begun >= 0 and not name and names else None


def _texts(schema: JsonValue, name: str | None = None) -> Iterator[str]:
    """The names of members that are free texts, or lists of them."""
    if isinstance(schema, list):
        for one in schema:
            yield from _texts(one, name)
    if not isinstance(schema, dict):
        return
    if name is not None and is_free_text(schema):
        yield name
    members = schema.get("properties")
    for inner, one in members.items() if isinstance(members, dict) else ():
        yield from _texts(one, inner)
    for within in _WITHIN:
        yield from _texts(schema.get(within), name)


def _brief(schema: JsonValue) -> JsonValue:
    """The same with two decimals at most."""
    if isinstance(schema, list):
        return [_brief(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    own: dict[str, JsonValue] = {"multipleOf": 0.01} if schema.get("type") == "number" else {}
    properties = schema.get("properties")
    within: dict[str, JsonValue] = {name: _brief(schema[name]) for name in _WITHIN if name in schema}
    if isinstance(properties, dict):
        within["properties"] = {name: _brief(one) for name, one in properties.items()}
    return own | schema | within
