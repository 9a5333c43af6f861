"""Text made tokens, with offsets, so that nobody but the chat template writes a control token.

A tokenizer finds ``<|im_end|>`` or ``<extra_0>`` wherever they stand, so a policy that writes them ends its turn or
makes a step of its own. Here the control tokens have secret names instead, drawn when the model is loaded, and whole
texts are tokenised once under those names. What is to be rendered is first :meth:`Tokens.hide`-n (control texts in it
become marks that a template cannot take for its own), then the template writes its control tokens, then
:meth:`Tokens.seal` gives those their secret names and the hidden ones their text back. Everything else is as the
tokenizer does it: merges, spaces, normalisation.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from judges.base import ModelUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PRIVATE = 0xF0000
"""First character of the private-use plane that secret names are made of; no text has a meaning for them."""

_STEP = 1024
"""Characters at least whose tokens are counted at once."""


@dataclass(frozen=True, slots=True)
class Tokenized:
    """Token ids and the characters ``[start, end)`` of the sealed text that each covers."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class Tokens:
    """A tokenizer whose control tokens only :meth:`seal` can name.

    ``more`` are tokens that count as control tokens though the tokenizer does not call them special. Raises
    :class:`judges.base.ModelUnavailable` where the tokenizer cannot be renamed so.
    """

    def __init__(self, tokenizer: Tokenizer, more: Iterable[str] = ()) -> None:
        from tokenizers import Tokenizer

        known = cast(dict[str, object], json.loads(tokenizer.to_str()))
        added = cast(list[dict[str, object]], known["added_tokens"])
        chosen = set(more)
        self._texts = [str(token["content"]) for token in added if token["special"] or token["content"] in chosen]
        ours, self._theirs = _name(), _name()
        self._names = {text: ours + chr(PRIVATE + n) for n, text in enumerate(self._texts)}
        self._tokenizer = Tokenizer.from_str(json.dumps(_renamed(known, self._names)))
        for text, name in self._names.items():
            if self._tokenizer.token_to_id(name) != tokenizer.token_to_id(text):
                raise ModelUnavailable(f"the tokenizer changes its ids when {text!r} has another name")
        self._unknown = self._tokenizer.token_to_id(self._names.get(_unknown_of(known), "")) if self._names else None
        control = "|".join(re.escape(text) for text in sorted(self._texts, key=len, reverse=True)) or r"(?!)"
        self._control = re.compile(control)
        marks = f"[{chr(PRIVATE)}-{chr(PRIVATE + max(0, len(self._texts) - 1))}]"
        self._sealing = re.compile(f"({control})|{self._theirs}({marks})")
        self.before, self.after = self._around()

    def controls(self, text: str) -> bool:
        """Whether ``text`` is a control token, which only :meth:`seal` can write."""
        return text in self._names

    def hide(self, text: str) -> str:
        """``text`` with a mark in place of every control text, for a template to write somewhere."""
        return self._control.sub(lambda found: self._theirs + chr(PRIVATE + self._texts.index(found[0])), text)

    def seal(self, rendered: str) -> str:
        """The template's control texts under their secret names, and hidden ones as the plain text that they are."""
        return self._sealing.sub(
            lambda found: self._names[found[1]] if found[1] else self._texts[ord(found[2]) - PRIVATE], rendered
        )

    def tokenize(self, sealed: str, most: int | None = None) -> Tokenized:
        """Tokens of a text, none added around it.

        Of one that has far more than ``most`` only the first are made, more than ``most``: it is refused anyway, and
        the tokens of a megabyte take seconds in which nobody else's are made.
        """
        beginning = sealed if most is None else self._beginning(sealed, most)
        encoding = self._tokenizer.encode(beginning, add_special_tokens=False)
        if most is not None and len(encoding.ids) <= most and beginning is not sealed:
            encoding = self._tokenizer.encode(sealed, add_special_tokens=False)
        starts, ends = zip(*encoding.offsets, strict=True) if encoding.ids else ((), ())
        return Tokenized(tuple(encoding.ids), starts, ends)

    def pair(self, first: str, second: str) -> tuple[tuple[int, ...], int]:
        """Two texts as the tokenizer joins them, and where the second begins (0: the tokenizer marks no second)."""
        encoding = self._tokenizer.encode(first, second)
        return tuple(encoding.ids), encoding.type_ids.index(1) if 1 in encoding.type_ids else 0

    def single(self, text: str) -> int | None:
        """The one token that ``text`` is, a control token too; None where it is not one."""
        found = self.tokenize(self._names.get(text, text)).ids
        return found[0] if len(found) == 1 else None

    def says(self, tokenized: Tokenized, sealed: str) -> bool:
        """Whether the tokens, decoded, are the text: up to normalisation, and what the vocabulary cannot say."""
        if self._unknown is not None and self._unknown in tokenized.ids:
            return True
        decoded = self._tokenizer.decode(list(tokenized.ids), skip_special_tokens=False)
        return decoded == sealed or self._normal(decoded) == self._normal(sealed)

    def _beginning(self, sealed: str, most: int) -> str:
        """The text, or a beginning of it that has more than twice ``most`` tokens; a cut in mid-word makes a few."""
        found, step = 0, max(most, _STEP)
        for end in range(step, len(sealed), step):
            found += len(self._tokenizer.encode(sealed[end - step : end], add_special_tokens=False).ids) - 1
            if found > 2 * most:
                return sealed[:end]
        return sealed

    def _normal(self, text: str) -> str:
        normalizer = self._tokenizer.normalizer
        return (normalizer.normalize_str(text) if normalizer else text).lstrip(" ▁")

    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tokens that the tokenizer puts before and after a text."""
        encoding = self._tokenizer.encode("a")
        plain = [n for n, special in enumerate(encoding.special_tokens_mask) if not special]
        ids = tuple(encoding.ids)
        return ids[: plain[0]], ids[plain[-1] + 1 :]


def _name() -> str:
    """68 bits that nobody can guess: a text that has them by chance is not to be expected."""
    return "".join(chr(PRIVATE + secrets.randbelow(0xFFFE)) for _ in range(4)) + chr(PRIVATE + 0xFFFD)


def _unknown_of(known: dict[str, object]) -> str:
    return str(cast(dict[str, object], known["model"]).get("unk_token") or "")


def _renamed(known: dict[str, object], names: dict[str, str]) -> dict[str, object]:
    """The tokenizer's description with other names for some tokens, full offsets, and no cutting or padding."""
    added = [
        token | {"content": names[str(token["content"])], "normalized": False} if token["content"] in names else token
        for token in cast(list[dict[str, object]], known["added_tokens"])
    ]
    model = dict(cast(dict[str, object], known["model"]))
    vocabulary = model.get("vocab")
    if isinstance(vocabulary, dict):
        model["vocab"] = {names.get(text, text): number for text, number in vocabulary.items()}
    elif isinstance(vocabulary, list):
        model["vocab"] = [[names.get(text, text), score] for text, score in vocabulary]
    if model.get("unk_token") in names:
        model["unk_token"] = names[str(model["unk_token"])]
    if "merges" in model:
        model["merges"] = [merge for merge in cast(list[list[str]], model["merges"]) if not _makes(merge, names)]
    around = {part: _untrimmed(known.get(part)) for part in ("pre_tokenizer", "post_processor")}
    return known | around | {"added_tokens": added, "model": model, "truncation": None, "padding": None}


def _makes(merge: list[str], names: dict[str, str]) -> bool:
    """Whether a merge has to do with a control token: those are never made of letters."""
    return not names.keys().isdisjoint((*merge, "".join(merge)))


def _untrimmed(part: object) -> object:
    """Offsets cover the space before a word, as the token does."""
    if isinstance(part, dict):
        return {key: False if key == "trim_offsets" else _untrimmed(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_untrimmed(value) for value in part]
    return part
