"""``label``: which label of a given set did the response choose, and is it the reference?

The labels are the caller's (``labels``, else ``metadata.labels``). An answer that is a label is read as such; in a
longer one the labels that it names count, the longest first, so ``not spam`` is not ``spam``. A first thought that is
taken back for another label does not count. Several labels are ``hedged`` and nothing but a negated one is
``denied_label``, both ``invalid``. Not covered: several right labels (``sets``), synonyms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, JsonValue, StrictInt, StringConstraints, model_validator

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Text
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.extract.denial import BESIDE, IS_NOT, WRONG
from verifiers.extract.policy import blank_markup
from verifiers.legible import legible, shorten
from verifiers.marks import mark_ranges
from verifiers.scope import Scope, extract_scope
from verifiers.typography import plain_signs

SEARCHED = 500
"""Characters of a longer answer in which labels are looked for: its last line, where it is longer than that."""

_MOST = 200
_LONGEST = 200
_DENIAL = (
    r"(?:not|never|no|neither|nor|isn['’]t|wasn['’]t|aren['’]t|can(?:no|['’])t be|non|hardly|barely|scarcely|rarely"
    r"|can(?:no|['’])t be (?:called|considered|said to be)|wrong to (?:say|call (?:it|this))"
    r"|seldom|unlikely|un|false|without|lack(?:s|ing)?|fail(?:s|ed|ing)? to be|less(?: than)?|nowhere near"
    rf"|far from|{BESIDE}|nothing(?: like)?|the opposite of|if (?:it|this|that|the [a-z]{{1,12}}) (?:is|was|were)"
    r"|(?:can|could|do|does|did|would)(?:n['’]t|not|['’]t| not)"
    r" (?:say|call|think|consider|claim|believe|find|label|classify|rate)"
    r"(?: that)?(?: it| this| the [a-z]{1,12})?(?: is| was| as)?)[ -]+"
    r"(?:(?:a|an|the|very|really|at all|quite|exactly|actually|even|any|to be|being) ){0,3}[\"'*_`]{0,4}"
)
_REFUSAL = rf"(?:[\"'”’]?\?\s?no(?=[.!,]|\Z)|[\"'”’]?\s(?:is|was)(?:{IS_NOT}|\s{WRONG})\b)"
_TEXT = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf|mbox)\{([^{}]*)\}")

_VERB = (
    r"(?:thought|assumed|guessed|believed|considered|suspected|said|leaned (?:toward|towards|to)"
    r"|took it for|read it as)"
)
_THOUGHT = (
    rf"(?:i (?:had )?(?:at )?(?:first|initially|originally) {_VERB}"
    rf"|(?:at first|initially|originally),? (?:i {_VERB}|(?:it|this) (?:seemed|looked|sounded))"
    r"|my (?:first|initial) (?:thought|guess|impression|reading|instinct) was)"
    r"(?: that)?(?: it| this| the [a-z]{1,12})?(?: was| is| would be| might be)?(?: to be| like)?(?: an?)? "
    r"[\"'*_`]{0,4}"
)
"""A first thought, up to its label."""

Label = Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST, pattern=r"\S")]


_AROUND = " .,:;!?*_`\"'()[]{}$"
"""What may stand around a label and is none of it."""


class LabelParams(Params):
    labels: Annotated[tuple[Label, ...], Field(min_length=2, max_length=_MOST)] | None = Field(
        default=None, description="the labels that there are; default: the sample's metadata.labels"
    )
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; any other value is that rule alone",
    )

    @model_validator(mode="after")
    def _labels_differ(self) -> Self:
        if self.labels is not None and len(set(map(_folded, self.labels))) < len(self.labels):
            raise ValueError("labels have to differ in more than case and blanks")
        return self


class LabelVerifier(SampleVerifier[LabelParams]):
    name: ClassVar[str] = "label"
    version: ClassVar[str] = "11"
    summary: ClassVar[str] = "The label chosen from a given set"
    Reference: ClassVar[Any] = Text | StrictInt
    Params: ClassVar[type[Params]] = LabelParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response="Sentiment: the answer is **positive**.",
                reference="positive",
                metadata={"labels": ["positive", "negative", "neutral"]},
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(response="spam", reference="not spam"),
            params={"labels": ["spam", "not spam"]},
            outcome="incorrect",
        ),
        Example(
            sample=Sample(response="Answer: cat or dog", reference="dog"),
            params={"labels": ["cat", "dog"]},
            outcome="invalid",
        ),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        labels = self._labels(sample.metadata)
        golds = {_gold(value, labels) for value in sample.references}
        answer = extract(sample, self.params.extract)
        if isinstance(answer, NoAnswer) and answer.reason_code == "denied_answer":
            # "the answer is not spam" may well name a label
            answer = extract_scope(sample, Scope.ANSWER)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        found, denied = _named(_said(answer.text), labels)
        evidence: dict[str, JsonValue] = {
            "extracted": shorten(answer.text),
            "rule": answer.rule,
            "named": [*sorted(found)],
            "denied": [*sorted(denied)],
            "reference": [*sorted(golds)],
        }
        if len(found) > 1 or found & denied:
            return Verdict.invalid("hedged", "the answer names several labels, or denies its own", evidence=evidence)
        if not found and denied:
            return Verdict.invalid("denied_label", "the answer says only which label it is not", evidence=evidence)
        if not found:
            return Verdict.invalid("no_label", "the answer names no label", evidence=evidence)
        chosen = found.pop()
        if chosen in golds:
            return Verdict.correct("same_label", f"the label is {chosen}", evidence=evidence)
        return Verdict.incorrect("other_label", f"the label is {chosen}", evidence=evidence)

    def _labels(self, metadata: Mapping[str, JsonValue] | None) -> dict[str, str]:
        """The labels as the caller writes them, by their folded form."""
        given = self.params.labels if self.params.labels is not None else (metadata or {}).get("labels")
        if not isinstance(given, (list, tuple)) or not 2 <= len(given) <= _MOST:
            raise Abstain("no_labels", f"neither labels nor metadata.labels is a list of 2 to {_MOST} labels")
        labels = {_folded(label): label for label in map(_text, given) if label.strip()}
        if len(labels) < len(given):
            raise Abstain("no_labels", "labels are texts that differ in more than case and blanks")
        return labels


def _said(answer: str) -> str:
    """What is searched for labels."""
    answer = blank_markup(_TEXT.sub(r"\1", answer))
    if len(answer) <= SEARCHED:
        return answer
    last = answer.rstrip().rsplit("\n", 1)[-1]
    return last if len(last) <= SEARCHED else ""


def _named(text: str, labels: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """The labels that a text names, and those that it names only to deny them."""
    folded = _folded(text)
    whole = folded if folded in labels else folded.strip(_AROUND)
    if whole in labels:
        return {labels[whole]}, set()
    folded = _settled(folded, tuple(labels))
    found: set[str] = set()
    denied: set[str] = set()
    for match in _finder(tuple(labels)).finditer(folded):
        name = match["label"] or match["denied"] or match["refused"]
        (denied if match["label"] is None else found).add(labels[name])
    return found, denied


def _settled(text: str, folded: tuple[str, ...]) -> str:
    """Without a first thought that the text takes back for another label."""
    taken_back, finder = _first_thought(folded), _finder(folded)
    left = taken_back.sub(" ", text, count=1)
    return left if left != text and any(match["label"] for match in finder.finditer(left)) else text


@lru_cache(maxsize=256)
def _first_thought(folded: tuple[str, ...]) -> re.Pattern[str]:
    either = _either(folded)
    said = rf"(?<!\w){_THOUGHT}(?:{either})[\"'*_`]{{0,4}}"
    return re.compile(
        rf"{said}[,.;]? (?=(?:but|however|yet|(?:the|my) (?:[a-z]{{1,12}} )?[a-z]{{1,12}} is)(?!\w))"
        rf"|,? (?:although|though|even though) {said}(?=[.!]?\Z)"
    )


def _either(folded: tuple[str, ...]) -> str:
    return "|".join(re.escape(label) for label in sorted(folded, key=len, reverse=True))


@lru_cache(maxsize=256)
def _finder(folded: tuple[str, ...]) -> re.Pattern[str]:
    either = _either(folded)
    # a vowel sign is no \w: with it the letter is another word
    sign = rf"[\w{mark_ranges()}]"
    return re.compile(
        rf"(?<!{sign})(?<!\d[.,])(?:(?P<refused>{either})(?={_REFUSAL})|(?P<label>{either})|{_DENIAL}(?P<denied>{either}))(?!{sign}|[.,]\d)"
    )


def _gold(value: JsonValue, labels: Mapping[str, str]) -> str:
    folded = _folded(_text(value))
    found = labels.get(folded) or labels.get(folded.strip(_AROUND))
    if found is None:
        raise Abstain("reference_unknown_label", "the reference is none of the labels")
    return found


def _text(value: JsonValue) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64:
        return str(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise Abstain("reference_type", f"a label is an integer or a text of at most {_LONGEST} characters")
    return legible(value)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", plain_signs(text).casefold()).split())
