"""Puts together what a preset's page shows: its files, the audits of its verdicts, the models that were asked by it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from pydantic import JsonValue

from app.kit.db import Database
from app.pages.audits.rates import big_numbers
from app.pages.playground.sharing import link_of
from app.pages.playground.views import PlaygroundForm
from app.pages.presets.views import Parameter, PresetPage, PresetPrompt, Rated, Used
from app.presets.history import PresetHistory, PresetVerdict, RatedBy, has_stamp
from app.presets.service import view
from audits.report.view import KINDS
from judges import presets
from judges.judge import JudgeVerifier
from judges.presets import Mechanism, Preset
from judges.presets.check import VERIFIERS
from trueward.errors import NotFound
from trueward.wire.audit import AuditReport
from trueward.wire.verdict import Outcome
from verifiers import registry

_SHOWN = 50
_CHOSEN = "preset"
"""The parameter that names the preset itself."""


async def preset_page(db: Database, name: str) -> PresetPage:
    """Raises :class:`NotFound`."""
    if name not in presets.names():
        raise NotFound(f"there is no preset {name[:100]!r}; the catalogue lists them")
    preset = presets.find(name)
    verifiers = verifiers_of(preset.head.mechanism)
    history = PresetHistory(db)
    asked = await history.uses(verifiers, preset.stamp)
    audits = await history.audits(verifiers, preset.stamp)
    used = group_by_model(asked)
    return PresetPage(
        preset=view(preset),
        verifiers=verifiers,
        needs=list(preset.head.needs),
        metadata=list(preset.head.metadata),
        prompts=[
            PresetPrompt(file=f"{file}.md", text=one.source, slots=sorted(one.slots - {"rules"}))
            for file, one in preset.prompts.items()
        ],
        reply=_json(preset.forms["reply"].schema) if "reply" in preset.forms else "",
        judgement=_json(preset.head.judgement) if preset.head.judgement else "",
        params=_parameters(verifiers[0]),
        audits=[_rated(one, preset) for one in audits[:_SHOWN]],
        used=used,
        counted=len(asked),
        try_it=_try_it(preset, verifiers[0]),
        audit_it=_audit_it(preset, verifiers[0], used),
    )


def verifiers_of(mechanism: Mechanism) -> list[str]:
    """Those that judge by presets of a mechanism; the one that a preset is tried with comes first."""
    found = [
        name
        for name, kind in registry.load_all().items()
        if issubclass(kind, JudgeVerifier) and getattr(kind, "mechanism", None) == mechanism
    ]
    first = VERIFIERS[mechanism]
    return [first, *(name for name in found if name != first)]


def group_by_model(asked: Iterable[PresetVerdict]) -> list[Used]:
    """By model, as it is served and says that it is, the last asked first; a verdict of several counts for each."""
    found: dict[tuple[str, ...], Used] = {}
    for one in asked:
        for name, told in one.models.items():
            served, reported, entry = (str(told.get(part, "")) for part in ("served", "reported", "entry"))
            row = found.setdefault(
                (name, served, reported, entry),
                Used(
                    model=name,
                    served=served,
                    reported=reported,
                    entry=entry,
                    verdicts=0,
                    missing=0,
                    calls=0,
                    malformed=0,
                    last=one.created_at,
                ),
            )
            row.verdicts += 1
            row.missing += Outcome(one.outcome).missing
            row.calls += one.calls
            row.malformed += one.malformed
            row.last = max(row.last, one.created_at)
    return sorted(found.values(), key=lambda row: row.last, reverse=True)


def _rated(audit: RatedBy, preset: Preset) -> Rated:
    versions = sorted(version for known in audit.versions.values() for version in known)
    report = AuditReport(findings={}, false_positives=audit.false_positives, false_negatives=audit.false_negatives)
    return Rated(
        id=audit.id,
        name=audit.name,
        kind=KINDS[audit.kind],
        finished_at=audit.finished_at,
        model=str((audit.params or {}).get("model", "")),
        origins=audit.origins,
        versions=versions,
        alone=all(has_stamp(version, preset.stamp) for version in versions),
        numbers=big_numbers(report),
    )


def _parameters(verifier: str) -> list[Parameter]:
    properties = registry.get(verifier).Params.model_json_schema().get("properties", {})
    return [
        Parameter(
            name=name,
            default=json.dumps(one["default"], ensure_ascii=False) if "default" in one else "",
            description=str(one.get("description", "")),
        )
        for name, one in properties.items()
        if name != _CHOSEN
    ]


def _audit_it(preset: Preset, verifier: str, used: Sequence[Used]) -> str:
    """The form of an audit of the preset's verdicts, by the model that was asked last."""
    params: dict[str, JsonValue] = {_CHOSEN: preset.name}
    if used:
        params["model"] = used[0].model
    form = {"judge": f"verifier:{verifier}", "params": json.dumps(params, ensure_ascii=False)}
    return f"/ui/audits?{urlencode(form)}#start"


def _try_it(preset: Preset, verifier: str) -> str:
    """The playground with the verifier and the preset filled in, and what its example has."""
    state = PlaygroundForm(judge=f"verifier:{verifier}", params=_json({_CHOSEN: preset.name}))
    samples = [one.sample for one in registry.get(verifier).examples if isinstance(one.sample.prompt, str)]
    # of a response that says nothing, no judge is asked
    telling = (one for one in samples if isinstance(one.response, str) and any(map(str.isalnum, one.response)))
    shown = next(telling, None)
    if shown is not None:
        state.prompt, state.response = str(shown.prompt), str(shown.response)
        references = (one.reference for one in samples if one.prompt == shown.prompt)
        state.reference = next((one for one in references if isinstance(one, str)), "")
    return link_of(state)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
