"""Samples made ready to travel: checked, named, encoded, and cut into chunks that keep groups whole.

Lone surrogates and NUL become U+FFFD, one for one, as they would in the service. Samples without an id
get their index among all samples as id, so that chunks cannot collide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError
from pydantic_core import PydanticSerializationError

from trueward.errors import DuplicateIds, FieldProblem, InvalidRequest
from trueward.wire.sample import Sample

CHUNK_SAMPLES = 256
CHUNK_BYTES = 8 * 2**20

SampleLike = Sample | Mapping[str, JsonValue]

_REPLACED = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


@dataclass(frozen=True)
class EncodedBatch:
    """Samples in wire form: ``ids``, ``encoded`` (one JSON object each), ``groups`` (keys, for chunking)."""

    ids: list[str]
    encoded: list[bytes]
    groups: list[tuple[str, str]]


@dataclass(frozen=True)
class Limits:
    """At most so many samples and bytes a chunk, unless a single sample or group is larger."""

    samples: int = CHUNK_SAMPLES
    size_bytes: int = CHUNK_BYTES


def make_batch(samples: Iterable[SampleLike]) -> EncodedBatch:
    """Raises :class:`InvalidRequest` naming the sample and field, and :class:`DuplicateIds`."""
    if isinstance(samples, Sample | Mapping | str | bytes):
        kind = type(samples).__name__
        detail = f"samples is a list of samples, not a {kind}. Nothing was sent."
        raise InvalidRequest.at_field("samples", "samples_type", detail)
    batch = EncodedBatch([], [], [])
    for index, given in enumerate(samples):
        sample = _valid(given, index)
        name = str(index) if sample.id is None else clean_text(sample.id)
        batch.ids.append(name)
        batch.groups.append(_group_key(sample))
        batch.encoded.append(_encode(sample.model_copy(update={"id": name}), index))
    _refuse_duplicates(batch.ids)
    return batch


def runs_of(batch: EncodedBatch, limits: Limits) -> list[list[int]]:
    """Chunks of consecutive samples, as indices."""
    return _packed([[index] for index in range(len(batch.ids))], batch, limits)


def groups_of(batch: EncodedBatch, limits: Limits) -> list[list[int]]:
    """Chunks of whole groups, as indices in rising order; a group over the limits travels alone."""
    members: dict[tuple[str, str], list[int]] = {}
    for index, key in enumerate(batch.groups):
        members.setdefault(key, []).append(index)
    return [sorted(chunk) for chunk in _packed(list(members.values()), batch, limits)]


def _packed(units: Sequence[Sequence[int]], batch: EncodedBatch, limits: Limits) -> list[list[int]]:
    chunks: list[list[int]] = []
    size = 0
    for unit in units:
        added = sum(len(batch.encoded[index]) for index in unit)
        full = not chunks or len(chunks[-1]) + len(unit) > limits.samples or size + added > limits.size_bytes
        if full:
            chunks.append([])
            size = 0
        chunks[-1].extend(unit)
        size += added
    return chunks


def clean_text(text: str) -> str:
    """``text`` with each lone surrogate and NUL replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(_REPLACED)
    return text.replace("\x00", "\ufffd")


def clean(value: object) -> object:
    """Plain data with every text in it cleaned, and numbers and arrays of numpy as Python has them; else as it is."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {clean(name): clean(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    listed = getattr(value, "tolist", None)
    return clean(listed()) if callable(listed) else value


def _valid(given: SampleLike, index: int) -> Sample:
    if isinstance(given, Sample):
        return given
    if not isinstance(given, Mapping):
        raise _wrong(index, "", "sample_type", f"a sample is a Sample or a dict, not {type(given).__name__}")
    try:
        return Sample.model_validate(clean(given))
    except (ValidationError, RecursionError) as refusal:
        raise _refused(refusal, index) from refusal


def _encode(sample: Sample, index: int) -> bytes:
    try:
        return _json(sample)
    except PydanticSerializationError:
        pass  # a surrogate, or something that JSON cannot say: the second reading tells which
    try:
        return _json(Sample.model_validate(clean(sample.model_dump(exclude_none=True))))
    except (ValidationError, PydanticSerializationError, RecursionError) as refusal:
        raise _refused(refusal, index) from refusal


def _json(sample: Sample) -> bytes:
    return sample.__pydantic_serializer__.to_json(sample, exclude_none=True)


def _group_key(sample: Sample) -> tuple[str, str]:
    """As in the service: the sample's own group, else the prompt without its hint; two that share a pair are one."""
    if sample.pair is not None:
        return "pair", sample.pair
    if sample.group is not None:
        return "group", sample.group
    return "prompt", sample.prompt_text.replace(sample.hint, "") if sample.hint else sample.prompt_text


def _refused(refusal: Exception, index: int) -> InvalidRequest:
    if isinstance(refusal, ValidationError):
        first = refusal.errors(include_url=False, include_input=False)[0]
        if first["type"] == "finite_number":  # of whichever field: pandas writes a missing value so
            return _wrong(
                index, str(first["loc"][0]), first["type"], "NaN or infinity, which JSON has not; None is no value"
            )
        return _wrong(index, ".".join(map(str, first["loc"])), first["type"], first["msg"])
    return _wrong(index, "", "not_json", f"cannot be written as JSON: {str(refusal)[:200]}")


def _wrong(index: int, field: str, code: str, detail: str) -> InvalidRequest:
    where = f"samples.{index}.{field}".rstrip(".")
    return InvalidRequest(
        f"{where}: {detail}. Nothing was sent.",
        errors=[FieldProblem(field=where, code=code, detail=detail)],
    )


def _refuse_duplicates(ids: Sequence[str]) -> None:
    if len(set(ids)) == len(ids):
        return
    repeated = [name for name, count in Counter(ids).items() if count > 1][:5]
    raise DuplicateIds(
        f"ids must differ within a batch; repeated: {', '.join(name[:100] for name in repeated)}. "
        "A sample without an id gets its index as id. Nothing was sent.",
        errors=[
            FieldProblem(field=f"samples.{ids.index(name)}.id", code="duplicate_id", detail=f"{name[:100]!r} repeats")
            for name in repeated
        ],
    )
