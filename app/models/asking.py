"""A question of the wire asked of the lane, and what its failures answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from judges.base import (
    Late,
    Malformed,
    ModelBusy,
    ModelFailure,
    NotFinite,
    TooLong,
    Unaskable,
    UnknownModel,
    WeightsBehind,
)
from judges.questions import Answer, Choices, Classify, Generate, Prompt, Question, Spans, Steps, Turn, characters
from trueward.errors import (
    AnsweredError,
    Conflict,
    InternalError,
    InvalidRequest,
    NotFound,
    Overloaded,
    TooLarge,
    Unavailable,
)
from trueward.wire.model import (
    ChoicesQuestion,
    ClassifyQuestion,
    GenerateQuestion,
    ModelAnswer,
    ModelQuestion,
    SpansQuestion,
    StepsQuestion,
)
from trueward.wire.sample import Message

_RETRY_S = 1.0
_ANSWERS: dict[type[ModelFailure], type[AnsweredError]] = {
    UnknownModel: NotFound,
    ModelBusy: Overloaded,
    Unaskable: InvalidRequest,
    WeightsBehind: Conflict,
    NotFinite: InternalError,
}


def question_of(asked: ModelQuestion) -> Question:
    match asked:
        case ClassifyQuestion():
            return Classify(_prompt(asked.text), asked.pair)
        case StepsQuestion():
            return Steps(_prompt(asked.prompt), tuple(asked.steps))
        case SpansQuestion():
            return Spans(_prompt(asked.prompt), asked.text, tuple(asked.spans), asked.role)
        case ChoicesQuestion():
            return Choices(_prompt(asked.prompt), tuple(asked.choices), asked.said)
        case GenerateQuestion():
            drawn = (float(asked.temperature), tuple(asked.stop), asked.seed, float(asked.top_p))
            form = None if asked.form is None else json.dumps(asked.form, sort_keys=True)
            return Generate(_prompt(asked.prompt), asked.max_tokens, *drawn, form, asked.alternatives)


def refuse_too_long(questions: Iterable[Question], most: int) -> None:
    """Raises :class:`TooLarge`: one text of megabytes would be made tokens in front of everybody else's."""
    longest = max(map(characters, questions), default=0)
    if longest > most:
        raise TooLarge(f"a question has {longest} characters; at most {most} (TRUEWARD_MAX_CHARACTERS)")


def answer_of(answer: Answer) -> ModelAnswer:
    return ModelAnswer(
        rows=[list(row) for row in answer.rows],
        offsets=[list(row) for row in answer.offsets],
        token_ids=[list(row) for row in answer.token_ids],
        text=answer.text,
        tokens=answer.tokens,
        written=answer.written,
        finish=answer.finish,
        alternatives=[list(place) for place in answer.alternatives],
        truncated=answer.truncated,
        weights=answer.weights,
    )


@contextmanager
def translate_failures() -> Iterator[None]:
    """Raises the error of the tree for what a model could not answer."""
    try:
        yield
    except TooLong as refusal:
        raise InvalidRequest(f"the {refusal.part} is too long for the model: {refusal}") from refusal
    except ModelFailure as failure:
        kind = _ANSWERS.get(type(failure), Unavailable)
        wait_s = _RETRY_S if kind is Overloaded else None
        raise kind(str(failure) or failure.code, retry_after_s=wait_s) from failure
    except Malformed as unreadable:
        raise InternalError(str(unreadable)) from unreadable
    except TimeoutError as late:
        where = f" ({late})" if isinstance(late, Late) else ""
        raise Unavailable(f"the model did not answer before the deadline{where}", retry_after_s=_RETRY_S) from late


def _prompt(given: str | list[Message]) -> Prompt:
    return given if isinstance(given, str) else tuple(Turn(message.role, message.text) for message in given)
