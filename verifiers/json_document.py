"""``json``: is the answer a JSON document, does it fit a JSON Schema, is it the reference?

The document is all of the response where that is one, else what stands in the last ``<answer>`` tag or fenced block
after the thinking, else all of the answer. Marks inside a document's texts are no marks.
What is no JSON by RFC 8259 (:mod:`verifiers.json_text` has the bounds) is ``invalid``; a document that violates the
schema or differs from the reference is ``incorrect``. Not covered: documents inside prose, numeric tolerance, arrays
in any order.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane
from verifiers.extract import Answer, NoAnswer
from verifiers.extract.fence import fences
from verifiers.extract.thinking import find_open_pair
from verifiers.json_schema import validator, violations
from verifiers.json_text import NotJson, difference, parse
from verifiers.legible import legible, shorten
from verifiers.scope import Scope, extract_scope

LONGEST = 1_000_000
"""Characters of a schema or of a reference that is given as text."""

_AT_ONCE = 20_000
"""Characters of answer and references that are read in the process itself: about a millisecond."""

_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_OPENING, _CLOSING = ("{", "["), ("}", "]")
_LABEL = re.compile(r"[{.]*([A-Za-z0-9/+_-]*)")

Check = Literal["equal", "schema", "valid"]


class JsonParams(Params):
    check: Check = Field(
        default="equal",
        description="`equal`: the document is the reference; `schema`: it fits json_schema, else the schema that is "
        "the reference; `valid`: it is a JSON document at all",
    )
    json_schema: dict[str, JsonValue] | None = Field(
        default=None, description="the JSON Schema for the check `schema`; default: the reference"
    )
    extract: Literal["any", "fenced", "whole"] = Field(
        default="any",
        description="where the document stands: `any` tries answer tag, fenced block and the whole answer in this "
        "order; `fenced`: the last fenced block alone; `whole`: all of the answer",
    )


class Document(NamedTuple):
    """What a worker needs to judge: the text that has to be a document, and the references or schemas, as JSON.

    ``whole`` is all of the response where it may be a document whose texts hold marks: if it is one, it counts.
    """

    answer: Answer | NoAnswer
    check: Check
    wanted: tuple[str, ...]
    whole: str

    @property
    def length(self) -> int:
        answer = len(self.answer.text) if isinstance(self.answer, Answer) else 0
        return answer + len(self.whole) + sum(map(len, self.wanted))


class JsonVerifier(SampleVerifier[JsonParams]):
    name: ClassVar[str] = "json"
    version: ClassVar[str] = "5"
    summary: ClassVar[str] = "A JSON document: validity, JSON Schema, or equality with the reference"
    lane: ClassVar[Lane] = "cpu"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Params: ClassVar[type[Params]] = JsonParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(response='```json\n{"b": [1, 2], "a": 1.0}\n```', reference={"a": 1, "b": [1, 2]}),
            outcome="correct",
        ),
        Example(sample=Sample(response='{"a": "1"}', reference={"a": 1}), outcome="incorrect"),
        Example(sample=Sample(response="{'a': 1}", reference={"a": 1}), outcome="invalid"),
        Example(
            sample=Sample(response='{"age": -1}'),
            params={
                "check": "schema",
                "json_schema": {"properties": {"age": {"type": "integer", "minimum": 0}}, "required": ["age"]},
            },
            outcome="incorrect",
        ),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        wanted = tuple(_written(value) for value in self._wanted(sample))
        answer = _document(sample, self.params.extract)
        whole = _whole(sample, answer) if self.params.extract != "fenced" else ""
        task = Document(answer, self.params.check, wanted, whole)
        if (task.check == "schema" and not _refused(task)) or task.length > _AT_ONCE:
            return task
        self.prepare(task)
        return self.check(task)

    def _wanted(self, sample: Sample) -> list[JsonValue]:
        """The references or schemas; none where only validity is asked for."""
        check, schema = self.params.check, self.params.json_schema
        if check == "valid":
            return []
        if check == "schema" and schema is not None:
            return [dict(schema)]
        if not sample.references:
            raise Abstain("no_reference", "the sample has no reference, and no parameter gives a schema")
        return sample.references

    def prepare(self, task: Task) -> None:
        assert isinstance(task, Document)
        for text in task.wanted:
            if task.check == "schema":
                validator(text)
            else:
                _reference(text)

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Document)
        evidence: dict[str, JsonValue] = {}
        try:
            document = _read(task, evidence)
        except NotJson as failure:
            return Verdict.invalid(failure.reason_code, str(failure), evidence=evidence)
        if task.check == "valid":
            return Verdict.correct("valid_json", "the answer is a JSON document", evidence=evidence)
        judge = _against_schema if task.check == "schema" else _against_reference
        return judge(document, task.wanted, evidence)


def _refused(task: Document) -> bool:
    """Whether there is no document to hold against a schema."""
    return isinstance(task.answer, NoAnswer) and not task.whole


def _read(task: Document, evidence: dict[str, JsonValue]) -> JsonValue:
    """The document; says in the evidence which text it is. Raises :class:`NotJson` where there is none."""
    if task.whole:
        try:
            document = parse(task.whole)
        except NotJson:
            pass
        else:
            evidence |= {"extracted": shorten(task.whole), "rule": str(Scope.RESPONSE)}
            return document
    if isinstance(task.answer, NoAnswer):
        raise NotJson(task.answer.reason_code, task.answer.reason)
    evidence |= {"extracted": shorten(task.answer.text), "rule": task.answer.rule}
    return parse(task.answer.text)


def _against_reference(document: JsonValue, wanted: tuple[str, ...], evidence: dict[str, JsonValue]) -> Verdict:
    found = [difference(document, _reference(text)) for text in wanted]
    if None in found:
        return Verdict.correct("equal_document", "the document is the reference", evidence=evidence)
    return Verdict.incorrect("unequal_document", shorten(_why(document, wanted) or found[0] or ""), evidence=evidence)


def _why(document: JsonValue, wanted: tuple[str, ...]) -> str | None:
    """That the array is the list of references itself: its author may have meant the array, and should hear it."""
    whole = [_reference(text) for text in wanted]
    if not isinstance(document, list) or difference(document, whole) is not None:
        return None
    return "a list as reference means any of its elements; a reference that is an array stands in a list: [[...]]"


def _against_schema(document: JsonValue, wanted: tuple[str, ...], evidence: dict[str, JsonValue]) -> Verdict:
    found: list[str] = []
    for schema in wanted:
        found = violations(schema, document)
        if not found:
            return Verdict.correct("fits_schema", "the document fits the schema", evidence=evidence)
    evidence["violations"] = [*found]
    return Verdict.incorrect("violates_schema", found[0], evidence=evidence)


@lru_cache(maxsize=32)
def _reference(text: str) -> JsonValue:
    try:
        return parse(text)
    except NotJson as failure:
        raise Abstain("reference_unparsable", f"the reference cannot be read: {failure}") from failure


def _whole(sample: Sample, answer: Answer | NoAnswer) -> str:
    """All of the response where it may be the document and was not taken for it, because its texts hold marks."""
    if find_open_pair(sample):
        return ""
    text = legible(sample.response_text).strip()
    if isinstance(answer, Answer) and answer.text == text:
        return ""
    return text if text[:1] in _OPENING and text[-1:] in _CLOSING else ""


def _document(sample: Sample, extract: str) -> Answer | NoAnswer:
    """The text that has to be JSON."""
    found = extract_scope(sample, Scope.ANSWER)
    if isinstance(found, NoAnswer) or extract == "whole":
        return found
    tagged = _tagged(found.text) if extract == "any" else None
    if tagged is not None:
        return _fenced(tagged.text, tagged) if isinstance(tagged, Answer) else tagged
    return _fenced(found.text, found if extract == "any" else NoAnswer("no_answer", "there is no fenced block"))


def _tagged(text: str) -> Answer | NoAnswer | None:
    """What stands in the last answer tag, as it is written there; None where there is none."""
    if not _TAG.search(text):
        return None
    documents = [one for one in fences(text) if one.closed and one.text.lstrip()[:1] in _OPENING]
    starts = [one.start for one in documents]
    inside: str | None = None
    opened: int | None = None
    for mark in _TAG.finditer(text):
        before = bisect(starts, mark.start())
        if opened is None and before and mark.start() < documents[before - 1].end:
            continue
        if not mark[1]:
            opened = mark.end()
        elif opened is not None:
            inside, opened = text[opened : mark.start()].strip(), None
    if opened is not None:
        return NoAnswer("unclosed_tag", "the final <answer> is not closed")
    if inside == "":
        return NoAnswer("empty_answer", "the final <answer> is empty")
    return None if inside is None else Answer(inside, "tag")


def _fenced(text: str, otherwise: Answer | NoAnswer) -> Answer | NoAnswer:
    """What stands in the last fenced block of those that say JSON or nothing, else of all; ``otherwise`` in none."""
    found = fences(text)
    if not found:
        return Answer(_unquoted(otherwise.text), otherwise.rule) if isinstance(otherwise, Answer) else otherwise
    last = found[-1]
    if not last.closed:
        inside, mark, _ = last.text.partition("```")
        if not mark:
            return NoAnswer("unclosed_fence", "the final fenced block is not closed")
        # closed where its text ends, on the same line
        found[-1] = last._replace(text=inside, closed=True)
    fitting = [one for one in found if _is_json(one.info)] or found
    inside = fitting[-1].text.strip()
    return Answer(inside, "fenced") if inside else NoAnswer("empty_answer", "the block is empty")


def _is_json(info: str) -> bool:
    label = _LABEL.match(info)
    return not info or (label is not None and "json" in label[1].lower())


def _unquoted(text: str) -> str:
    """The text within inline quotes of Markdown, where it stands in them whole."""
    marks = len(text) - len(text.lstrip("`"))
    if not 0 < marks <= 3 or not text.endswith("`" * marks):
        return text
    inside = text[marks:-marks].strip()
    return inside[4:].strip() if inside[:4].lower() == "json" else inside


def _written(value: JsonValue) -> str:
    """A reference or schema as JSON: a text is that already."""
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise Abstain("reference_too_large", f"the reference has more than {LONGEST} characters")
        return legible(value)
    try:
        return json.dumps(value)
    except (ValueError, RecursionError) as failure:
        raise Abstain("reference_too_large", "the reference is too deep, or a number in it is too large") from failure
