"""The calls of what watches runs: watches, alarms, freezes; and of references that seem wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from pydantic import JsonValue

from trueward.client.call import Call, segment
from trueward.client.paging import Pages, Period, pages
from trueward.client.plan import fields_of, model, post_json, query_of, send_json
from trueward.wire.reference import Reference, ReferencePage, ReferenceRequest, Reverified, SuspectReport
from trueward.wire.watch import (
    Alarm,
    AlarmPage,
    AlarmState,
    Freeze,
    Freezes,
    Watch,
    Watches,
    WatchReport,
    WatchRequest,
    WatchStatus,
)

Fields = Mapping[str, JsonValue]


class Window(TypedDict, total=False):
    """What is looked at: see :class:`trueward.wire.watch.Looking`."""

    base: str | None
    window: int
    base_windows: int
    limit: int
    false_alarms: float


class AlarmFilters(Period, total=False):
    run: str | None
    state: AlarmState | None


class ReferenceFilters(Period, total=False):
    """``prompt`` is the fingerprint of one."""

    prompt: str | None


def look(run: str, window: Window) -> Call[WatchReport]:
    query = query_of(dict(window))
    return Call("GET", f"/v1/runs/{segment(run)}/watch{'?' if query else ''}{query}", model(WatchReport))


def status(run: str) -> Call[WatchStatus]:
    return Call("GET", f"/v1/runs/{segment(run)}/watch-status", model(WatchStatus))


def listing() -> Call[list[Watch]]:
    return Call("GET", "/v1/watches", lambda body: model(Watches)(body).watches)


def show(name: str) -> Call[Watch]:
    return Call("GET", _watch(name), model(Watch))


def put(name: str, watch: WatchRequest | Fields) -> Call[Watch]:
    return send_json("PUT", _watch(name), fields_of(watch), model(Watch))


def delete(name: str) -> Call[Watch]:
    return Call("DELETE", _watch(name), model(Watch))


def alarms(asked: AlarmFilters) -> Pages[Alarm]:
    return pages("/v1/alarms", AlarmPage, lambda page: (page.alarms, page.next), asked)


def alarm(name: str) -> Call[Alarm]:
    return Call("GET", f"/v1/alarms/{segment(name)}", model(Alarm))


def close(name: str, reason: str) -> Call[Alarm]:
    return post_json(f"/v1/alarms/{segment(name)}/close", {"reason": reason}, model(Alarm))


def freezes() -> Call[list[Freeze]]:
    return Call("GET", "/v1/freezes", lambda body: model(Freezes)(body).freezes)


def freeze(recipe: str, reason: str) -> Call[Freeze]:
    return send_json("PUT", _freeze(recipe), {"reason": reason}, model(Freeze))


def lift(recipe: str, reason: str) -> Call[Freeze]:
    return Call("DELETE", f"{_freeze(recipe)}?{query_of({'reason': reason})}", model(Freeze))


def suspects(run: str, verifier: str, second: str, agree: float | None) -> Call[SuspectReport]:
    asked = {"run": run, "verifier": verifier, "second": second, "agree": agree}
    return Call("GET", f"/v1/references/suspects?{query_of(asked)}", model(SuspectReport))


def references(asked: ReferenceFilters) -> Pages[Reference]:
    return pages("/v1/references", ReferencePage, lambda page: (page.references, page.next), asked)


def reference(name: str) -> Call[Reference]:
    return Call("GET", f"/v1/references/{segment(name)}", model(Reference))


def correct(request: ReferenceRequest | Fields) -> Call[Reference]:
    return send_json("PUT", "/v1/references", fields_of(request), model(Reference))


def reverify(name: str, subject: Fields | None) -> Call[Reverified]:
    return post_json(f"/v1/references/{segment(name)}/reverify", {"subject": subject}, model(Reverified))


def _watch(name: str) -> str:
    return f"/v1/watches/{segment(name)}"


def _freeze(recipe: str) -> str:
    return f"/v1/recipes/{segment(recipe)}/freeze"
