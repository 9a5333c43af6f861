"""The most that a question can cost, known before it is asked.

No tokenizer makes more tokens of a text than it has bytes in UTF-8: the smallest tokens that there are stand for bytes.
Some normalise the text first (NFKC), which can make it longer: then the longer one counts. A chat template adds its own
words, a few a turn and some hundred at the start (dates, a system prompt of its own), and a server may put the form of
a reply into the prompt. Of what is written ``max_tokens`` is the most.

Where a server reports more than that (a longer template, reasoning that it bills beside the reply) the model's bound is
raised by the excess, until the service is started again. One that does not report is charged the most.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from app.admission.budget.amount import Amount, price_tokens
from judges.questions import Answer, Choices, Classify, EachToken, Generate, Prompt, Question, Spans, Steps
from trueward.wire.model import ModelEntry

_TEMPLATE = 512
_TURN = 16


class Bounds:
    def __init__(self) -> None:
        self._excess: dict[str, tuple[int, int]] = {}

    def greatest(self, entry: ModelEntry, question: Question) -> Amount:
        read, written = self._excess.get(entry.name, (0, 0))
        return price_tokens(entry.price, _read(entry, question) + read, _written(question) + written)

    def price_answers(self, entry: ModelEntry, question: Question, answer: Answer, answers: int) -> Amount:
        """What so many answers to a question, summed up in ``answer``, did cost; the most where they do not tell."""
        read = answer.tokens or answers * _read(entry, question)
        untold = answer.text and not answer.written
        written = answers * _written(question) if untold else answer.written
        return price_tokens(entry.price, read, written, answers, answer.cached)

    def learn(self, entry: ModelEntry, question: Question, answer: Answer) -> None:
        read, written = self._excess.get(entry.name, (0, 0))
        more = (answer.tokens - _read(entry, question), answer.written - _written(question))
        if more[0] > read or more[1] > written:
            self._excess[entry.name] = (max(read, more[0]), max(written, more[1]))


def _written(question: Question) -> int:
    """Numbers are read off one token more, which nobody looks at."""
    return question.max_tokens if isinstance(question, Generate) else 1


def _read(entry: ModelEntry, question: Question) -> int:
    around = [entry.system or "", entry.chat_template or ""]
    return _TEMPLATE + sum(map(_tokens, around)) + sum(map(_tokens, _texts(entry, question)))


def _texts(entry: ModelEntry, question: Question) -> Iterator[str]:
    match question:
        case Classify(text, pair):
            yield from _turns(text)
            yield pair or ""
        case Steps(prompt, steps):
            yield from (*_turns(prompt), *steps)
            yield (entry.steps.joint + entry.steps.separator) * len(steps)
        case Spans(prompt, text):
            yield from (*_turns(prompt), text)
        case Choices(prompt, _, said):
            yield from (*_turns(prompt), said)
        case Generate(prompt):
            yield from (*_turns(prompt), question.form or "")
        case EachToken(read):
            yield read if isinstance(read, str) else " " * len(read)


def _turns(prompt: Prompt) -> Iterator[str]:
    if isinstance(prompt, str):
        yield prompt
        return
    for turn in prompt:
        yield from (turn.role, " " * _TURN, turn.content)


def _tokens(text: str) -> int:
    """At most."""
    if text.isascii():
        return len(text)
    return max(_bytes(text), _bytes(normalize("NFKC", text)))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
