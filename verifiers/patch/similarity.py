"""``patch_similarity``: how close is the response's change to the reference's? (SWE-RL, arXiv 2502.18449)

The response has to hold ``<think>...</think>`` and ``<solution>...</solution>``, each tag exactly once, a thought
that is not empty, and at least one search/replace block whose search text occurs and whose replacement differs
(:mod:`verifiers.patch.edits`). Any other form is the paper's -1: here ``invalid`` with the reason's code, which the
recipe prices (``invalid: -1``). Otherwise the score is the mean, over the files that either side changes, of the
similarity of the two unified diffs (3 lines of context, without headers; difflib's ratio, no junk), 0 where only one
side changes a file, and 1 where neither side changes any.

Added to the paper: with ``syntax`` a Python file that could be parsed before, or is new, has to parse afterwards.
Not covered: whether a change works (:mod:`verifiers.patch.repository`).
"""

from __future__ import annotations

import ast
import difflib
import json
import warnings
from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar, NamedTuple, NotRequired

from cydifflib import SequenceMatcher
from pydantic import Field, JsonValue, with_config
from typing_extensions import TypedDict

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract.thinking import find_open_pair
from verifiers.fields import fields
from verifiers.legible import legible
from verifiers.patch.edits import Files, PatchError, apply_edits
from verifiers.patch.reference import texts
from verifiers.patch.unified import apply_diff

LONGEST = 200_000
"""Characters that a response may have."""

_TAGS = ("<think>", "</think>", "<solution>", "</solution>")
_CONTEXT = 3


class PatchSimilarityParams(Params):
    syntax: bool = Field(
        default=True,
        description="a Python file that could be parsed before, or is new, has to parse after the change, else "
        "`invalid: syntax_error`",
    )


@with_config(extra="forbid")
class ChangeReference(TypedDict):
    """As it is sent, with one of the last two; or as the text of its JSON."""

    files: dict[Text, Text]
    patched: NotRequired[dict[Text, Text]]
    patch: NotRequired[Text]


class Change(NamedTuple):
    """What a worker needs to judge: the response's text, and the reference in JSON."""

    text: str
    reference: str
    syntax: bool


class PatchSimilarityVerifier(SampleVerifier[PatchSimilarityParams]):
    name: ClassVar[str] = "patch_similarity"
    summary: ClassVar[str] = (
        "SWE-RL's similarity of search/replace edits with the reference's change, with a syntax check"
    )
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = ChangeReference | Text
    Params: ClassVar[type[Params]] = PatchSimilarityParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response="<think>Off by one.</think><solution>```python\n### a.py\n<<<<<<< SEARCH\nn = 1\n=======\n"
                "n = 2\n>>>>>>> REPLACE\n```</solution>",
                reference={"files": {"a.py": "n = 1\n"}, "patched": {"a.py": "n = 2\n"}},
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(
                response="<think>Off by one.</think><solution>```python\n### a.py\n<<<<<<< SEARCH\nn = 1\n=======\n"
                "n = 3\n>>>>>>> REPLACE\n```</solution>",
                reference={"files": {"a.py": "n = 1\n"}, "patched": {"a.py": "n = 2\n"}},
            ),
            outcome="partial",
        ),
        Example(
            sample=Sample(
                response="n should be 2.", reference={"files": {"a.py": "n = 1\n"}, "patched": {"a.py": "n = 2\n"}}
            ),
            outcome="invalid",
        ),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        if len(sample.references) != 1:
            raise Abstain("reference_type", "a change has one reference, not several")
        try:
            reference = json.dumps(sample.references[0])
        except (ValueError, RecursionError) as failure:
            raise Abstain("reference_unparsable", "the reference cannot be written as JSON") from failure
        if len(sample.response_text) > LONGEST:
            return Verdict.invalid("too_long", f"the response has more than {LONGEST} characters")
        return Change(_whole(sample), reference, self.params.syntax)

    def prepare(self, task: Task) -> None:
        assert isinstance(task, Change)
        files, patched = _sides(task.reference)
        _diffs(files, patched)

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Change)
        files, patched = _sides(task.reference)
        try:
            changed = apply_edits(_solution(task.text), files)
            if task.syntax:
                _require_syntax(files, changed)
        except PatchError as failure:
            return Verdict.invalid(failure.reason_code, str(failure), evidence={"format_error": str(failure)})
        given, gold = _diffs(files, changed), _diffs(files, patched)
        similarities = {path: _similarity(given.get(path, ""), gold.get(path, "")) for path in sorted({*given, *gold})}
        score = sum(similarities.values()) / len(similarities) if similarities else 1.0
        evidence: dict[str, JsonValue] = {"similarities": dict(islice(similarities.items(), 100))}
        said = f"the mean similarity of {len(similarities)} changed files is {score:.3g}"
        if score == 1.0:
            return Verdict.correct("same_patch", said, evidence=evidence)
        if score == 0.0:
            return Verdict.incorrect("other_files", said, evidence=evidence)
        return Verdict.partial(score, "patch_similarity", said, evidence=evidence)


def _whole(sample: Sample) -> str:
    """The response with the thinking that the chat template opened, or the server took out of it."""
    text = legible(sample.response_text)
    if sample.reasoning is not None:
        return f"<think>{legible(sample.reasoning)}</think>{text}"
    return f"<think>{text}" if find_open_pair(sample).startswith("<think") and "<think>" not in text else text


def _solution(text: str) -> str:
    """What stands between the solution's tags. Raises :class:`PatchError` where the form is not as wanted."""
    for tag in _TAGS:
        if text.count(tag) != 1:
            raise PatchError("bad_tags", f"{tag} has to occur exactly once, not {text.count(tag)} times")
    places = [text.index(tag) for tag in _TAGS]
    if places != sorted(places):
        raise PatchError("bad_tags", "the tags have to stand in the order think, solution, each closed")
    if not text[places[0] + len(_TAGS[0]) : places[1]].strip():
        raise PatchError("empty_thought", "the thought is empty")
    return text[places[2] + len(_TAGS[2]) : places[3]].strip()


def _sides(reference: str) -> tuple[dict[str, str], dict[str, str]]:
    """The files before, and those that the reference changes as they are after. Raises :class:`Abstain`."""
    found = fields(json.loads(reference), ChangeReference)
    files = texts(found.get("files"), "files")
    if "patched" in found:
        return files, texts(found["patched"], "patched")
    patch = found.get("patch")
    if not isinstance(patch, str):
        raise Abstain("reference_type", "a reference has `patched` (files by path) or `patch` (a unified diff)")
    try:
        changed = apply_diff(patch, files)
    except PatchError as failure:
        raise Abstain("reference_unparsable", f"the reference's patch cannot be applied: {failure}") from failure
    return files, {path: text or "" for path, text in changed.items()}


def _diffs(files: Files, changed: Mapping[str, str]) -> dict[str, str]:
    """The unified diff of each file that really changes, without its two lines of header."""
    found = {}
    for path, after in changed.items():
        before = files.get(path, "").splitlines()
        lines = difflib.unified_diff(before, after.splitlines(), lineterm="", n=_CONTEXT)
        if text := "\n".join(islice(lines, 2, None)):
            found[path] = text
    return found


def _similarity(given: str, gold: str) -> float:
    if not given or not gold:
        return 0.0
    return float(SequenceMatcher(None, given, gold, autojunk=False).ratio())


def _require_syntax(files: Files, changed: Mapping[str, str]) -> None:
    for path, text in changed.items():
        if path.endswith(".py") and _parses(files.get(path, "")) and not _parses(text):
            raise PatchError("syntax_error", f"{path[:100]} could be parsed before the change and cannot after it")


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            # doubtful escapes are a matter of style
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
