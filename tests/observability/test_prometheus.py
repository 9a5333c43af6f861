"""What is in deploy/observability works: a real Prometheus loads it, scrapes a service, and its queries find data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2
import pytest
import yaml

from tests.live import Service, serving
from tests.observability.prometheus import DEPLOY, Prometheus, configured, promtool, scraping
from tests.services import Keyed

pytestmark = pytest.mark.prometheus

ROOT = DEPLOY.parents[1]
RULES = [rule for group in yaml.safe_load((DEPLOY / "rules.yaml").read_text())["groups"] for rule in group["rules"]]
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}
DASHBOARD = json.loads((DEPLOY / "dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
_METRIC = re.compile(r"\b((?:trueward|process)_\w+)")
_OF_HISTOGRAM = re.compile(r"_(bucket|sum|count)$")

NEEDS_MORE = {
    "Alarms of watches, frozen recipes",
    "Given again",
    "Groups of one-sample protocols",
    "Missing scores by run",
    "Questions a second",
    "Questions without an answer a second",
    "Share that is invalid, by verifier",
    "Share without a score, by cause",
    "Spent of budgets",
    "Tokens a second",
    "Tokens that wait",
    "Utilisation of devices",
    "Audited error rates, upper ends",
}
"""Panels whose data need what this test does not do: models, audits, failures. Their queries are parsed even so."""


def expressions() -> dict[str, list[str]]:
    """Those of the dashboard by panel, as Grafana would send them."""
    filled = {"$__rate_interval": "10s", "$job": "trueward"}
    found = {}
    for panel in PANELS:
        texts = [target["expr"] for target in panel["targets"]]
        for variable, value in filled.items():
            texts = [text.replace(variable, value) for text in texts]
        found[panel["title"]] = texts
    return found


@dataclass(frozen=True, slots=True)
class Watched:
    """A service that has had some traffic, and a Prometheus that watched it."""

    service: Service
    prometheus: Prometheus


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    with serving(folder, auth="keys") as service:
        keyed = Keyed.first(service)
        keys = {scope: keyed.key(scope)["key"] for scope in ("view", "score")}
        target = service.url.removeprefix("http://")
        with scraping(folder, target, keys["view"]) as prometheus:
            prometheus.wait_for("first scrape", lambda: prometheus.query("trueward_build_info"))
            for number in range(3):
                _ask(service.url, keys["score"], number)
                seen = f"sum(trueward_samples_total) >= {3 * (number + 1)}"
                prometheus.wait_for("samples", partial(prometheus.query, seen))
            yield Watched(service, prometheus)


def _ask(url: str, key: str, number: int) -> None:
    sample = {"prompt": "q", "response": f"\\boxed{{{number} + x}}", "reference": "x"}
    text = {"prompt": "q", "response": f"{number}", "reference": "1"}
    payload = {"query": [f"q \\boxed{{{number}}}"], "prompts": ["q"], "labels": ["1"]}
    again = {"Idempotency-Key": str(number)}
    with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60.0) as http:
        for _ in range(2):
            body = {"recipe": "math", "samples": [sample]}
            assert http.post("/v1/rewards", json=body, headers=again).status_code == 200
        for path, asked in (
            ("/v1/verify", {"verifier": "exact", "samples": [text]}),
            ("/t/math/openrlhf", payload),
        ):
            assert http.post(path, json=asked).status_code == 200
        assert http.post("/v1/verify", json={"verifier": "none", "samples": []}).status_code == 422


def test_promtool_takes_the_rules() -> None:
    assert f"{len(RULES)} rules found" in promtool("check", "rules", "rules.yaml")


def test_promtool_takes_the_scrape_configuration(tmp_path: Path) -> None:
    promtool("check", "config", configured(tmp_path, ["127.0.0.1:8421"], "tw_x"))


def test_each_alert_fires_when_it_should_and_not_otherwise() -> None:
    promtool("test", "rules", "rules_test.yaml")


def test_each_alert_is_tried_both_ways() -> None:
    cases = yaml.safe_load((DEPLOY / "rules_test.yaml").read_text())["tests"]
    tried = [(one["alertname"], bool(one.get("exp_alerts"))) for case in cases for one in case["alert_rule_test"]]
    assert set(tried) == {(name, fires) for name in ALERTS for fires in (True, False)}


def test_the_dashboard_is_laid_out_without_overlaps() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_every_metric_that_is_asked_for_is_documented() -> None:
    texts = [rule["expr"] for rule in RULES] + [text for texts in expressions().values() for text in texts]
    asked = {_OF_HISTOGRAM.sub("", name) for text in texts for name in _METRIC.findall(text)}
    documented = set(re.findall(r"`(\w+)`", (ROOT / "docs/metrics.md").read_text(encoding="utf-8")))
    assert asked - documented == set()


def test_every_alert_has_its_section_in_the_runbook() -> None:
    sections = re.findall(r"^## (\w+)$", (ROOT / "docs/runbook.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(sections) == sorted(ALERTS)
    for name, rule in ALERTS.items():
        assert rule["annotations"]["runbook"] == f"docs/runbook.md#{name.lower()}"


def test_prometheus_loads_every_rule_without_a_failure(watched: Watched) -> None:
    def loaded() -> bool:
        groups = watched.prometheus.get("rules")["groups"]
        found = [rule for group in groups for rule in group["rules"]]
        assert len(found) == len(RULES)
        return all(rule["health"] == "ok" for rule in found)

    watched.prometheus.wait_for("healthy rules", loaded)


def test_no_alert_fires_on_a_service_that_is_well(watched: Watched) -> None:
    firing = [alert["labels"]["alertname"] for alert in watched.prometheus.get("alerts")["alerts"]]
    # the machine that runs this may have a full disk, or be busy with other tests
    assert set(firing) <= {"TruewardDiskNearlyFull", "TruewardEventLoopLags"}


@pytest.mark.parametrize("title", expressions())
def test_a_panel_shows_what_the_service_did(title: str, watched: Watched) -> None:
    asked = expressions()[title]
    if title in NEEDS_MORE:
        for expression in asked:
            watched.prometheus.query(expression)
    else:
        # a scrape that a busy machine was late for leaves a gap
        watched.prometheus.wait_for(f"{title}: {asked}", lambda: all(map(watched.prometheus.query, asked)))


def test_the_panels_that_need_more_exist() -> None:
    assert set(expressions()) >= NEEDS_MORE


def test_a_service_that_stops_is_noticed(tmp_path: Path, watched: Watched) -> None:
    """Last, for it ends the service."""
    watched.service.process.terminate()
    watched.prometheus.wait_for("failed scrape", lambda: watched.prometheus.query('up{job="trueward"} == 0'))
