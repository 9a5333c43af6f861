"""Admission of a batch: limits, ids, hints, and the name of its content.

What is wrong with the request is refused as a whole (:mod:`trueward.errors`); what is wrong with one
sample becomes that sample's verdict and costs the others nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError

from app.kit.pace import LoopPace, finish
from app.kit.text import clean_json
from app.settings import Settings
from trueward.errors import DuplicateIds, FieldProblem, TooLarge
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict

_IDENTITY = set(Sample.identity)
_PIECE_BYTES = 2**20
"""Of a content that is hashed at once: about a millisecond."""


@dataclass(slots=True)
class Admitted:
    """An admitted sample: its id is set, its hint is removed, its content has a fingerprint.

    ``content`` is the JSON that is stored and hashed (without id, group and pair); ``fingerprint`` is its
    hash; ``verdict`` is set where admission already decided. ``length`` is the content's, in bytes.
    """

    sample: Sample
    content: str
    fingerprint: str
    verdict: Verdict | None
    length: int = 0


def admit(samples: Sequence[Sample], settings: Settings) -> list[Admitted]:
    """Raises :class:`TooLarge` for too many samples and :class:`DuplicateIds` for ids that repeat."""
    _name(samples, settings)
    admitted = []
    for sample in samples:
        one, content = _admit_one(sample, settings.max_characters)
        if not one.fingerprint:
            finish(_complete(one, content))
        admitted.append(one)
    return admitted


async def admit_paced(samples: Sequence[Sample], settings: Settings, pace: LoopPace) -> list[Admitted]:
    """As :func:`admit`, and by turns with all else that the event loop has to do; the first in the caller's turn."""
    _name(samples, settings)
    admitted = []
    for index, sample in enumerate(samples):
        if index:
            await pace.turn()
        one, content = _admit_one(sample, settings.max_characters)
        if not one.fingerprint:
            await pace.finish(_complete(one, content))
        admitted.append(one)
    return admitted


def too_many(samples: int, most: int) -> TooLarge:
    """The refusal of a request with more samples than it may have."""
    return TooLarge(
        f"{samples} samples in one request; at most {most} (TRUEWARD_MAX_SAMPLES): send several requests, or a job"
    )


def _name(samples: Sequence[Sample], settings: Settings) -> None:
    """Gives each sample without an id its index. Checks the number of samples, and that no id occurs twice."""
    if len(samples) > settings.max_samples:
        raise too_many(len(samples), settings.max_samples)
    for index, sample in enumerate(samples):
        if sample.id is None:
            sample.id = str(index)
    refuse_duplicates([sample.id for sample in samples if sample.id is not None])


def refuse_duplicates(ids: Sequence[str]) -> None:
    if len(set(ids)) == len(ids):
        return
    repeated = [name for name, count in Counter(ids).items() if count > 1][:5]
    fields = [
        FieldProblem(field=f"samples.{ids.index(name)}.id", code="duplicate_id", detail=f"id {name[:100]!r} repeats")
        for name in repeated
    ]
    raise DuplicateIds(
        f"ids must differ within a request; repeated: {', '.join(name[:100] for name in repeated)}",
        errors=fields,
    )


def _admit_one(sample: Sample, max_characters: int) -> tuple[Admitted, bytes]:
    """And the content: a long one is not in it yet (:func:`_complete`)."""
    if sample.hint is not None:
        _remove_hint(sample)
    sample, content = _storable(sample)
    verdict = _over_long(sample, max_characters) if len(content) > max_characters else None
    if len(content) > _PIECE_BYTES:
        return Admitted(sample, "", "", verdict, len(content)), content
    fingerprint = hashlib.blake2b(content, digest_size=20).hexdigest()
    return Admitted(sample, content.decode(), fingerprint, verdict, len(content)), content


def _complete(admitted: Admitted, content: bytes) -> Generator[None, None, None]:
    """With a long content, which is hashed in steps of a millisecond."""
    hashed = hashlib.blake2b(digest_size=20)
    for start in range(0, len(content), _PIECE_BYTES):
        hashed.update(content[start : start + _PIECE_BYTES])
        yield
    admitted.fingerprint, admitted.content = hashed.hexdigest(), content.decode()


def content_of(sample: Sample) -> str:
    """The JSON that is hashed."""
    return _storable(sample)[1].decode()


def admit_apart(sample: Sample) -> Admitted:
    """A sample that did not come by the one path: it has no name, and is not recorded."""
    clean, content = _storable(sample)
    return Admitted(clean, "", "", None, len(content))


def _storable(sample: Sample) -> tuple[Sample, bytes]:
    """The sample and its content as JSON; text that cannot be stored was replaced by the HTTP layer already,
    other callers' is here."""
    try:
        content = sample.__pydantic_serializer__.to_json(sample, exclude=_IDENTITY, exclude_none=True)
        if b"\\u0000" not in content:
            return sample, content
    except PydanticSerializationError:
        pass
    clean = Sample.model_validate(clean_json(sample.model_dump()))
    return clean, clean.__pydantic_serializer__.to_json(clean, exclude=_IDENTITY, exclude_none=True)


def _over_long(sample: Sample, limit: int) -> Verdict | None:
    """The policy's over-long response is its own doing; any other over-long field is the caller's."""
    length = len(sample.response_text)
    if length > limit or len(sample.reasoning or "") > limit:
        return Verdict.invalid("too_long", f"the response has {length} characters; at most {limit} are judged")
    for name in ("prompt", "reference", "metadata", "data_source"):
        value = getattr(sample, name)
        if value is not None and len(str(value)) > limit:
            return Verdict.abstained("field_too_long", f"{name} is over {limit} characters")
    return None


def _remove_hint(sample: Sample) -> None:
    """A hint helps the policy and is no part of the task: no verifier sees it."""
    hint = sample.hint or ""
    sample.hint = None
    if not hint:
        return
    if isinstance(sample.prompt, str):
        sample.prompt = sample.prompt.replace(hint, "")
    elif sample.prompt is not None:
        sample.prompt = [_without(message, hint) for message in sample.prompt]


def _without(message: Message, hint: str) -> Message:
    if isinstance(message.content, str):
        return message.model_copy(update={"content": message.content.replace(hint, "")})
    if message.content is None:
        return message
    return message.model_copy(update={"content": [_part_without(part, hint) for part in message.content]})


def _part_without(part: JsonValue, hint: str) -> JsonValue:
    if isinstance(part, dict) and isinstance(text := part.get("text"), str):
        return {**part, "text": text.replace(hint, "")}
    return part
