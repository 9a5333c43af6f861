"""``sets``: how much do the items of the answer and those of the reference overlap?

Precision, recall, F1 and IoU (Jaccard) over items that are equal after normalisation; order never counts, and
duplicates only in a ``list``. Equal sets are ``correct``, disjoint ones ``incorrect``, the rest ``partial``. As
reference a flat list is one set, a list of lists several acceptable ones. How a text is read as items:
:mod:`verifiers.items`. Not covered: items that mean the same.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Text
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.extract import Answer, NoAnswer, Policy, extract
from verifiers.items import AROUND, find_list, format_item, items
from verifiers.legible import legible, shorten
from verifiers.typography import plain_signs

LONGEST = 10_000
"""Characters that a reference given as text may have, and items that one given as a list may have."""

_SHOWN = 20
Bag = Counter[str]


class SetsParams(Params):
    measure: Literal["f1", "precision", "recall", "iou"] = Field(
        default="f1", description="the score of a partial overlap: `f1`, `precision`, `recall` or `iou`"
    )
    kind: Literal["set", "list"] = Field(
        default="set", description="`set`: duplicates count once; `list`: as often as they are there"
    )
    casefold: bool = Field(default=True, description="compare items without regard to case")
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; any other value is that rule alone",
    )


class Overlap(NamedTuple):
    """Shares in [0, 1]; two empty sets overlap wholly."""

    precision: float
    recall: float
    f1: float
    iou: float

    @classmethod
    def of(cls, given: Bag, gold: Bag) -> Overlap:
        common, asked, wanted = (given & gold).total(), given.total(), gold.total()
        if asked == wanted == 0:
            return cls(1.0, 1.0, 1.0, 1.0)
        return cls(
            precision=common / asked if asked else 0.0,
            recall=common / wanted if wanted else 0.0,
            f1=2 * common / (asked + wanted),
            iou=common / (asked + wanted - common),
        )

    def measure(self, name: str) -> float:
        return float(getattr(self, name))


class SetsVerifier(SampleVerifier[SetsParams]):
    name: ClassVar[str] = "sets"
    version: ClassVar[str] = "9"
    summary: ClassVar[str] = "Overlap of the answer's items with the reference's: precision, recall, F1, IoU"
    scale: ClassVar[Scale] = "graded"
    Reference: ClassVar[Any] = Text | list[JsonValue]
    Params: ClassVar[type[Params]] = SetsParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(response="<answer>Oslo, Rome and Bern</answer>", reference=["Rome", "Bern", "Oslo"]),
            outcome="correct",
        ),
        Example(
            sample=Sample(response='Answer: ["Rome", "Paris"]', reference=["Rome", "Bern", "Oslo"]), outcome="partial"
        ),
        Example(sample=Sample(response="- Lima\n- Cairo", reference="Rome, Bern, Oslo"), outcome="incorrect"),
        Example(sample=Sample(response="a, a, b", reference=["a", "b"]), params={"kind": "list"}, outcome="partial"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        golds = self._golds(sample.reference)
        answer = extract(sample, self.params.extract)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        text = _said(sample, answer)
        return self._judged(self._read(text, golds), golds, {"extracted": shorten(text), "rule": answer.rule})

    def _judged(self, given: Bag, golds: list[Bag], evidence: dict[str, JsonValue]) -> Verdict:
        measure = self.params.measure
        overlaps = [(Overlap.of(given, gold), gold) for gold in golds]
        best, gold = max(overlaps, key=lambda pair: (pair[1] == given, pair[0].measure(measure)))
        evidence |= {**best._asdict(), "missing": _listed(gold - given), "extra": _listed(given - gold)}
        if given == gold:
            return Verdict.correct("equal_sets", "the items are those of the reference", evidence=evidence)
        if not given & gold:
            return Verdict.incorrect("disjoint_sets", "no item is one of the reference's", evidence=evidence)
        score = best.measure(measure)
        return Verdict.partial(score, "overlap", f"{measure} is {score:.3g}", evidence=evidence)

    def _golds(self, reference: JsonValue) -> list[Bag]:
        if isinstance(reference, str):
            if len(reference) > LONGEST:
                raise Abstain("reference_too_large", f"the reference has more than {LONGEST} characters")
            return [self._read(legible(reference), [])]
        if not isinstance(reference, list):
            raise Abstain("reference_type", "a reference is a list of items, a list of such lists, or a text")
        sets = [value for value in reference if isinstance(value, list)]
        if sets and len(sets) < len(reference):
            raise Abstain("reference_type", "a reference mixes items and lists of items")
        return [self._gold(values) for values in sets or [reference]]

    def _gold(self, values: list[JsonValue]) -> Bag:
        if len(values) > LONGEST:
            raise Abstain("reference_too_large", f"the reference has more than {LONGEST} items")
        try:
            texts = [format_item(value) for value in values]
        except ValueError as failure:
            raise Abstain("reference_type", str(failure)) from failure
        if not all(map(self._normal, texts)):
            raise Abstain("reference_unparsable", "nothing is left of an item of the reference")
        return self._bag(texts)

    def _read(self, text: str, golds: list[Bag]) -> Bag:
        return self._bag(items(text, lambda item: any(self._normal(item) in gold for gold in golds)))

    def _bag(self, texts: list[str]) -> Bag:
        found = [item for text in texts if (item := self._normal(text))]
        return Counter(found if self.params.kind == "list" else set(found))

    def _normal(self, text: str) -> str:
        text = plain_signs(text)
        if self.params.casefold:
            text = unicodedata.normalize("NFC", text.casefold())
        return " ".join(text.strip(AROUND).split())


def _said(sample: Sample, answer: Answer) -> str:
    """The answer; where a list follows a marker, all of the list and not its first line alone."""
    if answer.rule != "marker" or answer.span is None:
        return answer.text
    response = legible(sample.response_text)
    if answer.parts and response.startswith("[", answer.span[0]):
        return response[slice(*answer.span)]
    return find_list(response, answer.span[0]) or answer.text


def _listed(bag: Bag) -> list[JsonValue]:
    return [shorten(item)[:80] for item in sorted(bag.elements())[:_SHOWN]]
