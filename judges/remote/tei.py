"""text-embeddings-inference: ``/predict`` with raw scores, of a text or a pair; one model a server.

Its predictions come sorted by score, each with its label: they are put in the order of the labels' numbers. A
conversation is rendered by the entry's chat template. It has no next tokens and no steps.
"""

from __future__ import annotations

from pydantic import JsonValue

from judges.base import Unaskable
from judges.questions import Answer, Classify, Prompt, Question
from judges.remote.fields import field, number, raise_malformed, rows, text
from judges.remote.server import Server
from judges.remote.template import render_turns, with_system
from trueward.wire.model import ModelEntry


class TextEmbeddingsInference:
    """See :class:`judges.remote.dialect.Dialect`."""

    async def ask(self, server: Server, entry: ModelEntry, question: Question) -> Answer:
        if not isinstance(question, Classify):
            raise Unaskable("a tei server classifies texts and pairs: it can be asked nothing else")
        first = _text(entry, question.text)
        # a batch of one: a list of two texts alone would be a pair, or two of them
        inputs: JsonValue = [[first] if question.pair is None else [first, question.pair]]
        said = await server.post("/predict", {"inputs": inputs, "raw_scores": True, "truncate": False})
        scores = {text(field(one, "label")): number(field(one, "score")) for one in rows(field(said, 0))}
        if not scores or len(scores) != len(rows(field(said, 0))):
            raise_malformed("labels are missing, or the same")
        return Answer((await _ordered(server, scores),))

    async def count(self, server: Server, entry: ModelEntry, prompt: Prompt) -> int:
        return len(rows(field(await server.post("/tokenize", {"inputs": _text(entry, prompt)}), 0)))

    async def ready(self, server: Server, entry: ModelEntry) -> None:
        await server.get("/info")


def _text(entry: ModelEntry, prompt: Prompt) -> str:
    return prompt if isinstance(prompt, str) else render_turns(entry, with_system(entry, prompt), opened=False)


async def _ordered(server: Server, scores: dict[str, float]) -> tuple[float, ...]:
    """By the number in the label's name, else by ``id2label`` of ``/info``."""
    if len(scores) == 1:
        return tuple(scores.values())
    numbered = {f"LABEL_{n}" for n in range(len(scores))}
    if scores.keys() == numbered:
        names: list[JsonValue] = [f"LABEL_{n}" for n in range(len(scores))]
    else:
        labels = field(await server.get("/info"), "model_type", "classifier", "id2label")
        names = [field(labels, str(n)) for n in range(len(scores))]
    if set(map(str, names)) != scores.keys():
        raise_malformed("its labels are not those of /info")
    return tuple(scores[str(name)] for name in names)
