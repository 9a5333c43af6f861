"""Some of the flips with what people need to judge them: both records, both reasons, the response."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from audits.ports import Ledger
from audits.reverify.comparison import Compared
from trueward.wire.audit import Subject
from trueward.wire.sample import Sample

_CUT = 500


async def examples(ledger: Ledger, before: Subject, found: Compared, places: Sequence[int]) -> list[JsonValue]:
    """One entry a place: records, reasons, scores, and prompt, response and reference cut to 500 characters."""
    texts = await ledger.contents([found.then[place].sample for place in places])
    reasons = await ledger.reasons(before, [found.then[place].record for place in places])
    return await asyncio.to_thread(lambda: [_example(found, place, texts, reasons) for place in places])


def _example(found: Compared, place: int, texts: Mapping[str, str], reasons: Mapping[str, str]) -> JsonValue:
    then, now = found.then[place], found.now[place]
    sample = Sample.model_validate(json.loads(texts[then.sample]))
    shown = {"prompt": sample.prompt_text, "response": sample.response_text, "reference": json.dumps(sample.reference)}
    return {
        "now": "accepted" if now.accepted else "rejected",
        "data_source": then.data_source,
        "before": {
            "record": then.record,
            "score": then.score,
            "reason_code": then.reason_code,
            "reason": reasons[then.record][:_CUT],
        },
        "after": {
            "record": now.record,
            "score": now.score,
            "reason_code": now.reason_code,
            "reason": now.reason[:_CUT],
        },
        **{name: text[:_CUT] for name, text in shown.items()},
    }
