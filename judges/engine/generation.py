"""What a model says next, of several texts together, token after token: greedy, or drawn under a seed.

Each text is what it would be alone, up to rounding. It ends at the end of the turn, at a stop (which is not part of
it), where it is whole in the form that it is held to, or where it has as many tokens as it may.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import torch

from judges.base import NotFinite
from judges.engine.failures import device_failures
from judges.engine.forms import Forms, Hold
from judges.engine.growing import Growing
from judges.engine.heads import CHUNK_BYTES
from judges.engine.network import Network
from judges.engine.sampling import Draws, choose_tokens
from judges.engine.work import Work
from judges.questions import Answer, Generate
from trueward.wire.model import Finish

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_BYTES = 4
"""Of a character in UTF-8, at most: a token has one at least."""

Alternatives = tuple[tuple[str, float], ...]


@dataclass(slots=True)
class _Text:
    """One that is being written: its tokens so far."""

    row: int
    work: Work
    asked: Generate
    draws: Draws
    hold: Hold | None
    ids: list[int] = field(default_factory=list)
    alternatives: list[Alternatives] = field(default_factory=list)
    broken: bool = False


@dataclass(slots=True)
class _Company:
    """Texts that go through the network together."""

    texts: list[_Text]
    growing: Growing

    def leave(self, gone: Collection[int]) -> None:
        staying = [place for place, text in enumerate(self.texts) if text.row not in gone]
        if len(staying) == len(self.texts):
            return
        self.texts = [self.texts[place] for place in staying]
        if staying:
            self.growing.keep(staying)


class TextWriting:
    """See :class:`judges.engine.work.Writing`. ``weights`` is what the answers tell."""

    def __init__(
        self, network: Network, tokenizer: PreTrainedTokenizerBase, forms: Forms, works: Sequence[Work], weights: int
    ) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._weights = weights
        self._ends = ends(network, tokenizer)
        texts = [_text(row, work, forms) for row, work in enumerate(works)]
        self._companies = [
            _Company(some, Growing(network, [text.work.ids for text in some])) for some in _companies(network, texts)
        ]

    def step(self, gone: Collection[int]) -> list[tuple[int, Answer | NotFinite]]:
        found: list[tuple[int, Answer | NotFinite]] = []
        with torch.inference_mode(), device_failures():
            for company in self._companies:
                company.leave(gone)
                self._write(company)
                whole = {text.row: answer for text in company.texts if (answer := self._answer(text)) is not None}
                company.leave(whole)
                found += whole.items()
        self._companies = [company for company in self._companies if company.texts]
        return found

    def _write(self, company: _Company) -> None:
        """A token more of each."""
        if not company.texts:
            return
        begun = bool(company.texts[0].ids)
        states = company.growing.grow([text.ids[-1] for text in company.texts]) if begun else company.growing.read()
        project = self._network.model.get_output_embeddings()
        size = max(1, CHUNK_BYTES // (4 * project.weight.shape[0]))
        for begin in range(0, len(states), size):
            logits = project(states[begin : begin + size]).float()
            logits = self._network.squeeze(logits) if self._network.squeeze else logits
            self._choose(company.texts[begin : begin + size], logits)

    def _choose(self, texts: Sequence[_Text], logits: torch.Tensor) -> None:
        """Where a row is not of numbers its text is broken, and the row anything that is one."""
        tops: list[float] = logits.amax(-1).tolist()
        for text, top in zip(texts, tops, strict=True):
            text.broken = not isfinite(top)
        logits = logits.nan_to_num(nan=0.0, posinf=0.0, neginf=-torch.inf)
        drawn = choose_tokens(_held(texts, logits), [text.draws for text in texts])
        for text, token in zip(texts, drawn, strict=True):
            text.ids.append(token)
            if text.hold is not None:
                text.hold.take(token)
        most = max(text.asked.alternatives for text in texts)
        if most:
            self._tell(texts, logits.log_softmax(-1).topk(min(most, logits.shape[1])))

    def _tell(self, texts: Sequence[_Text], likeliest: torch.return_types.topk) -> None:
        for text, ids, values in zip(texts, likeliest.indices.tolist(), likeliest.values.tolist(), strict=True):
            count = text.asked.alternatives
            if count:
                said = [str(self._tokenizer.decode([token])) for token in ids[:count]]
                text.alternatives.append(tuple(zip(said, values, strict=False)))

    def _answer(self, text: _Text) -> Answer | NotFinite | None:
        """None while it goes on."""
        if text.broken:
            return NotFinite("the model said NaN or infinity after this text")
        ended = text.ids[-1] in self._ends
        finish: Finish = "stop"
        held = text.hold is not None and text.hold.whole
        if not ended and not held and not self._stopped(text):
            if len(text.ids) < text.asked.max_tokens:
                return None
            finish = "length"
        said = self._said(text.ids[: len(text.ids) - ended])
        return Answer(
            text=said[: min(_stops(said, text.asked), default=len(said))],
            tokens=text.work.tokens,
            written=len(text.ids),
            finish=finish,
            alternatives=tuple(text.alternatives),
            weights=self._weights,
        )

    def _stopped(self, text: _Text) -> bool:
        """Whether its end has a stop in it; one that is further back was seen before."""
        if not text.asked.stop:
            return False
        reach = _BYTES * (1 + max(map(len, text.asked.stop)))
        return any(True for _ in _stops(self._said(text.ids[-reach:]), text.asked))

    def _said(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))


def _text(row: int, work: Work, forms: Forms) -> _Text:
    asked = work.then
    assert asked is not None, "only what is to be generated is written"
    draws = Draws.of(asked.temperature, asked.top_p, asked.seed)
    return _Text(row, work, asked, draws, forms.hold(asked.form, asked.max_tokens))


def _held(texts: Sequence[_Text], logits: torch.Tensor) -> torch.Tensor:
    """Minus infinity for each token that a text's form has no place for."""
    rows = [row for row, text in enumerate(texts) if text.hold is not None]
    if not rows:
        return logits
    width = logits.shape[1]
    allowed = torch.stack([text.hold.compute_mask(width) for text in texts if text.hold is not None])
    held = logits.clone()  # alternatives are told of the model's own
    held[rows] = held[rows].masked_fill(~allowed.to(logits.device), -torch.inf)
    return held


def _companies(network: Network, texts: Sequence[_Text]) -> Iterator[list[_Text]]:
    """All together, or where padding changes what the architecture says only those of one length."""
    if network.pads_left:
        yield list(texts)
        return
    lengths: dict[int, list[_Text]] = {}
    for text in texts:
        lengths.setdefault(text.work.tokens, []).append(text)
    yield from lengths.values()


def _stops(said: str, asked: Generate) -> Iterator[int]:
    """Where stops begin."""
    return (place for place in map(said.find, asked.stop) if place >= 0)


def ends(network: Network, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Tokens that end a turn; a checkpoint's own cuts and penalties count for nothing."""
    named = network.model.generation_config.eos_token_id
    named = tokenizer.eos_token_id if named is None else named
    return frozenset(named if isinstance(named, list) else () if named is None else (named,))
