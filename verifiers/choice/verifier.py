r"""``choice``: did the response choose the right option of a multiple-choice question?

Reads a letter in the forms that models write (``B``, ``(b)``, ``B. Paris``, ``\boxed{\text{B}}``, ``The answer
is **B**``) or, where ``metadata.choices`` is given (a list, or a mapping of letters), the option's own text; where the
final answer names none, the last sentence that concludes with one. Several letters are ``hedged``, unless the reference
has several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, JsonValue, StrictInt

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Text
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.choice.conclusion import read_conclusion
from verifiers.choice.letters import ALPHABET, bare, find_options, fold_text, read_letters
from verifiers.extract import Answer, Hedge, NoAnswer, Policy, extract, settle
from verifiers.extract.denial import find_retraction
from verifiers.legible import legible, shorten
from verifiers.scope import Scope, extract_scope

_LAST_LINE = re.compile(r"[(\[]?[A-Z][)\].:]?|(?:option|choice|answer)\s[(\[]?[A-Z][)\]]?[.]?", re.IGNORECASE)

# A, then why: what is named in the reasons is not chosen
_EXPLAINED = re.compile(
    r"(?P<said>[^\n]{1,80})\n\s*[*_#]*(?:explanation|reason(?:ing)?|because|why|rationale)\b", re.IGNORECASE
)
_QUESTION = re.compile(r"(?:[(\[]?[A-Z][)\].:]+\s)?[^?\n.!:]{1,200}\?[?!)\]}*_`\"']{0,4}")
_EITHER = re.compile(r"(?<![A-Za-z])[A-Z][)\].,*]{0,3}\s?(?:\bor\b|或)\s?[(\[*]{0,3}[A-Z](?![A-Za-z])")


class ChoiceParams(Params):
    extract: Policy = Field(
        default=Policy.TEXT,
        description="how the final answer is found: `text` tries box, answer tag and marker, then takes the whole "
        "response; any other value is that rule alone",
    )
    hedge: Hedge = Field(
        default=Hedge.PARTS,
        description="three or more boxes with different options in the final sentence are hedged, as several options "
        "in one answer always are; `last`: the last box counts",
    )
    options: Annotated[int, Field(ge=2, le=26)] = Field(
        default=10, description="how many letters from A on are options where metadata.choices does not say"
    )


class ChoiceVerifier(SampleVerifier[ChoiceParams]):
    name: ClassVar[str] = "choice"
    version: ClassVar[str] = "11"
    summary: ClassVar[str] = "The option chosen in a multiple-choice question"
    Reference: ClassVar[Any] = Text | StrictInt
    Params: ClassVar[type[Params]] = ChoiceParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="So the answer is (B).", reference="B"), outcome="correct"),
        Example(
            sample=Sample(response="Paris", reference="B", metadata={"choices": ["Lyon", "Paris", "Nice"]}),
            outcome="correct",
        ),
        Example(sample=Sample(response="\\boxed{\\text{C}}", reference="B"), outcome="incorrect"),
        Example(sample=Sample(response="Answer: A or B", reference="B"), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        choices = _choices(sample.metadata)
        letters = set(choices) or set(ALPHABET[: self.params.options])
        golds = [_reference(value, choices, letters) for value in sample.references]
        several = any(len(gold) > 1 for gold in golds)
        answer = extract(sample, self.params.extract)
        if isinstance(answer, Answer):
            answer = settle(
                answer,
                self.params.hedge,
                several=several,
                equal=lambda one, other: find_options(one, choices, letters) == find_options(other, choices, letters),
            )
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        found = (several and read_letters(bare(answer.text).strip("[] "), letters)) or find_options(
            _said(answer), choices, letters
        )
        rule = answer.rule
        unclear = not found or (len(found) > 1 and rule == "whole" and "\n" in answer.text.strip())
        if unclear and (by_conclusion := read_conclusion(_whole(sample), choices, letters)):
            found, rule = by_conclusion, "conclusion"
        elif unclear and (begun := _EXPLAINED.match(answer.text.strip())) is not None:
            found = find_options(begun["said"], choices, letters) or found
        if _is_asked(sample, answer) and not any(choices.get(letter, "").endswith("?") for letter in found):
            found = set()
        evidence: dict[str, JsonValue] = {
            "extracted": shorten(answer.text),
            "rule": rule,
            "chosen": ", ".join(sorted(found)),
            "reference": "; ".join(", ".join(sorted(gold)) for gold in golds),
        }
        if not found:
            return Verdict.invalid("no_choice", "the answer names no option", evidence=evidence)
        if len(found) > 1 and (not several or _EITHER.search(answer.text)):
            return Verdict.invalid("hedged", "the answer names several options", evidence=evidence)
        said = ", ".join(sorted(found))
        if frozenset(found) in golds:
            return Verdict.correct("same_choice", f"the answer is {said}", evidence=evidence)
        return Verdict.incorrect("other_choice", f"the answer is {said}", evidence=evidence)


def _is_asked(sample: Sample, answer: Answer) -> bool:
    """Whether the answer is a question by itself: ``Paris?``, ``B. Paris?``."""
    end = answer.span[1] if answer.span else len(sample.response_text)
    behind = legible(sample.response_text)[end : end + 4].split("\n")[0].rstrip()
    return _QUESTION.fullmatch(answer.text.strip() + behind) is not None


def _whole(sample: Sample) -> str:
    """The text after the thinking; empty where there is none."""
    found = extract_scope(sample, Scope.ANSWER)
    return "" if isinstance(found, NoAnswer) else found.text


def _said(answer: Answer) -> str:
    """What is searched for an option: of a long response without form only a last line that names one.

    Where the answer is taken back, what stands instead.
    """
    if answer.rule != "whole" or len(answer.text) <= 60:
        return answer.text[find_retraction(answer.text, 0) or 0 :]
    last = answer.text.rstrip().rsplit("\n", 1)[-1].strip(" *_`$")
    return last if _LAST_LINE.fullmatch(last) or len(last) <= 60 else ""


def _choices(metadata: Mapping[str, JsonValue] | None) -> dict[str, str]:
    """The options by their letters; empty where the sample does not give them."""
    given = (metadata or {}).get("choices")
    if isinstance(given, list):
        given = dict(zip(ALPHABET, given, strict=False))
    if not isinstance(given, dict) or not all(isinstance(text, (str, int, float)) for text in given.values()):
        return {}
    return {
        label: legible(str(text))
        for name, text in given.items()
        if len(label := name.strip(" ().").upper()) == 1 and label in ALPHABET
    }


def _reference(value: JsonValue, choices: Mapping[str, str], letters: set[str]) -> frozenset[str]:
    """The right options: one, or several that are all to be named."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(choices):
        return frozenset((list(choices)[value],))
    if not isinstance(value, str):
        raise Abstain("reference_type", "a reference is a letter, an option's text, or an index from 0 of choices")
    text = legible(value)
    by_text = any(fold_text(option) == fold_text(bare(text)) for option in choices.values())
    several = frozenset[str]() if by_text else read_letters(bare(text), letters)
    found = several or frozenset(find_options(text, choices, letters))
    if not found or (len(found) > 1 and not several):
        raise Abstain("reference_unparsable", "the reference names no option, or several that it does not list")
    return found
