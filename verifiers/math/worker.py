"""The half of ``math`` that runs in a worker process: parse the references, then parse and prove the answer."""

from __future__ import annotations

from contextlib import suppress

from trueward.authoring.verifier import Abstain
from trueward.wire.verdict import Verdict
from verifiers.legible import shorten
from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.probe import NoValue, has_value
from verifiers.math.compare import Tolerance
from verifiers.math.decide import decide
from verifiers.math.guard import TooHeavy
from verifiers.math.precise import by_digits, is_within
from verifiers.math.reading.cases import pieces
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.notation import formula, same_signs
from verifiers.math.reading.sequence import sequence
from verifiers.math.single import is_probed
from verifiers.math.solutions.family import family
from verifiers.math.solutions.region import region
from verifiers.math.solutions.relation import relation
from verifiers.math.symbolic import Unparsable, parse_expression, symbolic
from verifiers.math.verdict import verdict


def prepare(references: tuple[str, ...]) -> None:
    """Parses what the caller sent, once a worker. Raises Abstain where no reference can be read nor compared as is."""
    golds = [form(text) for text in references]
    failures = [failure for gold in golds if (failure := _failure(gold)) is not None and not _stands(gold, failure)]
    if len(failures) == len(references):
        raise failures[0]


def check(answer: str, rule: str, references: tuple[str, ...], tolerance: Tolerance) -> Verdict:
    """The verdict on an answer, after :func:`prepare`."""
    given = form(answer)
    evidence = {"extracted": shorten(given.text), "rule": rule}
    outcomes: list[tuple[Decision | None, Form]] = []
    try:
        for gold in map(form, references):
            failure = _failure(gold)
            if failure is None:
                decision = decide(given, gold, lambda ours, theirs: _compared(ours, theirs, tolerance))
            elif not _stands(gold, failure) or (decision := same_signs(given.text, gold.text)) is None:
                continue
            if decision is not None and decision.equal:
                return verdict(decision, rule, given, gold)
            outcomes.append((decision, gold))
    except Unparsable as unread:
        return Verdict.invalid("unparsable_answer", str(unread), evidence=evidence)
    except TooHeavy as excess:
        return Verdict.invalid("resource_limit", f"the answer beside its reference is {excess}", evidence=evidence)
    except NoValue as absence:
        return Verdict.invalid("no_value", str(absence), evidence=evidence)
    except (MemoryError, RecursionError):
        raise
    except Exception as crash:  # noqa: BLE001 - the algebra system fails in undeclared ways on this answer
        reason = f"the answer cannot be compared: {type(crash).__name__}"
        return Verdict.invalid("incomparable", reason, evidence=evidence)
    return _not_equal(outcomes, len(references), given, rule)


def _compared(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    """As :func:`symbolic`; of a rounding, and of what our reader alone can parse, many digits tell."""
    half = tolerance.compute_rounding(answer, reference)
    if half is not None and is_within(answer, reference, half):
        return Decision(True, "equal_rounded")
    try:
        return symbolic(answer, reference, tolerance)
    except Unparsable:
        with suppress(NoValue):
            if is_probed(answer, reference):
                return by_digits(answer, reference)
        raise
    except TooHeavy:
        if (found := by_digits(answer, reference)) is None:
            raise
        return found
    except NoValue:  # at the probes; (-1)^n has values at whole numbers alone
        found = by_digits(answer, reference)
        if found is None or not found.equal:
            raise
        return found


def _not_equal(outcomes: list[tuple[Decision | None, Form]], asked: int, given: Form, rule: str) -> Verdict:
    evidence = {"extracted": shorten(given.text), "rule": rule}
    if len(outcomes) < asked:
        return Verdict.abstained("reference_unparsable", "one of the references cannot be read", evidence=evidence)
    for decision, _ in outcomes:
        if decision is None:
            return Verdict.abstained("undecided", "neither proved equal nor refuted", evidence=evidence)
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
            parse_expression(gold.core)
            return None
    except Unparsable as failure:
        return None if _exactly_read(gold) else Abstain("reference_unparsable", str(failure))
    except TooHeavy as excess:
        # of what we read ourselves digits tell
        return (
            None if expression(gold.core) is not None else Abstain("reference_too_large", f"the reference is {excess}")
        )
    return next((found for part in parts.parts if (found := _failure(form(part))) is not None), None)


def _stands(gold: Form, failure: Abstain) -> bool:
    """Whether a reference that is not read is a whole formula all the same, to be compared by its signs."""
    return failure.reason_code == "reference_unparsable" and formula(gold.text) and expression(gold.core) is None


def _exactly_read(gold: Form) -> bool:
    """Whether exact means read what the algebra system does not: then what cannot be compared is the answer's fault."""
    found = (gold.moment, region(gold.text), family(gold.text), pieces(gold.core), relation(gold.text))
    if any(one is not None for one in found):
        return True
    read = expression(gold.core)
    return read is not None and has_value(read)
