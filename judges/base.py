"""The base of verifiers that ask a model (the lane ``model``), and how asking can fail.

``triage`` runs inline and gives the verdict or a small hashable task; the service hands the task to ``execute`` with
the models, by name. What fails on the model's side is raised through and gives a null score::

    ModelFailure            nothing is known of the response: error, score null
    ├── UnknownModel        no model of that name
    ├── ModelUnavailable    it cannot be loaded, its device or server is gone
    │   └── SandboxUnavailable   there is none for the programs of a judge with tools
    ├── KeyRefused          its server refuses the key, or the account behind it is empty
    ├── ModelBusy           its queue is full
    ├── WeightsBehind       its weights are older than the request demands
    ├── NotFinite           it said NaN or infinity of this text
    ├── BudgetSpent         what the recipe allows this run to cost is spent
    └── Unaskable           this model cannot be asked this: a wrong kind, a choice of several tokens
    TooLong                 the text does not fit
    Malformed               its replies could not be read, however often it was asked

A response may provoke the last three, NotFinite, and ModelUnavailable (a filter, an error for its text alone):
:mod:`judges.failure_verdicts` finds out whose doing they are. :class:`Late` is a TimeoutError that says where the time
went.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from typing import ClassVar, Generic, Literal, Protocol, Self, runtime_checkable

from typing_extensions import TypeVar

from judges.questions import Answer, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.authoring.verifier import Params, SampleVerifier, Task, Verifier
from trueward.wire.model import ModelEntry
from trueward.wire.verdict import Producer, Verdict
from trueward.wire.verifier import Lane


class ModelFailure(Exception):
    """The model could not be asked, or gave no answer: nothing is known of the response."""

    code: ClassVar[str] = "model_failed"


class UnknownModel(ModelFailure):
    code = "unknown_model"


class ModelUnavailable(ModelFailure):
    code = "model_unavailable"


class SandboxUnavailable(ModelUnavailable):
    """It is not the model that fails, and no response makes a sandbox go away."""


class KeyRefused(ModelFailure):
    code = "key_refused"


class ModelBusy(ModelFailure):
    code = "model_busy"


class WeightsBehind(ModelFailure):
    code = "weights_behind"


class NotFinite(ModelFailure):
    code = "not_finite"


class BudgetSpent(ModelFailure):
    code = "budget_spent"


class Unaskable(ModelFailure):
    code = "unaskable"


class TooLong(Exception):
    """The text has more tokens than the model takes, and the entry refuses to cut.

    ``part`` is whose doing it is: ``response`` where the prompt alone would fit, else ``prompt``. Of a text that is
    far too long not all ``tokens`` are counted.
    """

    def __init__(self, part: Literal["prompt", "response"], tokens: int, limit: int) -> None:
        super().__init__(f"{tokens} tokens or more, and the model takes {limit}")
        self.part = part
        self.tokens = tokens
        self.limit = limit

    def __reduce__(self) -> tuple[type[TooLong], tuple[str, int, int]]:
        return type(self), (self.part, self.tokens, self.limit)


class Late(TimeoutError):
    """The model did not answer in time: seconds that the question waited for its turn, and was on its way after."""

    def __init__(self, model: str, queued_s: float, asked_s: float) -> None:
        super().__init__(f"{model}: {queued_s:.1f} s in the queue, {asked_s:.1f} s on the way")
        self.model = model
        self.queued_s = queued_s
        self.asked_s = asked_s


class Malformed(Exception):
    """A judge's replies were not of the form that was asked for; ``asked`` is how often it was asked in vain."""

    def __init__(self, reason: str, asked: int) -> None:
        super().__init__(reason)
        self.asked = asked


class Models(Protocol):
    """The models that there are, as one task sees them: its deadline and its place in the queue are known."""

    def entry(self, name: str) -> ModelEntry:
        """Raises :class:`UnknownModel`."""
        ...

    async def ask(self, name: str, question: Question) -> Answer:
        """Raises :class:`ModelFailure` or :class:`TooLong`; :class:`Malformed` where no choice is told at all."""
        ...

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        """A reply of that model was outside of the form that was asked for: counted, and never given again."""
        ...

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        """A program's run in the sandbox, for judges with tools. Raises :class:`SandboxUnavailable` without one."""
        ...


P = TypeVar("P", bound=Params, default=Params)


def model_stamp(entries: Sequence[ModelEntry]) -> str:
    """Twelve digits of what the entries are: another model under the same name is another judge."""
    return hashlib.sha256("\0".join(entry.digest for entry in entries).encode()).hexdigest()[:12]


def stamp_producer(producer: Producer, stamp: str) -> Producer:
    """``producer`` with the stamp of its models at the end of its version, behind a ``+``."""
    return producer.model_copy(update={"version": f"{producer.version.partition('+')[0]}+{stamp}"})


@runtime_checkable
class AsksModels(Protocol):
    """A verifier whose verdicts are by models that it names, also where another verifier asks them for it."""

    def of_models(self, stamp: str) -> Verifier:
        """The same verifier, whose version says which models its names stand for: :func:`model_stamp`."""
        ...


class ModelVerifier(SampleVerifier[P], Generic[P]):
    """Write ``execute`` and ``models``; the task is the sample itself, as JSON."""

    lane: ClassVar[Lane] = "model"
    version: ClassVar[str] = "7"

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that this verifier asks, by its parameters."""
        raise NotImplementedError(f"{type(self).__name__} does not say which models it asks")

    def of_models(self, stamp: str) -> Self:
        """See :class:`AsksModels`."""
        made = copy(self)
        made.producer = stamp_producer(self.producer, stamp)
        return made

    @property
    def most_written(self) -> int:
        """The most tokens of one reply; 1 where only numbers are read."""
        return 1

    def place(self, model: str) -> str:
        """The parameter that names a model."""
        for name, value in self.params:
            if value == model:
                return name
            if isinstance(value, (list, tuple)) and model in value:
                return f"{name}.{value.index(model)}"
        return "model"

    async def execute(self, task: Task, models: Models) -> Verdict:
        """Asks, and judges by the answers. Raises :class:`ModelFailure`, :class:`TooLong` or :class:`Malformed` for
        the models' part."""
        raise NotImplementedError(f"{type(self).__name__} does not define execute")

    def with_response(self, task: Task, response: str) -> Task | None:
        """The task about another response, where responses have a form that it must have, too; None: any text does."""
        return None

    def repeats_replies(self, task: Task) -> bool:
        """Whether evidence may repeat replies of the models as they were written."""
        return True

    def check(self, task: Task) -> Verdict:
        """Outside the service there are no models by name; see ``judges.standalone`` for notebooks."""
        return Verdict.abstained("no_models", "models have names in a running service: ask it, or judges.standalone")
