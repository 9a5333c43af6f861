"""Which members of a group gave equivalent answers, by the word of an inner verifier.

Each answer is read once. One that its own verifier does not find equal to itself is no answer: it could stand for
something else as a reference, and be voted for as that. Two answers are equivalent where the inner verifier finds the
response of the one right with the answer of the other as its reference. A comparison that failed through no doing of
the policy is neither yes nor no (None); one that the answers themselves made too costly is no.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from trueward.authoring.verifier import Verifier, defect, report_crash, report_exhausting_response
from trueward.blame import is_crash, unjudgeable
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.grouped import Ask
from verifiers.legible import SHOWN

_FAILED = frozenset({Outcome.TIMEOUT, Outcome.ERROR})


class Ballot:
    """``answers`` has one entry a member: its answer, or the verdict that says why it has none.

    ``failure`` is the last comparison that failed, if one did; ``elapsed_s`` the inner verifier's work so far.
    """

    def __init__(self, samples: Sequence[Sample], ask: Ask) -> None:
        self._samples = samples
        self._ask = ask
        self.answers: list[str | Verdict] = []
        self.failure: Verdict | None = None
        self.elapsed_s = 0.0

    @classmethod
    async def read(cls, inner: Verifier, samples: Sequence[Sample], ask: Ask, known: Mapping[int, Verdict]) -> Self:
        """Reads the answers of all members but those whose verdict is ``known`` already, by position."""
        ballot = cls(samples, ask)
        found = [known.get(place) or _extracted(inner, sample) for place, sample in enumerate(samples)]
        ballot.answers = await ballot._confirmed(found)
        return ballot

    async def _confirmed(self, found: Sequence[str | Verdict]) -> list[str | Verdict]:
        """The answers that are equal to themselves; a verifier that reads more than we did is asked once more."""
        answers = list(found)
        for last in (False, True):
            places = [place for place, answer in enumerate(answers) if isinstance(answer, str)]
            verdicts = await self._against({place: str(answers[place]) for place in places})
            reread = False
            for place, verdict in zip(places, verdicts, strict=True):
                if verdict.outcome is Outcome.CORRECT:
                    continue
                read = verdict.evidence.get("extracted")
                if isinstance(read, str) and read != answers[place] and read.strip() and len(read) < SHOWN and not last:
                    answers[place], reread = read, True
                else:
                    answers[place] = _no_answer(verdict)
            if not reread:
                break
        return _charged(answers)

    async def equivalent(self, places: Sequence[int], other: int) -> list[bool | None]:
        """Whether each of ``places`` gave the answer of ``other``; all of them have answers."""
        theirs = self.answers[other]
        assert isinstance(theirs, str)
        open_places = [place for place in places if self.answers[place] != theirs]
        verdicts = await self._against(dict.fromkeys(open_places, theirs))
        said = dict(zip(open_places, verdicts, strict=True))
        return [True if place not in said else self._same(said[place]) for place in places]

    def _same(self, verdict: Verdict) -> bool | None:
        if verdict.outcome in _FAILED:
            self.failure = verdict
            return None
        return verdict.outcome is Outcome.CORRECT

    async def _against(self, references: Mapping[int, str]) -> list[Verdict]:
        """The inner verdicts on members, each against a reference."""
        if not references:
            return []
        asked = [
            (place, self._samples[place].model_copy(update={"reference": reference}))
            for place, reference in references.items()
        ]
        verdicts = await self._ask(asked)
        self.elapsed_s += sum(verdict.elapsed_s for verdict in verdicts)
        return verdicts


def _extracted(inner: Verifier, sample: Sample) -> str | Verdict:
    needs = [name for name in inner.needs if name != "reference"]
    found = defect(sample, needs)
    if found is not None:
        return found
    policy = getattr(inner.params, "extract", Policy.TEXT)
    try:
        answer = extract(sample, policy)
    except (MemoryError, RecursionError) as exhausted:
        return report_exhausting_response(exhausted)
    except Exception as failure:  # noqa: BLE001 - extraction looks at the response alone: no vote, never a failed group
        return unjudgeable(report_crash(failure))
    if isinstance(answer, NoAnswer):
        return Verdict.invalid(answer.reason_code, answer.reason)
    return answer.text if answer.text.strip() else Verdict.invalid("empty_answer", "the answer has no content")


def _charged(answers: list[str | Verdict]) -> list[str | Verdict]:
    """The answers, with crashes charged to who caused them: an answer is read against itself, so where others were read
    a crash is its own doing."""
    if all(isinstance(answer, Verdict) and answer.outcome.missing for answer in answers):
        return answers
    return [unjudgeable(answer) if isinstance(answer, Verdict) and is_crash(answer) else answer for answer in answers]


def _no_answer(verdict: Verdict) -> Verdict:
    """Why a member whose answer is not found equal to itself has none; as its own reference it is the policy's."""
    ours = verdict.outcome in _FAILED
    callers = verdict.outcome is Outcome.ABSTAINED and not verdict.reason_code.startswith("reference_")
    if ours or callers or verdict.outcome is Outcome.INVALID:
        return verdict
    return Verdict.invalid("unparsable_answer", "the answer cannot be read as one that others could be compared with")
