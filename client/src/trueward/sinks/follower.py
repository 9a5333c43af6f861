"""Follows a run by the API and writes what is new to each sink, each step once, also after a restart.

What a sink has is kept in a file of its own. A step is written when a later one has begun, or when nothing of it has
come for a while; what comes to it afterwards is not written again. Where the process is killed in the moment between a
sink's write and the file's, that one step is written twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from trueward.sinks.names import file_name
from trueward.sinks.sink import Sink
from trueward.wire.step import StepNumbers
from trueward.wire.watch import Alarm

if TYPE_CHECKING:
    from trueward.client import Client


from collections import Counter
from collections.abc import Mapping

from pydantic import JsonValue

from trueward.sinks.names import number_name, shorten
from trueward.sinks.sink import Row
from trueward.wire.record import RewardDetail, VerdictDetail
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

_PAGE = 50
_CAUSES = 20


@dataclass(slots=True)
class Progress:
    """How far a sink has got: its last step and its last alarm."""

    path: Path
    step: int | None = None
    alarm: str = ""

    @classmethod
    def of(cls, folder: Path, url: str, run: str, spec: str) -> Progress:
        """What the file says; nothing where there is none."""
        digest = hashlib.blake2b(json.dumps([url, run, spec]).encode(errors="replace"), digest_size=8).hexdigest()
        path = folder / f"{file_name(run)[:60]}-{digest}.json"
        said = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return cls(path, said.get("step"), said.get("alarm", ""))

    def save(self) -> None:
        """At once or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        written = self.path.with_suffix(".new")
        written.write_text(json.dumps({"step": self.step, "alarm": self.alarm}), encoding="utf-8")
        written.replace(self.path)


@dataclass(slots=True)
class Follower:
    """``settle_s`` is how old the last step must be to be written, ``samples`` how many of a step are shown."""

    client: Client
    run: str
    sinks: Sequence[tuple[Sink, Progress]]
    settle_s: float = 60.0
    samples: int = 4

    def follow(self) -> int:
        """Writes whatever is new, and says how many steps that were. Raises what the service answers."""
        steps, written = [progress.step for _, progress in self.sinks], 0
        after = None if None in steps else min((step for step in steps if step is not None), default=None)
        while True:
            page = self.client.run_steps(self.run, after=after, limit=_PAGE)
            for numbers in page.steps:
                newest = page.next is None and numbers is page.steps[-1]
                if not newest or numbers.age_s >= self.settle_s:
                    written += self._write(numbers)
            if page.next is None:
                break
            after = page.next
        self._alarms()
        return written

    def _write(self, numbers: StepNumbers) -> bool:
        lacking = [(sink, its) for sink, its in self.sinks if its.step is None or its.step < numbers.step]
        if not lacking:
            return False
        rows = [row_of(self.client.record(name)) for name in numbers.samples[: self.samples]]
        for sink, progress in lacking:
            sink.record(numbers.step, numbers_of(numbers))
            if rows:
                sink.table(numbers.step, rows)
            progress.step = numbers.step
            progress.save()
        return True

    def _alarms(self) -> None:
        for alarm in self._new_alarms(min((progress.alarm for _, progress in self.sinks), default="")):
            for sink, progress in self.sinks:
                if progress.alarm < alarm.id:
                    sink.alarm(alarm)
                    progress.alarm = alarm.id
                    progress.save()

    def _new_alarms(self, last: str) -> list[Alarm]:
        """Those behind ``last``, oldest first."""
        newest = self.client.iter_alarms(run=self.run)
        return list(takewhile(lambda alarm: alarm.id > last, newest))[::-1]


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
