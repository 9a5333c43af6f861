"""What ``trueward runs`` shows of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.client.command import Run
from trueward import Client
from trueward.client.state import RecipeInfo
from trueward.wire.run import Run as RunInfo
from trueward.wire.watch import Alarm, Finding, WatchStatus


def test_a_runs_recipe_has_every_name_that_stands_for_it(run: Run, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two names may stand for one content; a hash that no name stands for any more is shown itself."""
    pinned, former = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
    runs = [RunInfo(id="r1", recipe=pinned), RunInfo(id="r2", recipe=former), RunInfo(id="r3")]
    monkeypatch.setattr(Client, "runs", lambda *_, **__: runs)
    monkeypatch.setattr(
        Client, "recipes", lambda *_: [RecipeInfo(name=name, hash=pinned, recipe={}) for name in ("math", "mine")]
    )
    rows = [
        line.split() for line in run("runs", "list", "--url", url).stdout.splitlines() if " r" in f" {line.lstrip()}"
    ]
    assert ["r1", "math,", "mine", "no"] in rows
    assert ["r2", former[:19], "no"] in rows
    assert ["r3", "no"] in rows


def test_an_alarm_says_by_which_step_it_was_found(run: Run, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test after every step finds at a step; what is looked at window by window, by the end of these."""
    found: list[dict[str, object]] = [{"first_step": 24, "found_step": 25}, {"first_step": 16, "last_step": 23}]
    at = datetime.now(UTC)
    alarms = [
        Alarm(
            id=str(place),
            watch="w",
            run="r1",
            recipe=None,
            state="open",
            finding=Finding.model_validate(
                {"signal": "length_drift", "cause": "c", "detail": "d", "value": 1, "limit": None, "last_step": 30}
                | {"windows": 1, "record": "x"}
                | one
            ),
            first_seen=at,
            last_seen=at,
            seen=1,
        )
        for place, one in enumerate(found)
    ]
    status = WatchStatus(run="r1", state="alarm", sentence="2 open alarms.", alarms=alarms)
    monkeypatch.setattr(Client, "watch_status", lambda *_: status)
    done = run("runs", "watch", "r1", "--url", url)
    assert done.exit_code == 1
    assert [line.split() for line in done.stdout.splitlines() if "length_drift" in line] == [
        ["length_drift", "d", "24", "25"],
        ["length_drift", "d", "16", "by", "23"],
    ]
