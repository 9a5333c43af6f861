"""A step as numbers with names, and a record as a row: what every sink is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pydantic import JsonValue

from trueward.sinks.names import number_name, shorten
from trueward.sinks.sink import Row
from trueward.wire.record import RewardDetail, VerdictDetail
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.step import StepNumbers
from trueward.wire.verdict import Outcome, Verdict

_CAUSES = 20


def numbers_of(step: StepNumbers) -> dict[str, float]:
    """Shares are of the records, ``groups/flat`` of the groups. Of many causes the commonest are there."""
    found: dict[str, float | None] = {"reward": step.reward, "records": step.records, "length": step.length}
    found |= {f"outcome/{one.value}": step.outcomes.get(one.value, 0) / step.records for one in Outcome}
    found["missing"] = sum(step.outcomes.get(one.value, 0) for one in Outcome if one.missing) / step.records
    for cause, count in Counter(step.causes).most_common(_CAUSES):
        found[cause.replace(": ", "/")] = count / step.records
    found |= {f"component/{name}": mean for name, mean in step.components.items()}
    if step.groups:
        found |= {"groups": step.groups, "groups/flat": step.flat / step.groups}
    return {number_name(name): float(value) for name, value in found.items() if value is not None}


def row_of(record: RewardDetail | VerdictDetail) -> Row:
    """A reward, or a verdict of a run that has none."""
    if isinstance(record, RewardDetail):
        said: Reward | Verdict = record.reward
        value = record.reward.reward
    else:
        said, value = record.verdict, record.verdict.score
    sample = Sample.model_validate(_texts(record.content))
    outcome, reason = said.outcome.value, shorten(said.reason)
    texts = shorten(sample.prompt_text), shorten(sample.response_text)
    return Row(record.record, outcome, value, said.reason_code, reason, *texts)


def _texts(content: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: content[name] for name in ("prompt", "response") if name in content}
