"""What an audit works with: its subject, records and labels, and where it says how far it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.reverify.stored_verdicts import ChosenUnits
from audits.subject_verdict import Judged
from audits.votes import Patterns
from trueward.authoring.verifier import Verifier
from trueward.errors import InvalidRequest
from trueward.wire.audit import GivenSamples, LabelChoice, Population, Subject
from trueward.wire.sample import Sample

if TYPE_CHECKING:
    # a recipe's parts may be plug-ins', which import this module
    from rewards.recipe import Recipe

Progress = Callable[[int, int], Awaitable[None]]
"""Told ``done`` and ``total``, as often as one likes."""


class Judging(Protocol):
    """Asks the subject of an audit."""

    def recipe(self, subject: Subject) -> Recipe | None:
        """The recipe of today that the subject is; None for a verifier. Raises what the subject is refused with."""

    def verifiers(self, subject: Subject) -> list[Verifier]:
        """Everyone who may judge for the subject. Raises what the subject is refused with."""

    def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        """Answers in order, in blocks. A group that must be judged together has to fit into one block
        (:data:`audits.subject_verdict.AT_ONCE`)."""


class Ledger(Protocol):
    """Records and labels. What it cannot do it says with :class:`~trueward.errors.InvalidRequest`."""

    async def tasks(
        self, given: GivenSamples, population: Population, *, needs_reference: bool, accepted: bool
    ) -> list[Sample]:
        """Of the population's tasks ``given.limit`` at most, drawn by its seed: see
        :func:`audits.given_samples.given_samples`."""

    async def records(
        self,
        subject: Subject,
        population: Population,
        features: Sequence[str] = (),
        read: Progress | None = None,
        *,
        told: bool = False,
    ) -> Records:
        """What the ledger has of a subject in a population; ``read`` is told how many of how many.

        ``told``: samples without a label get no feature and no prompt. ``features``: names of
        :mod:`audits.labelled.features`, or entries of the evidence.
        """

    async def truth_of_labels(self, choice: LabelChoice, records: Records) -> Truth:
        """What the chosen labels say of these records."""

    async def unknown_draw(self, choice: LabelChoice) -> list[str]:
        """A sentence where the labels were to come from a draw that is not there."""

    async def list_versions(self, subject: Subject, population: Population) -> dict[str, list[str]]:
        """By name of the verifier (or recipe) the versions (or hashes) that the population's records have, sorted."""

    async def model_changes(self, population: Population) -> list[str]:
        """A sentence for each model whose server said, in the run of the population, that it is several."""

    async def vote_patterns(self, subjects: Sequence[Subject], population: Population) -> Patterns:
        """Of each sample the latest acceptance or rejection by each subject."""

    async def load_verdicts(self, before: Subject, population: Population, limit: int, *, grouped: bool) -> ChosenUnits:
        """What ``before`` said in the population, of the newest ``limit`` samples.

        ``grouped``: a group that was judged again as it was counts once, and keeps all its members; else a sample
        counts once.
        """

    async def contents(self, samples: Sequence[str]) -> Mapping[str, str]:
        """The JSON of each of these fingerprints."""

    async def reasons(self, before: Subject, records: Sequence[str]) -> Mapping[str, str]:
        """Why each of these records was judged as it was."""


class NoLedger(Ledger):
    """Where nothing is recorded: audits that judge samples of their own need none of it."""

    async def tasks(
        self, given: GivenSamples, population: Population, *, needs_reference: bool, accepted: bool
    ) -> list[Sample]:
        raise _unrecorded()

    async def records(
        self,
        subject: Subject,
        population: Population,
        features: Sequence[str] = (),
        read: Progress | None = None,
        *,
        told: bool = False,
    ) -> Records:
        raise _unrecorded()

    async def truth_of_labels(self, choice: LabelChoice, records: Records) -> Truth:
        raise _unrecorded()

    async def unknown_draw(self, choice: LabelChoice) -> list[str]:
        raise _unrecorded()

    async def list_versions(self, subject: Subject, population: Population) -> dict[str, list[str]]:
        raise _unrecorded()

    async def model_changes(self, population: Population) -> list[str]:
        return []

    async def vote_patterns(self, subjects: Sequence[Subject], population: Population) -> Patterns:
        raise _unrecorded()

    async def load_verdicts(self, before: Subject, population: Population, limit: int, *, grouped: bool) -> ChosenUnits:
        raise _unrecorded()

    async def contents(self, samples: Sequence[str]) -> Mapping[str, str]:
        raise _unrecorded()

    async def reasons(self, before: Subject, records: Sequence[str]) -> Mapping[str, str]:
        raise _unrecorded()


def _unrecorded() -> InvalidRequest:
    return InvalidRequest(
        "this audit needs records of a service: name one with --url or TRUEWARD_URL. Without one, exploit and "
        "metamorphic audits judge the samples that they are given (--samples), and `trueward audit bench FILE --format "
        "verdicts` holds a verifier against responses that are labelled in a file"
    )


@dataclass(frozen=True, slots=True)
class Work:
    """``id`` is the audit's; ``judging`` asks its subject; ``ledger`` has records and labels."""

    id: str
    ledger: Ledger
    judging: Judging
    progress: Progress
