"""What a model can be asked, and what it answers: the vocabulary between judges and backends.

A question is a small frozen value: equal questions to the same weights have equal answers, so they may share one
forward pass. A prompt is plain text, or turns that the model's own chat template renders, once. Positions are
characters. The same questions go to the engine of this process, to its process, and to other model servers.
"""

from __future__ import annotations

from dataclasses import dataclass

from trueward.wire.model import Finish


@dataclass(frozen=True, slots=True)
class Turn:
    role: str
    content: str


Prompt = str | tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Classify:
    """The head's logits for a whole text, at its last token: one row.

    ``text`` ends with the response where it is a conversation. ``pair`` is the second text for models of pairs. A
    gated model (ArmoRM) answers three rows: the score alone, its objectives, and the gate's weights of them.
    ``control``: control tokens that stand in a plain text are meant, for a chat template wrote them. ``entire``: a text
    that is too long is refused, whatever the model's entry says.
    """

    text: Prompt
    pair: str | None = None
    control: bool = False
    entire: bool = False


@dataclass(frozen=True, slots=True)
class Steps:
    """What a process reward model says of each step: a row of logits (or log-probabilities of its choices) a step.

    A step has a character beside whitespace: what is said of one that ends where another does cannot be told apart.
    """

    prompt: Prompt
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spans:
    """Log-probabilities of the tokens in spans of ``text``, which follows the prompt: a row a span.

    A conversation is opened for the assistant first, and ``text`` is what the assistant says. ``spans`` are
    ``(start, end)`` in characters of ``text``; a token belongs to a span where it has a character in it. With another
    ``role`` the text is a turn of that role instead.
    """

    prompt: Prompt
    text: str
    spans: tuple[tuple[int, int], ...]
    role: str = "assistant"


@dataclass(frozen=True, slots=True)
class Choices:
    """Log-probabilities of each choice as the next token after the prompt: one row, normalised over the vocabulary.

    Each choice must be one token (a special one too); a conversation is opened for the assistant first, and ``said``
    is what the assistant has said so far. A choice may also be a token's number; ``control`` and ``entire`` are as in
    :class:`Classify`.
    """

    prompt: Prompt
    choices: tuple[str | int, ...]
    said: str = ""
    control: bool = False
    entire: bool = False


@dataclass(frozen=True, slots=True)
class Generate:
    """What the model says next; ``temperature`` 0 is greedy.

    ``form`` is a JSON Schema (as text) for what can make a model keep to one: whoever asks reads the reply as if
    nothing could. What has a ``default`` in it is rationale. ``alternatives``: so many of the likeliest tokens are told
    at each place of the reply.
    """

    prompt: Prompt
    max_tokens: int
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    seed: int | None = None
    top_p: float = 1.0
    form: str | None = None
    alternatives: int = 0


@dataclass(frozen=True, slots=True)
class EachToken:
    """Log-probability of each token after those before it, from the ``start``-th on, which itself has none: one row.

    ``read`` are the numbers of tokens, taken as they are, or a text: its control tokens count, and the tokenizer puts
    its own around it. The answer's ``token_ids`` begin with the ``start``-th token, so they are one more than the row.
    """

    read: str | tuple[int, ...]
    start: int = 0


Question = Classify | Steps | Spans | Choices | Generate | EachToken


def characters(question: Question) -> int:
    """Of all that the model is to read; a token that came as a number is one."""
    match question:
        case Classify(text, pair):
            return _characters(text) + len(pair or "")
        case Steps(prompt, steps):
            return _characters(prompt) + sum(map(len, steps))
        case Spans(prompt, text):
            return _characters(prompt) + len(text)
        case Choices(prompt, _, said):
            return _characters(prompt) + len(said)
        case Generate(prompt):
            return _characters(prompt)
        case EachToken(read):
            return len(read)


def _characters(prompt: Prompt) -> int:
    return len(prompt) if isinstance(prompt, str) else sum(len(turn.content) for turn in prompt)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    ``rows`` are as the question says; ``offsets`` (of :class:`Spans`) has for each row the characters of ``text``
    that each token covers, ``token_ids`` the tokens (of :class:`EachToken` too). ``tokens`` is what was read,
    ``truncated`` how many tokens were cut off first, ``weights`` the version of the weights that answered.

    Of what was generated: ``written`` is the number of its tokens, ``finish`` says why it ended (``stop``, ``length``,
    or ``refused`` by a server's filter), ``alternatives`` has for each token the likeliest with log-probabilities.
    ``model`` is what its server says that it is, empty where it does not say; ``cached`` of the ``tokens`` read were in
    its cache.
    """

    rows: tuple[tuple[float, ...], ...] = ()
    offsets: tuple[tuple[tuple[int, int], ...], ...] = ()
    token_ids: tuple[tuple[int, ...], ...] = ()
    text: str = ""
    tokens: int = 0
    truncated: int = 0
    written: int = 0
    finish: Finish = "stop"
    alternatives: tuple[tuple[tuple[str, float], ...], ...] = ()
    weights: int = 0
    model: str = ""
    cached: int = 0
