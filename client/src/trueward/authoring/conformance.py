"""The conformance suite of verifiers: the same one for built-in and third-party ones.

::

    def test_conforms() -> None:
        check_verifier(MyVerifier())

Everything runs in a child process with a deadline for each item, so a verifier that hangs or dies makes the
suite fail with the sample named, and never hangs or ends the caller. The samples are the verifier's own
examples, those of :mod:`trueward.authoring.hostile`, and the caller's.

Not covered: whether verdicts are right (only the examples say), speed below the deadline, memory. Where the
platform cannot fork, the verifier must be picklable.
"""

from __future__ import annotations

import json
import math
import pickle
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import cast

from trueward.authoring.hostile import hostile_samples
from trueward.authoring.isolation import Died, Hung, Isolated, Raised
from trueward.authoring.verifier import (
    Abstain,
    Example,
    Params,
    Verifier,
    params_hash,
    read_reference,
    report_exhausting_response,
)
from trueward.blame import UNJUDGEABLE, is_crash
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from trueward.wire.verifier import Scale

_CODE = re.compile(r"[a-z][a-z0-9_]*")
_LANES = frozenset({"inline", "cpu", "model", "sandbox", "remote"})
_FIXED_SCORES = {Outcome.CORRECT: 1.0, Outcome.INCORRECT: 0.0, Outcome.INVALID: 0.0}
_LONG = 50_000
"""Characters from which on a sample is not judged a third time in a batch."""
_NO_RESPONSE = frozenset({"response missing", "response empty", "no messages", "no policy message"})


@dataclass(frozen=True, slots=True)
class Violation:
    """A clause of the contract that does not hold, and for which sample."""

    clause: str
    detail: str
    sample: str = ""

    def __str__(self) -> str:
        return f"{self.clause}: {self.detail}" + (f" [sample: {self.sample}]" if self.sample else "")


@dataclass(slots=True)
class Report:
    """What was checked: the verifier, how many samples, and the violations."""

    verifier: str
    samples: int = 0
    violations: list[Violation] = field(default_factory=list)

    def add(self, clause: str, detail: str, sample: str = "") -> None:
        self.violations.append(Violation(clause, detail, sample))


class ConformanceFailure(AssertionError):
    """The verifier breaks its contract; ``report`` lists every violation."""

    def __init__(self, report: Report) -> None:
        head = f"{report.verifier} breaks the contract of verifiers in {len(report.violations)} place(s):"
        super().__init__("\n".join([head, *(f"- {violation}" for violation in report.violations)]))
        self.report = report


def check_verifier(verifier: Verifier, samples: Iterable[Sample] = (), *, deadline_s: float = 5.0) -> Report:
    """Runs the suite. Raises :class:`ConformanceFailure` with every violation; else the report.

    ``samples`` are judged beside the suite's own; ``deadline_s`` is the most that one sample may take.
    """
    report = Report(getattr(verifier, "name", type(verifier).__name__))
    with Isolated(_Probe(verifier)) as child:
        suite = _Suite(report, child, deadline_s, bool(getattr(verifier, "deterministic", True)), _scale(verifier))
        if suite.declarations():
            for example in verifier.examples:
                suite.example(example)
            given = [*(example.sample for example in verifier.examples), *samples]
            base = given[0] if given else Sample(prompt="6 * 7?", response="42", reference="42")
            suite.judge([*_named(given), *hostile_samples(base)], frozenset(verifier.needs))
    if report.violations:
        raise ConformanceFailure(report)
    return report


def _named(samples: Iterable[Sample]) -> list[Sample]:
    return [
        sample if sample.id else sample.model_copy(update={"id": f"sample {index}"})
        for index, sample in enumerate(samples)
    ]


class _Suite:
    """The clauses; each asks the child and adds to the report."""

    def __init__(self, report: Report, child: Isolated, deadline_s: float, deterministic: bool, scale: Scale) -> None:
        self._report = report
        self._child = child
        self._deadline_s = deadline_s
        self._deterministic = deterministic
        self._scale = scale

    def declarations(self) -> bool:
        """Whether the verifier says what it is; without that nothing else can be checked."""
        found = self._ask("declares itself", "declare", deadline_s=self._deadline_s)
        for detail in cast("list[str]", found or []):
            self._report.add("declares itself", detail)
        return found == []

    def example(self, example: Example) -> None:
        name = example.sample.id or repr(example.sample.response)[:60]
        found = self._ask("examples", "example", example, sample=name, deadline_s=self._deadline_s)
        if isinstance(found, Verdict) and found.outcome != example.outcome:
            detail = f"said {example.outcome}, gives {found.outcome} ({found.reason_code}: {found.reason[:100]})"
            self._report.add("examples", detail, name)

    def judge(self, samples: list[Sample], needs: frozenset[str]) -> None:
        self._report.samples = len(samples)
        alone: dict[str, Verdict] = {}
        start = time.monotonic()
        for sample in samples:
            verdict = self._one(sample)
            if verdict is not None:
                alone[sample.id or ""] = verdict
                self._defects(sample.id or "", verdict, needs)
        survivors = [sample for sample in samples if (sample.id or "") in alone]
        patience_s = self._deadline_s + 3 * (time.monotonic() - start)
        self._batch("batch equals one by one", survivors, alone, patience_s)
        self._batch("order", [sample for sample in reversed(survivors) if not _is_long(sample)], alone, patience_s)
        self._batch("empty batch", [], alone, self._deadline_s)
        for sample in survivors:
            self._staged(sample, alone[sample.id or ""])

    def _one(self, sample: Sample) -> Verdict | None:
        name = sample.id or ""
        found = self._ask("one by one", "verify", [sample], sample=name, deadline_s=self._deadline_s)
        if found is None:
            return None
        problem = _not_verdicts(found, [sample])
        if problem:
            self._report.add("same length and order", problem, name)
            return None
        verdict = cast("list[Verdict]", found)[0]
        for problem in _flaws(verdict):
            self._report.add("verdict", problem, name)
        if not _on_scale(verdict, self._scale):
            self._report.add("scale", f"{verdict.outcome} {verdict.score} from a verifier of scale {self._scale}", name)
            self._scale = "unbounded"  # said once
        return verdict

    def _defects(self, name: str, verdict: Verdict, needs: frozenset[str]) -> None:
        """A failure of ours is never a reward, and one that the response causes is never free."""
        if is_crash(verdict) or verdict.reason_code == UNJUDGEABLE:
            self._report.add("never raises", verdict.reason, name)
        elif name in _NO_RESPONSE and "response" in needs and verdict.outcome is not Outcome.INVALID:
            self._report.add("missing fields", f"no response is invalid, not {verdict.outcome}", name)
        elif name == "reference missing" and "reference" in needs and not verdict.outcome.missing:
            self._report.add("missing fields", f"no reference is abstained, not {verdict.outcome}", name)
        elif name == "aborted" and not verdict.outcome.missing:
            self._report.add("missing fields", f"an aborted sample is not scored, not {verdict.outcome}", name)

    def _batch(self, clause: str, samples: list[Sample], alone: dict[str, Verdict], deadline_s: float) -> None:
        found = self._ask(clause, "verify", samples, deadline_s=deadline_s)
        if found is None:
            return
        problem = _not_verdicts(found, samples)
        if problem:
            self._report.add("same length and order", problem)
            return
        for sample, verdict in zip(samples, cast("list[Verdict]", found), strict=True):
            before = alone[sample.id or ""]
            if self._deterministic and _content(verdict) != _content(before):
                detail = f"{_brief(before)} alone, {_brief(verdict)} in a batch"
                self._report.add(clause, detail, sample.id or "")

    def _staged(self, sample: Sample, whole: Verdict) -> None:
        name = sample.id or ""
        clause = "triage, prepare and check"
        found = self._ask(clause, "judge_in_stages", sample, sample=name, deadline_s=self._deadline_s)
        if isinstance(found, str):
            self._report.add(clause, found, name)
        elif self._deterministic and isinstance(found, Verdict) and _brief(found) != _brief(whole):
            self._report.add(clause, f"{_brief(found)} in stages, {_brief(whole)} by verify", name)

    def _ask(self, clause: str, *job: object, sample: str = "", deadline_s: float) -> object | None:
        """The child's answer; None, and a violation, where it hung, died or raised."""
        found = self._child.call(*job, deadline_s=deadline_s)
        if isinstance(found, Hung):
            self._report.add("dies on time", f"no verdict within {found.deadline_s:g} s ({clause})", sample)
        elif isinstance(found, Died):
            self._report.add("never raises", f"the process ended with {found.exit_code} ({clause})", sample)
        elif isinstance(found, Raised):
            self._report.add("never raises", f"{found.error} ({clause})", sample)
        else:
            return found
        return None


def _is_long(sample: Sample) -> bool:
    """A few of them take as long as all others, and what a verdict owes to the order is no matter of length."""
    texts = (sample.prompt, sample.response, sample.prefix, sample.reference)
    return sum(len(text) for text in texts if isinstance(text, str)) > _LONG


def _scale(verifier: Verifier) -> Scale:
    return getattr(verifier, "scale", "binary")


def _on_scale(verdict: Verdict, scale: Scale) -> bool:
    """Recipes rely on what a verifier declares of its scores."""
    if verdict.score is None or scale == "unbounded":
        return True
    if scale == "binary":
        return verdict.outcome not in (Outcome.PARTIAL, Outcome.SCORED)
    return 0 <= verdict.score <= 1


class _Probe:
    """What runs in the child: one method a kind of question."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    def __call__(self, question: str, *arguments: object) -> object:
        ask: Callable[..., object] = getattr(self, question)
        return ask(*arguments)

    def declare(self) -> list[str]:
        verifier = self._verifier
        problems = [
            f"no {member}"
            for member in ("name", "version", "summary", "lane", "deterministic", "needs", "examples")
            if not hasattr(verifier, member)
        ]
        if problems:
            return problems
        if not _CODE.fullmatch(verifier.name):
            problems.append(f"the name {verifier.name!r} is not in snake_case")
        if not verifier.summary:
            problems.append("the summary is empty")
        if verifier.lane not in _LANES:
            problems.append(f"there is no lane {verifier.lane!r}")
        if not verifier.examples:
            problems.append("no examples: the catalogue has nothing to show")
        return problems + _params_problems(verifier)

    def example(self, example: Example) -> object:
        verifier = self._verifier
        if example.params:
            kind = cast("Callable[[Params], Verifier]", type(verifier))
            verifier = kind(type(verifier.params).model_validate(example.params))
        return verifier.verify([example.sample])[0]

    def verify(self, samples: list[Sample]) -> object:
        return self._verifier.verify(samples)

    def judge_in_stages(self, sample: Sample) -> Verdict | str:
        """The verdict by triage, prepare and check; a text where their contract is broken."""
        try:
            found = self._verifier.triage(sample)
            if isinstance(found, Verdict):
                return found
            if self._verifier.lane == "inline":
                return "an inline verifier's triage gives a verdict, never a task"
            hash(found)
            if pickle.loads(pickle.dumps(found)) != found:  # noqa: S301 - our own pickle
                return "a task does not survive pickling"
            read_reference(self._verifier, found)
            return self._verifier.check(found)
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)
        except (MemoryError, RecursionError) as exhausted:
            return report_exhausting_response(exhausted)


def _params_problems(verifier: Verifier) -> list[str]:
    params, producer = verifier.params, verifier.producer
    problems = []
    if type(params).model_validate(json.loads(params.model_dump_json())) != params:
        problems.append("the parameters do not survive a round trip through JSON")
    # what it asks with, a preset or its members, may stand behind the version
    if producer.name != verifier.name or producer.version.partition("-")[0] != verifier.version:
        problems.append(f"the producer is {producer.name} {producer.version}, not the verifier")
    if producer.params != params_hash(params):
        problems.append("the producer's parameter hash is not that of the parameters")
    type(params).model_json_schema()
    return problems


def _not_verdicts(found: object, samples: list[Sample]) -> str:
    """Why an answer is not one verdict a sample in order, else the empty string."""
    if not isinstance(found, list) or not all(isinstance(verdict, Verdict) for verdict in found):
        return f"{type(found).__name__} is not a list of verdicts"
    if len(found) != len(samples):
        return f"{len(found)} verdicts for {len(samples)} samples"
    strays = [v.id for v, sample in zip(found, samples, strict=True) if v.id not in (None, sample.id)]
    return f"verdicts of other samples: {strays[:3]}" if strays else ""


def _flaws(verdict: Verdict) -> list[str]:
    flaws = []
    if not _CODE.fullmatch(verdict.reason_code):
        flaws.append(f"the reason code {verdict.reason_code[:60]!r} is not in snake_case")
    if verdict.outcome.missing != (verdict.score is None):
        flaws.append(f"{verdict.outcome} with score {verdict.score}")
    if verdict.score is not None and not math.isfinite(verdict.score):
        flaws.append(f"the score {verdict.score} is not finite")
    fixed = _FIXED_SCORES.get(verdict.outcome)
    if fixed is not None and verdict.score != fixed:
        flaws.append(f"{verdict.outcome} scores {fixed}, not {verdict.score}")
    if verdict.outcome is Outcome.PARTIAL and verdict.score is not None and not 0 <= verdict.score <= 1:
        flaws.append(f"partial scores lie in [0, 1], not {verdict.score}")
    try:
        verdict.model_dump_json()
    except ValueError as failure:
        flaws.append(f"the verdict cannot be written as JSON: {str(failure)[:120]}")
    return flaws


def _content(verdict: Verdict) -> object:
    return _timeless(verdict.model_dump(exclude={"id"}))


def _timeless(value: object) -> object:
    """The same without ``elapsed_s``, in the evidence too: no two runs take the same time."""
    if isinstance(value, dict):
        return {name: _timeless(item) for name, item in value.items() if name != "elapsed_s"}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def _brief(verdict: Verdict) -> str:
    return f"{verdict.outcome} ({verdict.reason_code}, score {verdict.score})"
