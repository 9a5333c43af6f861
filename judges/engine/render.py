"""Questions made tokens: the chat template applied once, and the whole string tokenised once.

A template's string gets no tokens beside those it writes, so never two BOS; a plain text gets those that the tokenizer
puts around it. Where tokens begin is read off character offsets in that one string: a span may begin in mid-token.
What is too long is refused, or cut as the entry says; spans, steps and second texts are never cut.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal

from judges.base import TooLong, Unaskable
from judges.engine.tokens import Tokenized, Tokens
from judges.engine.work import Read, Work
from judges.questions import Choices, Classify, EachToken, Generate, Prompt, Question, Spans, Steps, Turn
from trueward.wire.model import ModelEntry

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Says = Literal["labels", "gated", "next"]
"""What a model's head says: a row of labels, an ArmoRM's objectives and gate, or the next token."""
REMEMBERED = 1024
"""Rendered prompts that are kept: the members of a group come with the same one."""


class Renderer:
    """Makes works of questions to one model. ``limit`` is its longest text in tokens."""

    def __init__(self, entry: ModelEntry, tokenizer: PreTrainedTokenizerBase, limit: int, says: Says) -> None:
        self.entry = entry
        self.limit = limit
        self.says = says
        self.tokenizer = tokenizer
        self.tokens = Tokens(tokenizer.backend_tokenizer, more=[entry.steps.separator])
        self._opened = lru_cache(REMEMBERED)(lambda turns: self._render(turns, opened=True))
        self._closed = lru_cache(REMEMBERED)(lambda turns: self._render(turns, opened=False))

    def encode(self, question: Question) -> Work:
        """Raises :class:`judges.base.TooLong` or :class:`judges.base.Unaskable`."""
        match question:
            case Classify():
                return self._classify(question)
            case Steps():
                return self._steps(question)
            case Spans():
                return self._spans(question)
            case Choices():
                return self._choices(question)
            case Generate():
                return self._generate(question)
            case EachToken():
                return self._each(question)

    def _classify(self, question: Classify) -> Work:
        self._needs("labels", "gated")
        if question.pair is not None:
            return self._pair(question.text, question.pair)
        if isinstance(question.text, str):
            text = self.tokens.seal(question.text) if question.control else question.text
            return self._last(question, self._text(text), 0)
        before, opened = self._before(question.text)
        sealed = self._render(question.text, opened=False)
        tokenized = self._tokenized(sealed)
        shared = bisect_right(tokenized.ends, len(opened)) if opened and sealed.startswith(opened) else 0
        gate = bisect_right(tokenized.ends, len(before)) if before and sealed.startswith(before) else None
        return self._last(question, tokenized.ids, shared, gate)

    def _last(self, question: Classify, ids: tuple[int, ...], shared: int, gate: int | None = None) -> Work:
        if len(ids) > self.limit and (question.entire or self.entry.truncation == "refuse"):
            prompt = question.text if isinstance(question.text, str) else question.text[:-1]
            raise self._too_long(prompt, shared, len(ids))
        kept, cut, head = self._fit(ids)
        last = len(kept) - 1
        if last < 0:
            raise Unaskable("the text has no token")
        if self.says != "gated":
            return Work(kept, Read((last,)), shared=0 if cut else shared, truncated=cut)
        if gate is None:
            raise Unaskable("a gated model reads where the prompt ends: it takes conversations of several turns")
        gate -= cut if gate >= head and self.entry.truncation == "left" else 0
        if not head <= gate < last:
            raise TooLong("response", len(ids), self.limit)
        return Work(kept, Read((gate, last)), shared=0 if cut else shared, truncated=cut)

    def _pair(self, first: Prompt, second: str) -> Work:
        if not isinstance(first, str):
            raise Unaskable("the first text of a pair is a plain text, not a conversation")
        if self.says == "gated":
            raise Unaskable("a gated model reads conversations, not pairs")
        ids, where = self.tokens.pair(first, second)
        if len(ids) > self.limit:
            alone = len(self._text(first))
            raise TooLong("response" if alone < self.limit else "prompt", len(ids), self.limit)
        return Work(ids, Read((len(ids) - 1,)), second=where)

    def _steps(self, question: Steps) -> Work:
        reading = self.entry.steps
        self._needs("next" if reading.style == "choices" else "labels")
        if not question.steps:
            raise Unaskable("there are no steps")
        # templates trim a turn, and places in it are read: the whitespace around the steps is not theirs
        steps = [*question.steps]
        steps[0] = steps[0].lstrip()
        steps[-1] = steps[-1].rstrip() if reading.style == "last_token" else steps[-1]
        hidden = [self.tokens.hide(step) for step in steps]
        mark = "" if reading.style == "last_token" else reading.joint + reading.separator
        joint = reading.joint if reading.style == "last_token" else ""
        content = joint.join(step + mark for step in hidden)
        tokenized, sealed, start = self._said(question.prompt, content, "assistant")
        shared = bisect_right(tokenized.ends, start)
        if len(tokenized.ids) > self.limit:
            raise self._too_long(question.prompt, shared, len(tokenized.ids))
        lengths = [len(self.tokens.seal(step + mark)) for step in hidden]
        ends = [start + n * len(joint) + end for n, end in enumerate(accumulate(lengths))]
        positions = _ending(tokenized, ends)
        if not self._apart(tokenized, positions, ends):
            head = tokenized.ids[: len(self.tokens.before)] if isinstance(question.prompt, str) else ()
            tokenized = self._cut(sealed, ends, head)
            positions = _ending(tokenized, ends)
        self._check_marks(tokenized, positions)
        targets = (self._singles(tuple(reading.choices)),) * len(positions) if reading.style == "choices" else None
        return Work(tokenized.ids, Read(positions, targets), shared)

    def _apart(self, tokenized: Tokenized, positions: tuple[int, ...], ends: Sequence[int]) -> bool:
        """Whether every step ends in a token of its own, and every separator at a token's end."""
        if any(later <= earlier for earlier, later in pairwise(positions)):
            return False
        marked = self.entry.steps.style != "last_token"
        return not marked or all(tokenized.ends[n] == end for n, end in zip(positions, ends, strict=True))

    def _cut(self, sealed: str, ends: Sequence[int], head: tuple[int, ...]) -> Tokenized:
        """Tokens that end where steps do: what a policy wrote there would else grow together with our separator."""
        ids, starts, stops = [*head], [0] * len(head), [0] * len(head)
        for begin, end in pairwise((0, *ends, len(sealed))):
            piece = self.tokens.tokenize(sealed[begin:end])
            ids += piece.ids
            starts += [begin + n for n in piece.starts]
            stops += [begin + n for n in piece.ends]
        return Tokenized(tuple(ids), tuple(starts), tuple(stops))

    def _check_marks(self, tokenized: Tokenized, positions: tuple[int, ...]) -> None:
        """Every step has a token of its own, and control tokens are where we read and nowhere else."""
        if any(later <= earlier for earlier, later in pairwise(positions)):
            raise Unaskable("two steps end in the same token")
        text = self.entry.steps.separator
        separator = self.tokens.single(text)
        if self.entry.steps.style == "separator" and separator is None:
            raise Unaskable(f"the separator {text!r} is not one token of this model")
        if self.entry.steps.style == "last_token" or not self.tokens.controls(text):
            return
        if tuple(n for n, token in enumerate(tokenized.ids) if token == separator) != positions:
            raise Unaskable(f"the separators {text!r} are not those that end the steps")

    def _spans(self, question: Spans) -> Work:
        self._needs("next")
        if any(not 0 <= start <= end <= len(question.text) for start, end in question.spans):
            raise Unaskable("a span is not within its text")
        tokenized, sealed, start = self._said(question.prompt, question.text, question.role, verbatim=True)
        shared = bisect_right(tokenized.ends, start)
        if len(tokenized.ids) > self.limit:
            raise self._too_long(question.prompt, shared, len(tokenized.ids))
        if not self.tokens.says(self._bare(tokenized, question.prompt), sealed):
            raise Unaskable("the tokens do not say the text: this tokenizer loses characters")
        tokenized = _covering(tokenized, len(sealed))
        ranges = [_tokens_of(tokenized, start + a, start + b) for a, b in question.spans]
        if any(span and span[0] == 0 for span in ranges):
            raise Unaskable("the first token of all has no probability: give a prompt, or a tokenizer with BOS")
        chosen = [n for span in ranges for n in span]
        read = Read(tuple(n - 1 for n in chosen), tuple((tokenized.ids[n],) for n in chosen))
        length = len(question.text)
        offsets = tuple(
            tuple((max(0, tokenized.starts[n] - start), min(length, tokenized.ends[n] - start)) for n in span)
            for span in ranges
        )
        return Work(tokenized.ids, read, shared, spans=tuple(map(len, ranges)), offsets=offsets)

    def _choices(self, question: Choices) -> Work:
        self._needs("next")
        prompt = question.prompt
        if question.control and isinstance(prompt, str):
            prompt = self.tokens.seal(prompt)
        tokenized, _, start = self._said(prompt, question.said, "assistant", verbatim=True)
        shared = bisect_right(tokenized.ends, start)
        targets = self._singles(question.choices)
        if len(tokenized.ids) > self.limit and (question.entire or self.entry.truncation != "left"):
            raise self._too_long(question.prompt, shared, len(tokenized.ids))
        kept, cut, _ = self._fit(tokenized.ids)
        if not kept:
            raise Unaskable("the prompt has no token")
        return Work(kept, Read((len(kept) - 1,), (targets,)), 0 if cut else shared, truncated=cut)

    def _generate(self, question: Generate) -> Work:
        self._needs("next")
        tokenized, _, _ = self._said(question.prompt, "", "assistant", verbatim=True)
        if len(tokenized.ids) >= self.limit:
            raise TooLong("prompt", len(tokenized.ids), self.limit)
        if not tokenized.ids:
            raise Unaskable("the prompt has no token")
        room = min(question.max_tokens, self.limit - len(tokenized.ids))
        return Work(tokenized.ids, Read(()), len(tokenized.ids), then=replace(question, max_tokens=room))

    def _each(self, question: EachToken) -> Work:
        self._needs("next")
        given = question.read
        ids = self._text(self.tokens.seal(given)) if isinstance(given, str) else given
        if len(ids) > self.limit:
            raise TooLong("prompt", len(ids), self.limit)
        if not 0 <= question.start < len(ids):
            raise Unaskable(f"there is no token {question.start}: the input has {len(ids)}")
        if not isinstance(given, str) and not 0 <= min(ids) <= max(ids) < len(self.tokenizer):
            raise Unaskable(f"a number is none of this model's tokens, of which there are {len(self.tokenizer)}")
        places = range(question.start + 1, len(ids))
        read = Read(tuple(n - 1 for n in places), tuple((ids[n],) for n in places))
        return Work(ids, read, told=question.start)

    def _said(self, prompt: Prompt, content: str, role: str, *, verbatim: bool = False) -> tuple[Tokenized, str, int]:
        """A prompt and what follows it, tokenised as one string; and the character where it begins there.

        ``content`` is hidden already, and a turn that the template closes; ``verbatim`` it is what a policy wrote, and
        follows an opened turn as it is (as the assistant's).
        """
        if isinstance(prompt, str):
            # as plain text the prompt has no control tokens, and what follows has those that we write
            sealed = prompt + (content if verbatim else self.tokens.seal(content))
            return self._surrounded(sealed), sealed, len(prompt)
        if verbatim and role == "assistant":
            opened = self._opened(self._with_system(prompt))
            return self._tokenized(opened + content), opened + content, len(opened)
        said = self.tokens.hide(content) if verbatim else content
        turns = self._with_system(prompt)
        sealed = self._template(turns, Turn(role, said))
        searched = self.tokens.seal(said)
        opened = self._opened(turns) if role == "assistant" else ""
        start = sealed.find(searched, len(opened)) if opened and sealed.startswith(opened) else sealed.rfind(searched)
        if start < 0 and opened:
            # templates leave thoughts out, and a policy can write some anywhere: what it said is read all the same
            sealed, start = opened + searched, len(opened)
        if start < 0 or not searched:
            raise Unaskable("the chat template changes what is said: nothing can be read at places in it")
        return self._tokenized(sealed), sealed, start

    def _tokenized(self, sealed: str) -> Tokenized:
        """All tokens of a text, or of one that will be refused for its length more than fit."""
        return self.tokens.tokenize(sealed, self.limit if self.entry.truncation == "refuse" else None)

    def _surrounded(self, sealed: str) -> Tokenized:
        """A plain text with the tokens that the tokenizer puts before it; they cover no character."""
        tokenized, before = self._tokenized(sealed), self.tokens.before
        none = (0,) * len(before)
        return Tokenized(before + tokenized.ids, none + tokenized.starts, none + tokenized.ends)

    def _bare(self, tokenized: Tokenized, prompt: Prompt) -> Tokenized:
        skipped = len(self.tokens.before) if isinstance(prompt, str) else 0
        return Tokenized(tokenized.ids[skipped:], tokenized.starts[skipped:], tokenized.ends[skipped:])

    def _text(self, text: str) -> tuple[int, ...]:
        return self.tokens.before + self._tokenized(text).ids + self.tokens.after

    def _before(self, turns: tuple[Turn, ...]) -> tuple[str, str]:
        """The prompt of a conversation's last turn, closed and opened; empty where there is none."""
        if len(turns) < 2:
            return "", ""
        earlier = self._with_system(turns[:-1])
        try:
            return self._closed(earlier), self._opened(earlier)
        except Unaskable:  # some templates want an answer to every question: then nothing is shared
            return "", ""

    def _with_system(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        if self.entry.system is None or any(turn.role == "system" for turn in turns):
            return turns
        return (Turn("system", self.entry.system), *turns)

    def _render(self, turns: tuple[Turn, ...], *, opened: bool) -> str:
        return self._template(self._with_system(turns), None, opened=opened)

    def _template(self, turns: tuple[Turn, ...], hidden: Turn | None, *, opened: bool = False) -> str:
        """The sealed string that the chat template makes of turns; the content of ``hidden`` is hidden already."""
        import jinja2

        messages = [{"role": self.tokens.hide(t.role), "content": self.tokens.hide(t.content)} for t in turns]
        if hidden is not None:
            messages.append({"role": self.tokens.hide(hidden.role), "content": hidden.content})
        if not (self.entry.chat_template or self.tokenizer.chat_template):
            raise Unaskable("it has no chat template: give the entry one, or a text")
        try:
            rendered = self.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=opened, chat_template=self.entry.chat_template
            )
        except (jinja2.TemplateError, ValueError, TypeError, KeyError, IndexError) as refusal:
            raise Unaskable(f"the chat template refuses the conversation: {refusal}") from refusal
        return self.tokens.seal(str(rendered))

    def _fit(self, ids: tuple[int, ...]) -> tuple[tuple[int, ...], int, int]:
        """What is left of a text's tokens, how many were cut off, and how many at its head never are."""
        head = len(self.tokens.before) if ids[: len(self.tokens.before)] == self.tokens.before else 0
        tail = len(self.tokens.after) if ids[len(ids) - len(self.tokens.after) :] == self.tokens.after else 0
        cut = len(ids) - self.limit
        if cut <= 0:
            return ids, 0, head
        if self.entry.truncation == "left":
            return ids[:head] + ids[head + cut :], cut, head
        return ids[: self.limit - tail] + ids[len(ids) - tail :], cut, head

    def _too_long(self, prompt: Prompt, shared: int, tokens: int) -> TooLong:
        """The policy's doing where what stands before its first turn fits: later turns of others answer its own."""
        begin = shared
        if not isinstance(prompt, str):
            roles = [turn.role for turn in prompt]
            if "assistant" in roles:
                first = self._with_system(prompt[: roles.index("assistant")])
                begin = len(self._tokenized(self._closed(first)).ids) if first else 0
        return TooLong("response" if begin < self.limit else "prompt", tokens, self.limit)

    def _singles(self, choices: Sequence[str | int]) -> tuple[int, ...]:
        found = {choice: self._single(choice) for choice in choices}
        several = [choice for choice, token in found.items() if token is None]
        if several:
            raise Unaskable(f"not one token of this model: {', '.join(map(repr, several))}")
        return tuple(token for token in (found[choice] for choice in choices) if token is not None)

    def _single(self, choice: str | int) -> int | None:
        if isinstance(choice, str):
            return self.tokens.single(choice)
        return choice if 0 <= choice < len(self.tokenizer) else None

    def _needs(self, *says: Says) -> None:
        if self.says not in says:
            heads = {"labels": "a classification head", "gated": "objectives and a gate", "next": "next tokens only"}
            raise Unaskable(f"this model has {heads[self.says]}: it cannot be asked this")


def _ending(tokenized: Tokenized, ends: Sequence[int]) -> tuple[int, ...]:
    """For each place the last token that begins before it."""
    return tuple(bisect_left(tokenized.starts, end) - 1 for end in ends)


def _covering(tokenized: Tokenized, length: int) -> Tokenized:
    """Every character belongs to a token: one that normalisation removed (a combining accent) to the token before."""
    starts, ends = tokenized.starts, list(tokenized.ends)
    following = length
    for n in reversed(range(len(ends))):
        following = starts[n + 1] if n + 1 < len(ends) and starts[n + 1] > starts[n] else following
        ends[n] = max(ends[n], following) if ends[n] > starts[n] else ends[n]
    return Tokenized(tokenized.ids, starts, tuple(ends))


def _tokens_of(tokenized: Tokenized, start: int, end: int) -> range:
    """The tokens that have a character in ``[start, end)``."""
    if start == end:
        return range(0)
    return range(bisect_right(tokenized.ends, start), bisect_left(tokenized.starts, end))
