"""Who reads what: every route that answers a GET, asked with a key of another project, shows nothing of the first's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import pytest

from app.main import create_app
from app.projects.visibility import OF_PARENTS, OF_RUNS, OWNED, SHARED
from app.settings import Settings
from app.tables import Table
from tests.app.projects.tenants import FIRST, RECIPE, RUN, SECOND, SECRET, planted, tenants

Expected = Literal["theirs", "listed", "shared", "operators"]
"""``theirs``: 404 for others. ``listed``: others find it without the first project's. ``shared``: the same for all.
``operators``: for keys of the default project."""

READ: dict[str, tuple[Expected, str]] = {
    "/openapi.json": ("shared", ""),
    "/docs": ("shared", ""),
    "/health": ("shared", ""),
    "/info": ("shared", ""),
    "/health/live": ("shared", ""),
    "/health/ready": ("shared", ""),
    "/metrics": ("operators", ""),
    "/t/{recipe}/roll/result": ("theirs", "POST is the same, and is tested below"),
    "/t/{recipe}/nemo-gym/reverify_mode": ("shared", ""),
    "/v1/verifiers": ("shared", ""),
    "/v1/verifiers/{name}": ("shared", ""),
    "/v1/presets": ("shared", ""),
    "/v1/presets/{name}": ("shared", ""),
    "/v1/recipes": ("shared", ""),
    "/v1/recipes/{name}": ("shared", ""),
    "/v1/recipes/{name}/versions": ("shared", ""),
    "/v1/recipes/{name}/diff": ("shared", ""),
    "/v1/languages": ("shared", ""),
    "/v1/models": ("shared", ""),
    "/v1/models/{name}": ("shared", ""),
    "/v1/judges/probes": ("shared", ""),
    "/v1/jobs": ("listed", "/v1/jobs"),
    "/v1/jobs/{job}": ("theirs", "/v1/jobs/{job}"),
    "/v1/jobs/{job}/events": ("theirs", "/v1/jobs/{job}/events"),
    "/v1/jobs/{job}/results": ("theirs", "/v1/jobs/{job}/results"),
    "/v1/runs": ("listed", "/v1/runs"),
    "/v1/runs/{run:path}": ("theirs", "/v1/runs/{run}"),
    "/v1/runs/{run:path}/steps": ("theirs", "/v1/runs/{run}/steps"),
    "/v1/runs/{run:path}/changes": ("theirs", "/v1/runs/{run}/changes?since=1"),
    "/v1/runs/{run:path}/watch": ("theirs", "/v1/runs/{run}/watch"),
    "/v1/runs/{run:path}/watch-status": ("theirs", "/v1/runs/{run}/watch-status"),
    "/v1/runs/{run:path}/doctor": ("theirs", "/v1/runs/{run}/doctor"),
    "/v1/prompts": ("listed", "/v1/prompts?run={run}"),
    "/v1/watches": ("listed", "/v1/watches"),
    "/v1/watches/{name}": ("theirs", "/v1/watches/{watch}"),
    "/v1/alarms": ("listed", "/v1/alarms"),
    "/v1/alarms/{alarm}": ("theirs", "/v1/alarms/{alarm}"),
    "/v1/freezes": ("listed", "/v1/freezes"),
    "/v1/deliveries": ("listed", "/v1/deliveries"),
    "/v1/deliveries/{delivery}": ("theirs", "/v1/deliveries/{delivery}"),
    "/v1/references": ("listed", "/v1/references"),
    "/v1/references/suspects": ("listed", "/v1/references/suspects?run={run}&verifier=exact&second=math"),
    "/v1/references/{reference}": ("theirs", "/v1/references/{reference}"),
    "/v1/rubrics/correlation": ("listed", "/v1/rubrics/correlation?verifier=exact"),
    "/v1/verdicts": ("listed", "/v1/verdicts?run={run}"),
    "/v1/rewards": ("listed", "/v1/rewards?run={run}"),
    "/v1/verdicts/{record}": ("theirs", "/v1/verdicts/{verdict}"),
    "/v1/verdicts/{record}/explanation": ("theirs", "/v1/verdicts/{reward}/explanation"),
    "/v1/audits": ("listed", "/v1/audits"),
    "/v1/audits/{audit}": ("theirs", "/v1/audits/{audit}"),
    "/v1/audits/{audit}/progress": ("theirs", "/v1/audits/{audit}/progress"),
    "/v1/audits/{audit}/check": ("theirs", "/v1/audits/{audit}/check?max_fpr=0.5"),
    "/v1/audits/{audit}/report": ("theirs", "/v1/audits/{audit}/report"),
    "/v1/labels": ("listed", "/v1/labels"),
    "/v1/labels/export": ("listed", "/v1/labels/export"),
    "/v1/labels/agreement": ("theirs", "/v1/labels/agreement?draw={draw}"),
    "/v1/labels/draws": ("listed", "/v1/labels/draws"),
    "/v1/labels/draws/{draw}": ("theirs", "/v1/labels/draws/{draw}"),
    "/v1/keys": ("listed", "/v1/keys"),
    "/v1/acts": ("listed", "/v1/acts"),
    "/v1/projects": ("listed", "/v1/projects"),
    "/v1/projects/{project}": ("theirs", "/v1/projects/{project}"),
    "/v1/deletions": ("listed", "/v1/deletions"),
    "/v1/deletions/{deletion}": ("theirs", "/v1/deletions/{verdict}"),
    "/": ("shared", ""),
    "/ui/": ("listed", "/ui/"),
    "/ui/catalogue": ("listed", "/ui/catalogue"),
    "/ui/presets/{name}": ("listed", "/ui/presets/correctness"),
    "/ui/overview": ("operators", "/ui/overview"),
    "/ui/overview/events": ("operators", "/ui/overview/events"),
    "/ui/runs": ("listed", "/ui/runs"),
    "/ui/run": ("theirs", "/ui/run?id={run}"),
    "/ui/runs/{run:path}": ("theirs", "/ui/runs/{run}"),
    "/ui/doctor": ("theirs", "/ui/doctor?run={run}"),
    "/ui/recipes": ("listed", "/ui/recipes"),
    "/ui/recipe": ("shared", ""),
    "/ui/recipes/{reference}": ("theirs", "/ui/recipes/{recipe}"),
    "/ui/ledger": ("listed", "/ui/ledger"),
    "/ui/ledger/{record}": ("theirs", "/ui/ledger/{verdict}"),
    "/ui/playground": ("shared", ""),
    "/ui/labels": ("listed", "/ui/labels"),
    "/ui/labels/new": ("listed", "/ui/labels/new"),
    "/ui/labels/{draw}": ("theirs", "/ui/labels/{draw}"),
    "/ui/labels/{draw}/export/{form}": ("theirs", "/ui/labels/{draw}/export/jsonl"),
    "/ui/labels/{draw}/{position}": ("theirs", "/ui/labels/{draw}/{position}"),
    "/ui/labels/{draw}/{position}/text/{part}": ("theirs", "/ui/labels/{draw}/{position}/text/prompt"),
    "/ui/labels/{draw}/{position}/case/{record}": ("theirs", "/ui/labels/{draw}/{position}/case/{verdict}"),
    "/ui/audits": ("listed", "/ui/audits"),
    "/ui/verifiers/{subject:path}": ("listed", "/ui/verifiers/exact"),
    "/ui/audits/{audit}": ("theirs", "/ui/audits/{audit}"),
    "/ui/audits/{audit}/cells/{cell}": ("theirs", "/ui/audits/{audit}/cells/right_accepted"),
    "/ui/audits/{audit}/export": ("theirs", "/ui/audits/{audit}/export"),
    "/ui/compare": ("listed", "/ui/compare"),
    "/ui/compare/{audit}": ("theirs", "/ui/compare/{audit}"),
    "/ui/compare/{audit}/flips/{way}": ("theirs", "/ui/compare/{audit}/flips/gained"),
    "/ui/compare/{audit}/promote": ("theirs", "/ui/compare/{audit}/promote?run={run}"),
    "/ui/text/{record}/{part}": ("theirs", "/ui/text/{verdict}/prompt"),
    "/ui/sign-in": ("shared", ""),
    "/ui/assets/{digest}/{name}": ("shared", ""),
}
SHOWN = (
    "/v1/jobs",
    "/v1/jobs/{job}/results",
    "/v1/runs",
    "/v1/runs/{run:path}",
    "/v1/prompts",
    "/v1/watches/{name}",
    "/v1/alarms/{alarm}",
    "/v1/freezes",
    "/v1/references/{reference}",
    "/v1/deliveries/{delivery}",
    "/v1/verdicts",
    "/v1/rewards",
    "/v1/verdicts/{record}",
    "/v1/verdicts/{record}/explanation",
    "/v1/audits/{audit}",
    "/v1/labels",
    "/v1/labels/export",
    "/v1/labels/draws/{draw}",
    "/v1/keys",
    "/v1/acts",
    "/v1/projects/{project}",
    "/ui/runs",
    "/ui/runs/{run:path}",
    "/ui/recipes/{reference}",
    "/ui/ledger",
    "/ui/ledger/{record}",
    "/ui/labels/{draw}",
    "/ui/audits/{audit}",
    "/ui/text/{record}/{part}",
)
"""What the first project is shown: others find nothing because it is not theirs, not because nothing is there."""


def test_every_route_that_is_read_is_in_the_table() -> None:
    assert set(_read(create_app(Settings()).routes)) == READ.keys()


def test_every_table_has_its_place() -> None:
    own = {"projects", "keys", "runs", "acts", "samples"}
    assert own | {*OWNED, *OF_RUNS, *OF_PARENTS, *SHARED} == {table.name for table in Table.metadata.sorted_tables}


async def test_a_key_of_another_project_reads_nothing_of_the_first(tmp_path: Path, database_url: str) -> None:
    wrong: list[tuple[object, ...]] = []
    async with tenants(tmp_path, database_url) as service:
        names = await planted(service)
        secrets = {SECRET, RUN, *names.values()} - {names["position"], FIRST, names["recipe"]}
        for route, (expected, template) in READ.items():
            if not template.startswith("/"):
                continue
            path = template.format(**{name: quote(value, safe="") for name, value in names.items()})
            said = {quote(one, safe="") for one in secrets}
            for who in (SECOND,) if expected == "operators" else (SECOND, "default"):
                answer = await service.get(who, path)
                allowed = {"theirs": (404,), "operators": (403,), "listed": (200, 303, 404), "shared": (200,)}[expected]
                if who == "default" and answer.status_code == 403:  # it is no administrator
                    continue
                shown = [one for one in secrets if one in answer.text and quote(one, safe="") not in path]
                if answer.status_code not in allowed or (shown and answer.status_code == 200):
                    wrong.append((who, path, answer.status_code, shown))
            if route in SHOWN:
                own = await service.get(FIRST, path)
                if own.status_code != 200 or not any(one in own.text for one in secrets | said | {FIRST}):
                    wrong.append((FIRST, path, own.status_code, own.text[:200]))
        everything = await service.get("root", f"/v1/verdicts/{names['verdict']}")
        assert SECRET in everything.text
    assert not wrong, "\n".join(map(str, wrong))


async def test_a_key_of_another_project_changes_nothing_of_the_first(tmp_path: Path, database_url: str) -> None:
    async with tenants(tmp_path, database_url) as service:
        names = await planted(service)
        [first_key] = [
            key["id"] for key in (await service.get("root", "/v1/keys")).json()["keys"] if key["project"] == FIRST
        ]
        pin: dict[str, Any] = {"strict": True, "reason": "to spoil it"}
        label = {"record": names["verdict"], "right": False, "source": "x"}
        draw, scored = f"/v1/labels/draws/{names['draw']}", {"verifier": "exact", "samples": [], "run": RUN}
        tried: Iterable[tuple[str, str, object, int]] = (
            ("PUT", f"/v1/runs/{quote(RUN, safe='')}", pin, 409),
            ("POST", "/v1/verify", scored, 409),
            ("POST", f"/v1/runs/{quote(RUN, safe='')}/replay", {}, 404),
            ("DELETE", f"/v1/jobs/{names['job']}", None, 404),
            ("DELETE", f"/v1/audits/{names['audit']}", None, 404),
            ("DELETE", f"/v1/audits/{SECRET}", None, 404),
            ("DELETE", "/v1/audits/latest", None, 404),
            ("POST", "/v1/labels", {"labels": [label]}, 422),
            ("POST", "/v1/labels/aims", {"subject": {"verifier": "exact"}, "width": 0.5}, 422),
            ("POST", f"{draw}/next", {"annotator": "me"}, 404),
            ("POST", f"{draw}/items/{names['position']}", {"annotator": "me", "right": True}, 404),
            ("POST", f"{draw}/items/{names['position']}/skip", {"annotator": "me"}, 404),
            ("PUT", f"/v1/watches/{names['watch']}", {"run": "*"}, 409),
            ("DELETE", f"/v1/watches/{names['watch']}", None, 404),
            ("POST", f"/v1/alarms/{names['alarm']}/close", {"reason": "x"}, 404),
            ("DELETE", f"/v1/recipes/{names['recipe']}/freeze?reason=x", None, 404),
            ("POST", f"/v1/references/{names['reference']}/reverify", {}, 404),
            ("PATCH", f"/v1/keys/{first_key}", {"samples_per_minute": 1}, 404),
            ("POST", f"/v1/keys/{first_key}/rotate", {}, 404),
            ("DELETE", f"/v1/keys/{first_key}", None, 404),
            ("POST", "/v1/keys", {"name": "x", "scopes": ["view"], "project": FIRST}, 404),
            ("POST", "/v1/keys", {"name": "x", "scopes": ["view"], "project": "default"}, 404),
            ("POST", "/v1/projects", {"name": "third"}, 403),
            ("PATCH", f"/v1/projects/{SECOND}", {"weight": 100}, 403),
            ("PUT", "/v1/recipes/mine", {"terms": [{"verifier": "exact"}]}, 403),
            ("POST", "/v1/recipes/math/correct", {}, 403),
            ("DELETE", "/v1/models/any", None, 403),
        )
        for method, path, body, status in tried:
            answer = await service.ask(SECOND, method, path, json=body)
            assert answer.status_code == status, (method, path, answer.text)
        # an audit's name means one of the caller's own, in recipes too
        for said in (SECRET, "latest", names["audit"][:-1]):
            named = {"terms": [{"verifier": "exact", "noise": {"audit": said}}]}
            refused = await service.ask("default", "PUT", "/v1/recipes/spy", json=named)
            assert refused.json()["errors"][0]["code"] == "unknown_audit", refused.text
        body = {"recipe": RECIPE, "samples": [{"response": "5", "reference": "5"}]}
        assert (await service.ask(FIRST, "POST", "/v1/rewards", json=body)).json()["code"] == "recipe_frozen"
        # what one project froze holds up no other
        assert (await service.done(SECOND, "POST", "/v1/rewards", body))["rewards"][0]["reward"] == 1.0


async def test_an_equal_recipe_has_the_name_that_each_project_gave_it(tmp_path: Path, database_url: str) -> None:
    """A content is kept once, under the name and the description that it came with first, and may be frozen for one."""
    async with tenants(tmp_path, database_url) as service:
        names = await planted(service)
        body = {"recipe": {**RECIPE, "name": "ours"}, "samples": [{"response": "5", "reference": "5"}]}
        page = f"/ui/recipes/{quote(names['recipe'], safe='')}"
        assert (await service.get(SECOND, page)).status_code == 404
        paid = await service.done(SECOND, "POST", "/v1/rewards", {**body, "run": "our-run"})
        assert paid["recipe"] == names["recipe"]
        for path in (page, "/ui/", "/ui/runs", "/ui/runs/our-run"):
            shown = (await service.get(SECOND, path)).text
            assert "ours" in shown, path
            assert SECRET not in shown, path


def _read(routes: Iterable[Any]) -> Iterator[str]:
    for route in routes:
        if getattr(route, "methods", None):
            yield from [route.path] if "GET" in route.methods else []
        elif hasattr(route, "original_router"):
            yield from _read(route.original_router.routes)


@pytest.mark.parametrize("route", SHOWN)
def test_what_is_shown_is_in_the_table(route: str) -> None:
    assert route in READ
