"""What watches a run, in words: "nothing is watching" is not "all clear"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue, TypeAdapter

from app.watch.repository import LatestLook
from trueward.wire.watch import Alarm, Power, Watch, WatchReport, WatchStatus

DEFAULT = "default"
"""Name of the watch on every run that no stored watch covers."""
LEAST_RECORDS = 64
"""Records below which it does not look."""
_POWERS = TypeAdapter(list[Power])


def summarise_report(report: WatchReport) -> dict[str, JsonValue]:
    """What is kept of a look."""
    steps = [one.last_step for one in report.windows if one.last_step is not None]
    return {
        "records": report.records + report.left_out,
        "step": report.last_step if report.last_step is not None else max(steps, default=None),
        "power": [one.model_dump(mode="json") for one in report.power],
        "notes": list[JsonValue](report.notes),
    }


def status(
    run: str, covering: Sequence[Watch], by_default: bool, looks: Sequence[LatestLook], alarms: Sequence[Alarm]
) -> WatchStatus:
    """``covering``: stored watches on the run; ``by_default``: whether the default one looks where none is."""
    names = sorted({one.name for one in covering} | {one.watch for one in looks if one.watch != DEFAULT})
    if not names and by_default:
        names = [DEFAULT]
    last = next((one for one in reversed(looks) if one.watch in names), None)
    failures = [one.failure for one in covering if one.failure is not None]
    made = WatchStatus(run=run, state="unwatched", sentence="", watches=names, alarms=list(alarms))
    if last is not None:
        values = {**last.shown, "power": _POWERS.validate_python(last.shown.get("power", []))}
        made = made.model_copy(update={"looked_at": last.at, **values})
    who = ", ".join("the default watch" if name == DEFAULT else f"watch {name!r}" for name in names)
    if alarms:
        state, words = "alarm", f"{len(alarms)} open {'alarm' if len(alarms) == 1 else 'alarms'}."
    elif not names:
        state, words = "unwatched", "Nothing is watching this run: no alarm means nothing."
    elif last is None:
        state, words = "waiting", f"Not looked at yet by {who}: no alarm means nothing so far."
        if by_default and names == [DEFAULT]:
            words += f" It looks about once a minute at runs of {LEAST_RECORDS} records or more."
    else:
        state, words = "clear", "No alarm is open."
    if last is not None:
        words += f" {_capital(who)} looked at {made.records:,} records{_until(made.step)}, {_moment(last.at)}."
    if failures:
        words += f" A watch could not look: {failures[0]}"
        state = "waiting" if state == "clear" else state
    return made.model_copy(update={"state": state, "sentence": words})


def _until(step: int | None) -> str:
    return "" if step is None else f" until step {step:,}"


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
