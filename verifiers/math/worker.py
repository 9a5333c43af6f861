"""The half of ``math`` that runs in a worker process: parse the references, then parse and prove the answer."""

from __future__ import annotations

from contextlib import suppress

from trueward.types import Verdict
from trueward.verifier import Abstain
from verifiers.legible import shown
from verifiers.math.cases import pieces
from verifiers.math.compare import Tolerance
from verifiers.math.decide import decide
from verifiers.math.decision import Decision
from verifiers.math.family import family
from verifiers.math.form import Form, form
from verifiers.math.grammar import expression
from verifiers.math.probe import NoValue, valued
from verifiers.math.region import region
from verifiers.math.relation import relation
from verifiers.math.sequence import sequence
from verifiers.math.single import probed
from verifiers.math.symbolic import TooHeavy, Unparsable, parsed, symbolic
from verifiers.math.verdict import verdict


def prepare(references: tuple[str, ...]) -> None:
    """Parses what the caller sent, once a worker. Raises Abstain where no reference can be read."""
    failures = [failure for text in references if (failure := _failure(form(text))) is not None]
    if len(failures) == len(references):
        raise failures[0]


def check(answer: str, rule: str, references: tuple[str, ...], tolerance: Tolerance) -> Verdict:
    """The verdict on an answer, after :func:`prepare`."""
    given = form(answer)
    evidence = {"extracted": shown(given.text), "rule": rule}
    golds = [gold for text in references if _failure(gold := form(text)) is None]
    outcomes: list[tuple[Decision | None, Form]] = []
    try:
        for gold in golds:
            decision = decide(given, gold, lambda ours, theirs: _compared(ours, theirs, tolerance))
            if decision is not None and decision.equal:
                return verdict(decision, rule, given, gold)
            outcomes.append((decision, gold))
    except Unparsable as failure:
        return Verdict.invalid("unparsable_answer", str(failure), evidence=evidence)
    except TooHeavy as excess:
        return Verdict.invalid("resource_limit", f"the answer is {excess}", evidence=evidence)
    except NoValue as absence:
        return Verdict.invalid("no_value", str(absence), evidence=evidence)
    except (MemoryError, RecursionError):
        raise
    except Exception as failure:  # noqa: BLE001 - the algebra system fails in undeclared ways on this answer
        reason = f"the answer cannot be compared: {type(failure).__name__}"
        return Verdict.invalid("incomparable", reason, evidence=evidence)
    return _not_equal(outcomes, len(references), given, rule)


def _compared(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    """As :func:`symbolic`; what it cannot parse, and our reader does, stays undecided where no probe refutes it."""
    try:
        return symbolic(answer, reference, tolerance)
    except Unparsable:
        with suppress(NoValue):
            if probed(answer, reference):
                return None
        raise


def _not_equal(outcomes: list[tuple[Decision | None, Form]], asked: int, given: Form, rule: str) -> Verdict:
    evidence = {"extracted": shown(given.text), "rule": rule}
    if len(outcomes) < asked:
        return Verdict.abstained("reference_unparsable", "one of the references cannot be read", evidence=evidence)
    for decision, _ in outcomes:
        if decision is None:
            return Verdict.abstained("undecided", "numerically equal, but not proved", evidence=evidence)
    decision, gold = outcomes[0]
    assert decision is not None
    return verdict(decision, rule, given, gold)


def _failure(gold: Form) -> Abstain | None:
    """Why a reference cannot be read, part by part, else None."""
    if gold.value is not None or gold.wordy:
        return None
    parts = sequence(gold.core)
    try:
        if parts is None:
            parsed(gold.core)
            return None
    except Unparsable as failure:
        return None if _exactly_read(gold) else Abstain("reference_unparsable", str(failure))
    except TooHeavy as excess:
        return Abstain("reference_too_large", f"the reference is {excess}")
    return next((found for part in parts.parts if (found := _failure(form(part))) is not None), None)


def _exactly_read(gold: Form) -> bool:
    """Whether exact means read what the algebra system does not: then what cannot be compared is the answer's fault."""
    found = (gold.moment, region(gold.text), family(gold.text), pieces(gold.core), relation(gold.text))
    if any(one is not None for one in found):
        return True
    read = expression(gold.core)
    return read is not None and valued(read)
