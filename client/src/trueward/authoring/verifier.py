"""The contract of a verifier, and base classes for authors who judge one sample at a time.

A verifier takes a batch of samples and gives a batch of verdicts, same length, same order. It never
raises for a bad sample: a verdict is data, an exception is a bug. It measures and never prices.

How the service runs one depends on its ``lane``. ``inline`` verifiers answer in microseconds within the
server. ``cpu`` verifiers run in killable worker processes, in two halves: ``triage`` runs inline and
either gives the verdict at once or a :class:`Task` (small, picklable, hashable: tasks that are equal are
judged once); in a worker ``prepare(task)`` does what depends on the caller's side alone (parse the
reference) and ``check(task)`` judges. The service tells by that split whose doing an exhausted limit is:
in ``prepare`` the reference's (``abstained``), in ``check`` the response's (``invalid: resource_limit``).

A verifier of one's own is a subclass of :class:`SampleVerifier`, registered under the entry-point group
``trueward.verifiers``; see docs/extending.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Generic, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, JsonValue, StrictFloat, StrictInt, StrictStr, TypeAdapter
from typing_extensions import TypeVar

from trueward.blame import controls, is_crash, sound, unjudgeable
from trueward.wire.sample import Sample
from trueward.wire.verdict import Producer, Verdict
from trueward.wire.verifier import Lane, Scale, VerifierInfo

Task = Hashable
Text = StrictStr
TextOrNumber = StrictStr | StrictInt | StrictFloat
"""Types of a reference that many verifiers have; booleans are neither."""


class Params(BaseModel):
    """Base of every verifier's parameters: unknown names are refused, values are immutable."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


# inside a class with a member of its own named Params, type checkers need another name for the base
BaseParams = Params


class Example(BaseModel):
    """A sample with the outcome that it gets: shown in the catalogue and checked by the suite."""

    model_config = ConfigDict(frozen=True)

    sample: Sample
    outcome: str
    params: dict[str, object] = {}


class Abstain(Exception):
    """Raised in ``verify_one``, ``triage`` or ``prepare``: the caller's side cannot be judged against."""

    def __init__(self, reason_code: str, reason: str) -> None:
        super().__init__(reason)
        self.reason_code = reason_code
        self.reason = reason


@runtime_checkable
class Verifier(Protocol):
    """What the service needs of a verifier; an instance holds its parameters."""

    name: ClassVar[str]
    version: ClassVar[str]
    summary: ClassVar[str]
    lane: ClassVar[Lane]
    deterministic: ClassVar[bool]
    needs: ClassVar[tuple[str, ...]]
    examples: ClassVar[tuple[Example, ...]]
    Params: ClassVar[type[BaseParams]]

    @property
    def params(self) -> BaseParams: ...

    @property
    def producer(self) -> Producer: ...

    def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
        """One verdict a sample, in order; wholly in this process, without a time limit."""
        ...

    def triage(self, sample: Sample) -> Verdict | Task:
        """In microseconds: the verdict, or the task that a worker has to judge."""
        ...

    def prepare(self, task: Task) -> None:
        """In a worker: whatever depends on the caller's side alone. Raises :class:`Abstain`."""
        ...

    def check(self, task: Task) -> Verdict:
        """In a worker, after ``prepare``: the verdict on the task."""
        ...


P = TypeVar("P", bound=Params, default=Params)


class SampleVerifier(Generic[P]):
    """Base class for authors: write ``verify_one``, get the whole contract.

    ``needs`` names the fields of a sample without which there is nothing to judge: ``reference`` and
    ``prompt`` missing are the caller's doing (``abstained``), ``response`` is the policy's (``invalid``). A verifier
    that ever says ``partial`` or ``scored`` declares its ``scale``, by which recipes know what its scores mean.
    ``Reference`` is the type of one reference, as pydantic reads types, for the catalogue; a list of references means
    any of them. None says that references are not read.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    summary: ClassVar[str] = ""
    lane: ClassVar[Lane] = "inline"
    scale: ClassVar[Scale] = "binary"
    deterministic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("response", "reference")
    examples: ClassVar[tuple[Example, ...]] = ()
    Params: ClassVar[type[Params]] = Params
    Reference: ClassVar[Any] = JsonValue

    def __init__(self, params: P | None = None) -> None:
        # Params() is a P where a subclass narrows both
        self.params: P = params if params is not None else self.Params()  # type: ignore[assignment]
        self.producer = Producer(name=self.name, version=self.version, params=params_hash(self.params))

    def verify_one(self, sample: Sample) -> Verdict:
        raise NotImplementedError(f"{type(self).__name__} defines neither verify_one nor triage and check")

    def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
        return [self._verify_whole(sample) for sample in samples]

    def triage(self, sample: Sample) -> Verdict | Task:
        """``inline``: the verdict; ``cpu``: the sample's own content is the task."""
        if self.lane == "inline":
            return self._guarded(sample)
        # json, not pydantic's own writer: that one refuses lone surrogates
        return defect(sample, self.needs) or json.dumps(sample.model_dump(exclude=set(Sample.identity)))

    def prepare(self, task: Task) -> None:
        return None

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, str)
        return self._guarded(Sample.model_validate(json.loads(task)))

    def _guarded(self, sample: Sample) -> Verdict:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        try:
            return self.verify_one(sample)
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)

    def _verify_whole(self, sample: Sample) -> Verdict:
        found = self._attempted(sample)
        if is_crash(found) and sound([self._attempted(control) for control in controls(self, sample)]):
            again = self._attempted(sample)
            found = unjudgeable(again) if is_crash(again) else again
        return found.model_copy(update={"producer": self.producer, "id": sample.id})

    def _attempted(self, sample: Sample) -> Verdict:
        try:
            found = self.triage(sample)
            if not isinstance(found, Verdict):
                read_reference(self, found)
                found = self.check(found)
            return found
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)
        except (MemoryError, RecursionError) as exhausted:
            return report_exhausting_response(exhausted)
        except Exception as failure:  # noqa: BLE001 - a bad sample never raises; see trueward.blame
            return report_crash(failure)


def defect(sample: Sample, needs: Sequence[str]) -> Verdict | None:
    """The verdict on a sample that cannot be judged at all, else None."""
    if sample.model_extra:
        names = ", ".join(sorted(sample.model_extra))
        return Verdict.abstained(
            "unknown_field",
            f"a sample has no field {names[:200]}: what the policy wrote is `response`, the gold answer `reference`; "
            "anything else goes into `metadata`",
        )
    if sample.finish_reason == "aborted":
        return Verdict.abstained("aborted", "the response was aborted: neither scored nor cached")
    for name in needs:
        if name == "response":
            if not sample.response_text.strip():
                return Verdict.invalid("empty", "the response is missing or empty")
        else:
            value = getattr(sample, name)
            if value is None or value in ("", []):
                return Verdict.abstained(f"no_{name}", f"the sample has no {name}, and this verifier needs one")
    return None


def report_crash(failure: BaseException) -> Verdict:
    """A crash while judging, with the exception's name: :mod:`trueward.blame` says whose doing it was."""
    return Verdict.error("verifier_crashed", f"{type(failure).__name__}: {str(failure)[:300]}")


def read_reference(verifier: Verifier, task: Task) -> None:
    """``prepare`` outside of a worker. Raises :class:`Abstain`, also where the reference exhausts memory or depth."""
    try:
        verifier.prepare(task)
    except (MemoryError, RecursionError) as exhausted:
        reason = f"reading this reference exhausted a limit ({type(exhausted).__name__})"
        raise Abstain("reference_resource_limit", reason) from exhausted


def report_exhausting_response(failure: BaseException) -> Verdict:
    """The response used up memory or depth after the reference was read: the policy's doing."""
    return Verdict.invalid("resource_limit", f"judging this response exhausted a limit ({type(failure).__name__})")


def params_hash(params: BaseModel) -> str:
    """``sha256:`` of the parameters in canonical JSON (sorted keys, no spaces)."""
    text = json.dumps(params.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _schema(reference: Any) -> dict[str, JsonValue] | None:
    return None if reference is None else TypeAdapter(reference).json_schema()


def describe(kind: type[Verifier]) -> VerifierInfo:
    """The catalogue's entry of a verifier."""
    return VerifierInfo(
        name=kind.name,
        version=kind.version,
        summary=kind.summary,
        lane=kind.lane,
        deterministic=kind.deterministic,
        needs=list(kind.needs),
        reference=_schema(getattr(kind, "Reference", JsonValue)),
        params=kind.Params.model_json_schema(),
        examples=[example.model_dump(mode="json", exclude_none=True) for example in kind.examples],
    )
