"""A label as a contract case: one line in the format of ``tests/cases/<verifier>.jsonl``.

Where the label agrees with what the verifier said, the case holds it to that outcome (an answer that is none stays
``invalid``); where it does not, to ``correct`` or ``incorrect``. A label knows no reason code, so the case has none.
"""

from __future__ import annotations

import json

from pydantic import JsonValue

from app.kit.db import Database
from app.labels.repository import LabelsRepository
from app.verdicts.repository import VerdictsRepository
from audits.subject_verdict import accepts
from trueward.errors import InvalidRequest
from trueward.wire.label import CaseRequest, ContractCase, Label
from trueward.wire.record import VerdictDetail
from trueward.wire.verdict import Outcome
from verifiers import registry


async def contract_case(db: Database, label: Label, request: CaseRequest) -> ContractCase:
    """Raises :class:`InvalidRequest` for a label that cannot tell, and where no verifier is named or recorded."""
    if label.right is None:
        raise InvalidRequest(f"label {label.id} cannot tell whether the response is right: it makes no case")
    made = await VerdictsRepository(db).find(label.record) if label.record is not None else None
    verdict = made if isinstance(made, VerdictDetail) else None
    name = request.verifier or _name(verdict)
    if name is None:
        detail = "the label is of no verifier's record: name the verifier that the case is for"
        raise InvalidRequest.at_field("verifier", "missing", detail)
    own = verdict if verdict is not None and _name(verdict) == name else None
    given = request.params if request.params is not None else (own.params if own is not None else None)
    params = registry.create(name, given or {}).params
    content = (await LabelsRepository(db).contents([label.sample]))[label.sample]
    if label.reference is not None:
        content["reference"] = label.reference
    case: dict[str, JsonValue] = {
        "sample": content,
        "params": params.model_dump(mode="json", exclude_defaults=True),
        "outcome": _outcome(label, own if label.reference is None and request.params is None else None),
        "note": label.note or f"labelled {'right' if label.right else 'wrong'} by {label.source}",
    }
    return ContractCase(verifier=name, file=f"tests/cases/{name}.jsonl", line=json.dumps(case))


def _name(verdict: VerdictDetail | None) -> str | None:
    return verdict.verdict.producer.name if verdict is not None and verdict.verdict.producer is not None else None


def _outcome(label: Label, said: VerdictDetail | None) -> str:
    if said is not None and accepts(said.verdict.outcome, said.verdict.score, None) is label.right:
        return said.verdict.outcome.value
    return Outcome.CORRECT.value if label.right else Outcome.INCORRECT.value
