"""The verifiers that there are: built-in ones and plug-ins, by name.

Built-ins are entry points like any plug-in's, written out here; plug-ins announce themselves under the
entry-point group ``trueward.verifiers``. Nothing is imported before it is asked for. A plug-in that cannot be
loaded costs no other verifier: :func:`failures` says what is wrong with it, and so does asking for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint
from typing import cast

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from trueward.authoring.verifier import Params, SampleVerifier, Verifier
from trueward.errors import FieldProblem, InvalidParameters, UnknownVerifier
from trueward.plugins import Kind, list_installed

GROUP = "trueward.verifiers"

BUILT_INS = (
    EntryPoint("agreement", "verifiers.agreement:AgreementVerifier", GROUP),
    EntryPoint("checklist", "judges.checklist:ChecklistVerifier", GROUP),
    EntryPoint("choice", "verifiers.choice:ChoiceVerifier", GROUP),
    EntryPoint("code", "verifiers.code:CodeVerifier", GROUP),
    EntryPoint("compare", "judges.comparative.compare:CompareVerifier", GROUP),
    EntryPoint("critique", "judges.critique:CritiqueVerifier", GROUP),
    EntryPoint("equivalence", "verifiers.equivalence:EquivalenceVerifier", GROUP),
    EntryPoint("exact", "verifiers.exact:ExactVerifier", GROUP),
    EntryPoint("format", "verifiers.format:FormatVerifier", GROUP),
    EntryPoint("grader", "judges.grader:GraderVerifier", GROUP),
    EntryPoint("instructions", "verifiers.instructions:InstructionsVerifier", GROUP),
    EntryPoint("json", "verifiers.json_document:JsonVerifier", GROUP),
    EntryPoint("judge", "judges.pointwise:JudgeOneVerifier", GROUP),
    EntryPoint("label", "verifiers.label:LabelVerifier", GROUP),
    EntryPoint("length", "verifiers.length:LengthVerifier", GROUP),
    EntryPoint("likelihood", "judges.likelihood:LikelihoodVerifier", GROUP),
    EntryPoint("majority", "verifiers.majority:MajorityVerifier", GROUP),
    EntryPoint("math", "verifiers.math:MathVerifier", GROUP),
    EntryPoint("numeric", "verifiers.numeric:NumericVerifier", GROUP),
    EntryPoint("overlap", "verifiers.overlap:OverlapVerifier", GROUP),
    EntryPoint("panel", "judges.panel:PanelVerifier", GROUP),
    EntryPoint("patch_similarity", "verifiers.patch.similarity:PatchSimilarityVerifier", GROUP),
    EntryPoint("procedural", "verifiers.procedural:ProceduralVerifier", GROUP),
    EntryPoint("process_reward", "judges.process_reward:ProcessRewardVerifier", GROUP),
    EntryPoint("qa", "verifiers.qa:QaVerifier", GROUP),
    EntryPoint("quantity", "verifiers.quantity:QuantityVerifier", GROUP),
    EntryPoint("reasoning_pattern", "verifiers.reasoning_pattern:ReasoningPatternVerifier", GROUP),
    EntryPoint("regex", "verifiers.regex:RegexVerifier", GROUP),
    EntryPoint("repetition", "verifiers.repetition:RepetitionVerifier", GROUP),
    EntryPoint("repository_patch", "verifiers.patch.repository:RepositoryPatchVerifier", GROUP),
    EntryPoint("reward_model", "judges.reward_model:RewardModelVerifier", GROUP),
    EntryPoint("rubric", "judges.rubric:RubricVerifier", GROUP),
    EntryPoint("sets", "verifiers.sets:SetsVerifier", GROUP),
    EntryPoint("sql", "verifiers.sql:SqlVerifier", GROUP),
    EntryPoint("sql_similarity", "verifiers.sql.similarity:SqlSimilarityVerifier", GROUP),
    EntryPoint("stated_confidence", "verifiers.stated_confidence:StatedConfidenceVerifier", GROUP),
    EntryPoint("tool_call", "verifiers.tool_call:ToolCallVerifier", GROUP),
    EntryPoint("tooled", "judges.tooled:TooledVerifier", GROUP),
    EntryPoint("tournament", "judges.comparative.tournament:TournamentVerifier", GROUP),
    EntryPoint("unit_tests", "verifiers.unit_tests:UnitTestsVerifier", GROUP),
)

_MEMBERS = ("name", "version", "summary", "lane", "deterministic", "needs", "examples", "verify", "Params")


class Registry(Kind[type[Verifier]]):
    """Built-ins and plug-ins under their names. :meth:`get` raises :class:`UnknownVerifier`."""

    def __init__(self, built_ins: Iterable[EntryPoint], plugins: Iterable[EntryPoint]) -> None:
        listed = "GET /v1/verifiers or `trueward verifiers list` lists them"
        super().__init__("verifier", built_ins, plugins, _defect, raises=UnknownVerifier, listed=listed)


def create(name: str, params: Mapping[str, JsonValue]) -> Verifier:
    """A verifier with its parameters. Raises :class:`UnknownVerifier` or :class:`InvalidParameters`."""
    kind = cast("type[SampleVerifier[Params]]", get(name))
    try:
        return kind(kind.Params.model_validate(dict(params)))
    except ValidationError as invalid:
        problems = [
            FieldProblem(
                field=".".join(["params", *map(str, error["loc"])]), code=error["type"], detail=_said(error, kind)
            )
            for error in invalid.errors(include_url=False, include_context=False, include_input=False)
        ]
        said = "; ".join(f"{problem.field}: {problem.detail}" for problem in problems[:5])
        raise InvalidParameters(f"the parameters of {name!r} are not valid: {said}", errors=problems) from None


def _said(error: ErrorDetails, kind: type[SampleVerifier[Params]]) -> str:
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
        return f"there is no such parameter; known: {', '.join(kind.Params.model_fields) or 'none'}"
    return error["msg"]


def names() -> list[str]:
    """Every name, sorted, without importing any verifier."""
    return _installed().names()


def get(name: str) -> type[Verifier]:
    """The class of that name. Raises :class:`UnknownVerifier`, also where it cannot be loaded."""
    return _installed().get(name)


def load_all() -> dict[str, type[Verifier]]:
    """Every class by name, sorted; a plug-in that cannot be loaded is in :func:`failures` instead."""
    return dict(sorted(_installed().load_all().items()))


def failures() -> dict[str, str]:
    """What is wrong with which plug-in, by ``name (distribution)``; loads every verifier."""
    return _installed().failures()


@cache
def _installed() -> Registry:
    return Registry(BUILT_INS, list_installed(GROUP))


def _defect(found: object, name: str) -> str:
    """Why an object is not a verifier's class, else the empty string."""
    if not isinstance(found, type):
        return f"{found!r:.80} is not a class"
    missing = [member for member in _MEMBERS if not hasattr(found, member)]
    if missing:
        return f"{found.__name__} lacks {', '.join(missing)}: is it a subclass of trueward.SampleVerifier?"
    if getattr(found, "name", None) != name:
        return f"{found.__name__}.name is {getattr(found, 'name', None)!r}, its entry point says {name!r}"
    kind = getattr(found, "Params", None)
    if not (isinstance(kind, type) and issubclass(kind, Params)):
        return f"{found.__name__}.Params is not a subclass of trueward.Params"
    return ""
