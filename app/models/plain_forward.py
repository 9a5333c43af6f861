"""What a plain forward of transformers says of samples, one text at a time: what the engine is held against.

It is written the way a model's card writes it, and shares no code with the engine. Covered are sequence
classification, generative rewards, process reward models with a separator or choices at each step, and next tokens,
where transformers itself has the model's class; not gated heads, last-token steps, or a repository's own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.lanes.engines import INSTALL, NEEDED
from judges.conversation import conversation, turns_of
from judges.engine.checkpoint import GGUF
from judges.questions import Prompt, Turn
from trueward.commands.parity import Plain
from trueward.errors import InvalidRequest, NotInstalled
from trueward.wire.model import (
    ChoicesQuestion,
    ClassifyQuestion,
    ModelEntry,
    ModelQuestion,
    SpansQuestion,
    StepsQuestion,
)
from trueward.wire.sample import Message, Sample

if TYPE_CHECKING:
    import torch

_CLASSES = {
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForTokenClassification": "AutoModelForTokenClassification",
    "ForCausalLM": "AutoModelForCausalLM",
}


def plain_answers(entry: ModelEntry, samples: Sequence[Sample]) -> list[Plain]:
    """In order. Raises :class:`NotInstalled` without the extra, :class:`InvalidRequest` for what is not covered."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise NotInstalled(f"the check needs {', '.join(missing)}, which are not installed here: {INSTALL}")
    plain = _PlainModel(entry)
    return [plain.answer(_question(entry, sample, plain.has_template)) for sample in samples]


def _where(path: str) -> tuple[str, dict[str, Any]]:
    """The directory or repository, and the name of a GGUF file in it."""
    file = Path(path)
    return (str(file.parent), {"gguf_file": file.name}) if file.suffix == GGUF else (path, {})


class _PlainModel:
    def __init__(self, entry: ModelEntry) -> None:
        import transformers

        if entry.path is None:
            raise InvalidRequest(f"{entry.name} is another server's: name its weights on this machine with --path")
        where, source = _where(entry.path)
        config = transformers.AutoConfig.from_pretrained(where, revision=entry.revision, **source)
        named = config.architectures or (["ForCausalLM"] if source else [])
        made = [auto for end, auto in _CLASSES.items() for name in named if name.endswith(end)]
        if not made:
            raise InvalidRequest(
                f"{', '.join(named) or 'a model of no named architecture'} has no head that gives a score: "
                f"checked are architectures that end with {', '.join(_CLASSES)}"
            )
        self._entry = entry
        self._words: Any = transformers.AutoTokenizer.from_pretrained(where, revision=entry.revision, **source)
        if entry.chat_template is not None:
            self._words.chat_template = entry.chat_template
        kind = getattr(transformers, made[0])
        dtype = entry.dtype if entry.dtype != "auto" or not source else "float32"
        self._model: Any = kind.from_pretrained(where, revision=entry.revision, dtype=dtype, **source).eval()

    @property
    def has_template(self) -> bool:
        return self._words.chat_template is not None

    def answer(self, question: ModelQuestion) -> Plain:
        import torch

        text, said = self._text(question)
        # what a template writes has its special tokens already
        read = self._words(text, add_special_tokens=isinstance(said, str), return_offsets_mapping=True)
        ids: list[int] = read["input_ids"]
        with torch.no_grad():
            logits = self._model(torch.tensor([ids])).logits[0].float()
        rows = self._rows(question, text, ids, read["offset_mapping"], logits)
        return Plain(question=question, rows=rows, text=text, tokens=len(ids), bos=self._begins(ids))

    def _begins(self, ids: list[int]) -> int:
        """How often the BOS token stands at the very beginning; as the mark of a turn it may come again."""
        return sum(1 for _ in takewhile(lambda token: token == self._words.bos_token_id, ids))

    def _text(self, question: ModelQuestion) -> tuple[str, str | list[Message]]:
        """All that the model reads, and the prompt that it begins with."""
        match question:
            case ClassifyQuestion():
                return self._rendered(question.text, ""), question.text
            case StepsQuestion():
                steps = self._entry.steps
                content = "".join(step + steps.joint + steps.separator for step in question.steps)
                if isinstance(question.prompt, str):
                    return question.prompt + content, question.prompt
                whole = [*question.prompt, Message(role="assistant", content=content)]
                return self._rendered(whole, ""), question.prompt
            case SpansQuestion():
                return self._rendered(question.prompt, question.text, opened=True), question.prompt
            case ChoicesQuestion():
                return self._rendered(question.prompt, question.said, opened=True), question.prompt
        raise InvalidRequest("generation is not checked")

    def _rendered(self, prompt: str | list[Message], more: str, *, opened: bool = False) -> str:
        if isinstance(prompt, str):
            return prompt + more
        turns = [{"role": message.role, "content": message.text} for message in prompt]
        rendered: str = self._words.apply_chat_template(turns, tokenize=False, add_generation_prompt=opened)
        return rendered + more

    def _rows(
        self, question: ModelQuestion, text: str, ids: list[int], offsets: list[tuple[int, int]], logits: torch.Tensor
    ) -> list[list[float]]:
        match question:
            case ClassifyQuestion():
                return [[float(number) for number in logits]]
            case StepsQuestion():
                return self._step_rows(question, ids, logits)
            case SpansQuestion():
                start = len(text) - len(question.text)
                covered = [place for place, (_, end) in enumerate(offsets) if end > start and place]
                told = logits.log_softmax(-1)
                return [[float(told[place - 1, ids[place]]) for place in covered]]
            case _:
                assert isinstance(question, ChoicesQuestion)
                return [[float(logits[-1].log_softmax(-1)[self._single(choice)]) for choice in question.choices]]

    def _step_rows(self, question: StepsQuestion, ids: list[int], logits: torch.Tensor) -> list[list[float]]:
        steps = self._entry.steps
        if steps.style == "last_token":
            raise InvalidRequest("a model that reads the last token of each step is not covered by the check")
        mark = self._words.encode(steps.separator, add_special_tokens=False)[-1]
        places = [place for place, token in enumerate(ids) if token == mark]
        if len(places) != len(question.steps):
            raise InvalidRequest(f"{len(places)} tokens {steps.separator!r} for {len(question.steps)} steps")
        if steps.style == "separator":
            return [[float(number) for number in logits[place]] for place in places]
        told = logits.log_softmax(-1)
        return [[float(told[place, self._single(choice)]) for choice in steps.choices] for place in places]

    def _single(self, choice: str) -> int:
        found: list[int] = self._words.encode(choice, add_special_tokens=False)
        if len(found) != 1:
            raise InvalidRequest(f"{choice!r} is {len(found)} tokens of this model, and a choice is one")
        return found[0]


def _question(entry: ModelEntry, sample: Sample, has_template: bool) -> ModelQuestion:
    """What a judge of this kind asks of a sample."""
    prompt = _messages(turns_of(sample, entry.system)) if has_template else sample.prompt_text
    if entry.kind == "process":
        return StepsQuestion(kind="steps", prompt=prompt, steps=sample.response_text.split("\n\n"))
    if entry.kind == "causal":
        spans = [(0, len(sample.response_text))]
        return SpansQuestion(kind="spans", prompt=prompt, text=sample.response_text, spans=spans)
    read = _messages(conversation(entry, sample))
    if entry.reading.kind == "choice":
        return ChoicesQuestion(kind="choices", prompt=read, choices=entry.reading.choices)
    return ClassifyQuestion(kind="classify", text=read)


def _messages(prompt: Prompt | tuple[Turn, ...]) -> str | list[Message]:
    return prompt if isinstance(prompt, str) else [Message(role=turn.role, content=turn.content) for turn in prompt]
