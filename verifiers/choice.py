r"""``choice``: did the response choose the right option of a multiple-choice question?

Reads a letter in the forms that models write (``B``, ``(b)``, ``B. Paris``, ``\boxed{\text{B}}``, ``The answer
is **B**``) or, where ``metadata.choices`` is given (a list, or a mapping of letters), the option's own text.
Several letters are ``hedged``. Not covered: questions with several right options.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from trueward.types import Sample, Verdict
from trueward.verifier import Abstain, Example, Params, SampleVerifier
from verifiers.extract import Answer, Hedge, NoAnswer, Policy, extract, settle
from verifiers.legible import legible, shown

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WRAPPERS = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boxed|textrm)(?![A-Za-z])|[{}$*_`\"'~]|\\[()\[\] ,;]")
_LEAD = re.compile(r"^(?:the )?(?:correct |right |best )?(?:answer|option|choice|letter)\s*(?:is|:)?\s*", re.IGNORECASE)
_LETTER = re.compile(
    r"[(\[]?\s?(?P<letter>[A-Za-z])\s?(?:[)\].:,]|$|(?=\s[-–—]\s))\s*(?:[-–—]\s)?(?P<rest>.*)", re.DOTALL
)
# "A cat" and "I think" begin with words, not with options
_WORD = r"\s(?!(?:or|and|nor|is|because|since|seems)\b)[a-z]"
_LONE = re.compile(rf"(?<![\w'’])(?:\((?P<a>[A-Z])\)|(?P<b>[AI](?!{_WORD})|[B-HJ-Z]))(?![\w'’])")
# an apostrophe may have been taken for a quotation mark, and off
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|except|besides|other than|rather than|instead of|(?:any|every)thing but)|n['’ ]t)"
    r"(?:\s(?:be|choose|pick|select|take))?(?:\s(?:the\s)?(?:option|choice|answer|letter))?\s?[(\[]?\Z",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[)\].:,]?\s?(?:is|was)(?:(?:n['’ ]t|\snot)(?!\s(?:wrong|incorrect|false|only))|\s(?:wrong|incorrect|false))\b"
    r"|[)\].:,]?\s?can(?:not|['’ ]t) be\b",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(r"[(\[]?[A-Z][)\].:]?|(?:option|choice|answer)\s[(\[]?[A-Z][)\]]?[.]?", re.IGNORECASE)
_DENIAL_REACH = 60


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
    version: ClassVar[str] = "3"
    summary: ClassVar[str] = "The option chosen in a multiple-choice question"
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
        letters = set(choices) or set(_ALPHABET[: self.params.options])
        golds = {_reference(value, choices, letters) for value in sample.references}
        answer = extract(sample, self.params.extract)
        if isinstance(answer, Answer):
            answer = settle(
                answer,
                self.params.hedge,
                several=False,
                equal=lambda one, other: _chosen(one, choices, letters) == _chosen(other, choices, letters),
            )
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        found = _chosen(_said(answer), choices, letters)
        evidence: dict[str, JsonValue] = {
            "extracted": shown(answer.text),
            "rule": answer.rule,
            "chosen": ", ".join(sorted(found)),
            "reference": ", ".join(sorted(golds)),
        }
        if not found:
            return Verdict.invalid("no_choice", "the answer names no option", evidence=evidence)
        if len(found) > 1:
            return Verdict.invalid("hedged", "the answer names several options", evidence=evidence)
        chosen = found.pop()
        if chosen in golds:
            return Verdict.correct("same_choice", f"the answer is {chosen}", evidence=evidence)
        return Verdict.incorrect("other_choice", f"the answer is {chosen}", evidence=evidence)


def _said(answer: Answer) -> str:
    """What is searched for an option: of a long response without form only a last line that names one."""
    if answer.rule != "whole" or len(answer.text) <= 60:
        return answer.text
    last = answer.text.rstrip().rsplit("\n", 1)[-1].strip(" *_`$")
    return last if _LAST_LINE.fullmatch(last) or len(last) <= 60 else ""


def _chosen(text: str, choices: Mapping[str, str], letters: set[str]) -> set[str]:
    """The options that a text names; an option's own text counts where it is the whole text."""
    bare = " ".join(_WRAPPERS.sub(" ", text).split()).strip(" .,:;")
    bare = _LEAD.sub("", bare).strip()
    by_text = {letter for letter, option in choices.items() if _folded(option) == _folded(bare)}
    if by_text:
        return by_text
    leading = _LETTER.fullmatch(bare)
    if leading is not None and _DENIED_AFTER.match(bare, leading.end("letter")):
        return _alone(leading["rest"], letters)
    if leading is not None and leading["letter"].upper() in letters:
        return _with_rest(leading["letter"].upper(), leading["rest"], choices, letters)
    return _alone(bare, letters)


def _with_rest(letter: str, rest: str, choices: Mapping[str, str], letters: set[str]) -> set[str]:
    """``B. Paris`` is B, unless the text is that of another option or further options follow."""
    rest = rest.strip(" .()")
    contrary = {other for other, option in choices.items() if rest and _folded(option) == _folded(rest)}
    return {letter} | contrary if contrary else {letter} | _alone(rest, letters)


def _alone(text: str, letters: set[str]) -> set[str]:
    """The options whose letters stand alone in the text's beginning; none where it names one to deny it."""
    named = [match for match in _LONE.finditer(text[:500]) if (match["a"] or match["b"]) in letters]
    found = {match["a"] or match["b"] for match in named}
    return set() if len(found) == 1 and any(_denied(text, match.span()) for match in named) else found


def _denied(text: str, span: tuple[int, int]) -> bool:
    """Whether a letter is named as what the answer is not."""
    before = text[max(0, span[0] - _DENIAL_REACH) : span[0]]
    return _DENIED_BEFORE.search(before) is not None or _DENIED_AFTER.match(text, span[1]) is not None


def _choices(metadata: Mapping[str, JsonValue] | None) -> dict[str, str]:
    """The options by their letters; empty where the sample does not give them."""
    given = (metadata or {}).get("choices")
    if isinstance(given, list):
        given = dict(zip(_ALPHABET, given, strict=False))
    if not isinstance(given, dict) or not all(isinstance(text, (str, int, float)) for text in given.values()):
        return {}
    return {
        label: legible(str(text))
        for name, text in given.items()
        if len(label := name.strip(" ().").upper()) == 1 and label in _ALPHABET
    }


def _reference(value: JsonValue, choices: Mapping[str, str], letters: set[str]) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(choices):
        return list(choices)[value]
    if not isinstance(value, str):
        raise Abstain("reference_type", "a reference is a letter, an option's text, or an index from 0 of choices")
    found = _chosen(legible(value), choices, letters)
    if len(found) != 1:
        raise Abstain("reference_unparsable", "the reference names no option, or several")
    return found.pop()


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,:;")
