"""The pages of audits: their numbers are those of the audit, and every number leads to its samples."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from playwright.sync_api import expect

from app.pages.audits.rates import big_numbers
from app.pages.paths import run_path
from tests.pages.audited import COUNTS, FORM, Planted, audited, ended, plant, shown
from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import assert_inert
from trueward.gate import deciding
from trueward.numerals import share
from trueward.wire.audit import AuditReport, Estimate


@pytest.fixture(scope="module")
def http(site: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def planted(http: httpx2.Client) -> Planted:
    return plant(http, "audited pages")


@pytest.fixture(scope="module")
def audit(http: httpx2.Client, planted: Planted) -> dict[str, Any]:
    """The second of two, with an exploit audit before it."""
    sample = {"prompt": "What is 6 * 7?", "reference": "42"}
    probes = ["empty", "punctuation"]
    exploit = {"kind": "exploit", "subject": {"verifier": "exact"}, "given": {"samples": [sample]}, "probes": probes}
    audited(http, exploit)
    spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": planted.run}}
    audited(http, spec, "the first")
    found = audited(http, spec, "</title><script>window.__ran=1</script>")
    assert found["state"] == "completed", found["failure"]
    return found


def part(view: Any, name: str) -> Any:
    return next(one for one in view["parts"] if one["name"] == name)


def test_the_big_numbers_are_the_estimates_that_a_gate_goes_by(http: httpx2.Client, audit: dict[str, Any]) -> None:
    view = shown(http, f"/ui/audits/{audit['id']}")
    for number, name in zip(view["numbers"], ("false_positives", "false_negatives"), strict=True):
        estimates = [Estimate.model_validate(one) for one in audit["report"][name]]
        found = deciding(estimates, "upper")
        assert found is not None
        assert number["estimate"] == found.model_dump(mode="json")
    assert [one["estimate"]["errors"] for one in view["numbers"]] == [4, 3]
    assert view["origins"] == audit["report"]["origins"]
    assert view["versions"] == audit["report"]["versions"]
    assert list(view["versions"]) == ["exact"]


@pytest.mark.parametrize(
    ("interval", "standing", "word"),
    [
        ((0.0, 0.05), "under", "under 5%"),
        ((0.0, 0.06), "undecided", "may be over 5%"),
        ((0.06, 0.2), "over", "over 5%"),
        (None, "unknown", "not known"),
    ],
)
def test_a_rate_is_coloured_by_the_ends_of_its_interval(
    interval: tuple[float, float] | None, standing: str, word: str
) -> None:
    rate = Estimate(method="wilson", rate=0.0, errors=0, items=10, interval=interval)
    [number, other] = big_numbers(AuditReport(findings={}, false_positives=[rate]), 0.05)
    assert (number.standing, number.word) == (standing, word)
    assert (other.standing, other.estimate) == ("unknown", None)


def test_an_audit_has_the_same_names_in_an_address_as_anywhere_else(http: httpx2.Client, planted: Planted) -> None:
    spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": planted.run}}
    named = audited(http, spec, "a name of its own")
    assert shown(http, "/ui/audits/a%20name%20of%20its%20own")["id"] == named["id"]
    again = {"kind": "reverify", "subject": {"verifier": "math"}, "before": {"verifier": "exact"}}
    flips = audited(http, {**again, "population": {"run": planted.run}}, "flips of its own")
    answer = http.get("/ui/audits/flips%20of%20its%20own")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/ui/compare/{flips['id']}")


def test_a_rate_against_a_verifier_is_no_point_in_the_course_of_those_against_labels(http: httpx2.Client) -> None:
    own = plant(http, "both truths")
    spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": own.run}}
    sample = {"prompt": "said by both?", "response": "yes", "reference": "yes"}
    for verifier in ("exact", "qa"):
        asked = {"verifier": verifier, "run": own.run, "samples": [sample]}
        http.post("/v1/verify", json=asked).raise_for_status()
    audits = [audited(http, {**spec, **more}) for more in ({}, {}, {"against": {"verifier": "qa"}}, {})]
    assert [one["failure"] for one in audits] == [None] * 4
    _, before, beside, after = (part(shown(http, f"/ui/audits/{one['id']}"), "drift") for one in audits)
    count = [len(one["pieces"][0]["figures"][0]["lines"]) for one in (before, after)]
    assert count[1] == count[0] + 1
    assert beside["pieces"] == []


def test_a_list_tells_a_rate_against_a_verifier_from_one_against_labels(http: httpx2.Client) -> None:
    own = plant(http, "told apart")
    sample = {"prompt": "said by both?", "response": "yes", "reference": "yes"}
    for verifier in ("exact", "qa"):
        asked = {"verifier": verifier, "run": own.run, "samples": [sample]}
        http.post("/v1/verify", json=asked).raise_for_status()
    spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": own.run}}
    labels, second = (audited(http, {**spec, **more})["id"] for more in ({}, {"against": {"verifier": "qa"}}))
    for path in (run_path(own.run), "/ui/audits?subject=exact"):
        rows = {one["id"]: one["against"] for one in shown(http, path)["audits"]}
        assert (rows[labels], rows[second]) == (None, "qa")
    assert ", by what <bdi>qa</bdi> says:" in http.get(run_path(own.run)).text
    assert '<span class="note">by <bdi>qa</bdi></span>' in http.get("/ui/audits?subject=exact").text


def test_the_limit_can_be_another(http: httpx2.Client, audit: dict[str, Any]) -> None:
    words = [one["word"] for one in shown(http, f"/ui/audits/{audit['id']}?limit=0.6")["numbers"]]
    assert words == ["under 60%", "under 60%"]
    assert http.get(f"/ui/audits/{audit['id']}?limit=nan").status_code == 422


def test_every_cell_leads_to_its_samples_page_by_page(
    http: httpx2.Client, audit: dict[str, Any], planted: Planted
) -> None:
    view = shown(http, f"/ui/audits/{audit['id']}")
    cells = {cell["cell"]: cell for row in view["matrix"] for cell in row["cells"]}
    assert {name: cell["count"] for name, cell in cells.items()} == COUNTS == audit["report"]["findings"]["confusion"]
    for name, cell in cells.items():
        records, path, pages = [], cell["path"], 0
        while path is not None:
            page = shown(http, path)
            records += [one["record"] for one in page["samples"]]
            path, pages = page["next"], pages + 1
        assert records == sorted(planted.records[name], reverse=True)
        assert pages == -(-COUNTS[name] // 25)


def test_a_sample_of_a_cell_is_shown_with_what_was_said(http: httpx2.Client, audit: dict[str, Any]) -> None:
    [*_, one] = shown(http, f"/ui/audits/{audit['id']}/cells/wrong_accepted")["samples"]
    assert (one["outcome"], one["score"], one["response"], one["reference"]) == ("correct", 1.0, "yes", "yes")
    assert "audited pages" in one["prompt"]


def test_every_figure_and_table_of_the_report_is_there_once(http: httpx2.Client, audit: dict[str, Any]) -> None:
    view = shown(http, f"/ui/audits/{audit['id']}")
    own = [piece for one in view["parts"] if one["name"] != "drift" for piece in one["pieces"] if not piece["source"]]
    for what in ("figures", "tables"):
        titles = sorted(one["title"] for piece in own for one in piece[what])
        expected = sorted(one["title"] for one in audit["report"][what] if one["title"] != "Verdicts against labels")
        assert [title for title in titles if title != "Share of right responses in the population"] == expected


def test_what_is_not_there_says_why(http: httpx2.Client, audit: dict[str, Any]) -> None:
    view = shown(http, f"/ui/audits/{audit['id']}")
    assert part(view, "roc")["missing"] == [
        "The ROC curve needs graded scores, and labels of right and of wrong responses."
    ]
    assert part(view, "metamorphic")["missing"] == ["No metamorphic audit of exact is completed."]
    assert part(view, "reliability")["missing"] == ["Its verdicts have no confidence and no graded score."]


def test_scores_draw_the_curves(http: httpx2.Client, planted: Planted) -> None:
    graded = [("1 2 3 4", True), ("1 2 3", True), ("1 2", False), ("4", False), ("9", False), ("1 2 4", True)]
    samples = [{"prompt": f"curve {text}", "response": text, "reference": "1 2 3 4"} for text, _ in graded]
    body = {"verifier": "overlap", "run": "curves", "samples": samples}
    said = http.post("/v1/verify", json=body).json()["verdicts"]
    labels = [{"record": one["record"], "right": right} for one, (_, right) in zip(said, graded, strict=True)]
    assert http.post("/v1/labels", json={"labels": labels}).status_code < 300
    subject = {"verifier": "overlap", "threshold": 0.8}
    found = audited(http, {"kind": "labelled", "subject": subject, "population": {"run": "curves"}})
    view = shown(http, f"/ui/audits/{found['id']}")
    drawn = {one["title"].split(",")[0] for one in found["report"]["figures"]}
    assert {"Error rates by threshold", "ROC", "Precision and recall"} <= drawn
    for name in ("threshold", "roc", "precision"):
        [piece] = part(view, name)["pieces"]
        assert piece["figures"][0] in found["report"]["figures"]
    rate = found["report"]["findings"]["true_pass_rate"]
    [piece] = part(view, "pass-rate")["pieces"]
    assert piece["tables"][0]["rows"][1][1:] == [rate["rate"], *rate["interval"]]


def test_a_verifiers_page_is_its_newest_audit_with_the_others_beside_it(
    http: httpx2.Client, audit: dict[str, Any], planted: Planted
) -> None:
    spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": planted.run}}
    latest = audited(http, spec)
    view = shown(http, "/ui/verifiers/exact")
    assert view["id"] == latest["id"]
    [exploit] = part(view, "exploit")["pieces"]
    assert exploit["source"]["audit"] == view["newest"]["exploit"]
    assert {"Probes by family", "Probe by probe"} <= {table["title"] for table in exploit["tables"]}
    for figure, number in zip(part(view, "drift")["pieces"][0]["figures"], view["numbers"], strict=True):
        assert len(figure["lines"]) >= 3
        newest = figure["lines"][0]
        assert [*newest["y"], *newest["low"], *newest["high"]] == [
            number["estimate"]["rate"],
            *number["estimate"]["interval"],
        ]


def test_a_verifier_without_an_audit_is_led_to_the_form(http: httpx2.Client) -> None:
    view = shown(http, "/ui/verifiers/choice")
    assert (view["audits"], view["form"]["judge"]) == ([], "verifier:choice")


def test_the_list_has_the_newest_of_each_and_with_a_filter_all(
    http: httpx2.Client, audit: dict[str, Any], planted: Planted
) -> None:
    spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": planted.run}}
    latest = audited(http, spec)
    newest = [(one["kind"], one["subject"]) for one in shown(http, "/ui/audits")["audits"]]
    assert len(newest) == len(set(newest))
    assert {("labelled", "exact"), ("exploit", "exact")} <= set(newest)
    every = shown(http, "/ui/audits?subject=exact")["audits"]
    row = next(one for one in every if one["id"] == audit["id"])
    assert row["numbers"] == shown(http, f"/ui/audits/{audit['id']}")["numbers"]
    page = http.get("/ui/audits?subject=exact", headers={"accept": "text/html"}).text
    low, high = row["numbers"][0]["estimate"]["interval"]
    assert f"[{share(low)}, {share(high)}]" in page
    assert next(one["id"] for one in every if one["kind"] == "labelled") == latest["id"]
    assert len(every) >= 3


def test_exports_are_the_report(http: httpx2.Client, audit: dict[str, Any]) -> None:
    path = f"/ui/audits/{audit['id']}/export"
    assert http.get(path, params={"as": "json"}).json() == audit
    rows = list(csv.DictReader(io.StringIO(http.get(path, params={"as": "csv"}).text)))
    [wilson, *_] = audit["report"]["false_positives"]
    rates = {
        row["column"]: row["value"]
        for row in rows
        if (row["part"], row["row"]) == ("rates", "0") and row["name"] == "false positive"
    }
    assert float(rates["high"]) == wilson["interval"][1]
    assert sum(row["part"] == "Slices, worst first" for row in rows) == sum(
        len(row)
        for table in audit["report"]["tables"]
        if table["title"] == "Slices, worst first"
        for row in table["rows"]
    )
    html = http.get(path)
    assert html.text == http.get(f"/v1/audits/{audit['id']}/report").text
    assert "attachment" in html.headers["content-disposition"]
    assert html.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_form_starts_an_audit(http: httpx2.Client, planted: Planted) -> None:
    form = {"kind": "labelled", "judge": "verifier:exact", "run": planted.run, "name": "by form"}
    answer = http.post("/ui/audits", data=form, headers=FORM)
    assert answer.status_code == 303
    found = ended(http, answer.headers["location"].rsplit("/", 1)[1])
    assert (found["name"], found["state"]) == ("by form", "completed")
    assert found["spec"]["population"]["run"] == planted.run


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"judge": "verifier:nobody", "kind": "exploit"}, "nobody"),
        ({"judge": "exact"}, "verifier:&lt;name&gt;"),
        ({"params": "{"}, "JSON"),
        ({"threshold": "much"}, "threshold"),
        ({"kind": "consensus"}, "at least 2"),
    ],
)
def test_a_refused_form_says_why_and_keeps_what_was_sent(
    http: httpx2.Client, wrong: dict[str, str], words: str
) -> None:
    headers = {**FORM, "accept": "text/html"}
    answer = http.post("/ui/audits", data={"judge": "verifier:exact", "run": 'kept "', **wrong}, headers=headers)
    assert 400 <= answer.status_code < 500
    assert words in answer.text
    assert "kept &#34;" in answer.text


@pytest.mark.parametrize("path", ["/ui/audits/none", "/ui/audits/none/cells/wrong_accepted", "/ui/audits/none/export"])
def test_an_audit_that_is_none_is_not_found(http: httpx2.Client, path: str) -> None:
    assert http.get(path).status_code == 404


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_the_pages_are_accessible_and_inert(
    open_page: OpenPage, audit: dict[str, Any], theme: Theme, width: str
) -> None:
    for path in ("/ui/audits", f"/ui/audits/{audit['id']}", f"/ui/audits/{audit['id']}/cells/wrong_accepted"):
        page = open_page(path, theme, width)
        assert page.get_by_role("heading", level=1).count() == 1
        assert_accessible(page)
        assert_inert(page)


def test_a_cell_is_followed_to_a_sample_of_the_ledger(
    open_page: OpenPage, audit: dict[str, Any], planted: Planted
) -> None:
    page = open_page(f"/ui/audits/{audit['id']}")
    assert page.get_by_text("may be over 5%").count() == 2
    page.get_by_role("link", name="4 wrong answers, accepted").click()
    page.get_by_role("heading", name="Wrong answers that were accepted").wait_for()
    expect(page.get_by_role("article")).to_have_count(4)
    page.get_by_role("link", name="the whole sample").first.click()
    page.wait_for_url(f"**/ui/ledger/{planted.records['wrong_accepted'][-1]}")


def test_the_form_has_the_fields_of_the_kind_that_is_chosen(open_page: OpenPage, planted: Planted) -> None:
    """By the style sheet alone, so that it works without a script."""
    page = open_page("/ui/audits")
    kind = page.get_by_label("Kind", exact=True)
    for chosen, limit, second in (("labelled", False, False), ("exploit", True, False), ("consensus", False, True)):
        kind.select_option(chosen)
        expect(page.get_by_label("Samples at most")).to_be_visible(visible=limit)
        expect(page.get_by_label("Second verifier")).to_be_visible(visible=second)
    assert planted.run in page.locator("#runs option").evaluate_all("all => all.map(one => one.value)")


def test_the_form_is_filled_by_the_address_and_takes_steps(http: httpx2.Client, planted: Planted) -> None:
    given = {"judge": "verifier:exact", "run": planted.run, "steps": "2-4", "split": "train"}
    form = shown(http, f"/ui/audits?{urlencode(given)}")["form"]
    assert {name: form[name] for name in given} == given
    answer = http.post("/ui/audits", data={**form, "kind": "labelled"}, headers=FORM)
    spec = ended(http, answer.headers["location"].rsplit("/", 1)[1])["spec"]
    assert (spec["population"]["first_step"], spec["population"]["last_step"]) == (2, 4)
    assert http.post("/ui/audits", data={**form, "steps": "a few"}, headers=FORM).status_code == 422


def test_an_audit_is_started_and_seen_to_end(open_page: OpenPage, planted: Planted) -> None:
    page = open_page("/ui/verifiers/choice")
    page.get_by_label("Verifier or recipe").select_option("verifier:exact")
    page.get_by_label("Run").fill(planted.run)
    page.get_by_role("button", name="Start the audit").click()
    page.get_by_role("heading", name="How often it is wrong").wait_for()


def test_a_runs_page_says_what_its_audits_measured(
    http: httpx2.Client, audit: dict[str, Any], planted: Planted
) -> None:
    [found] = [one for one in shown(http, run_path(planted.run))["audits"] if one["id"] == audit["id"]]
    assert found["numbers"][0]["estimate"] == big_number(http, audit)
    page = http.get(run_path(planted.run)).text
    assert f"/ui/audits/{audit['id']}" in page
    assert "wrong answers accepted" in page
    other = http.post("/v1/verify", json={"verifier": "exact", "run": "unaudited", "samples": [{"response": "a"}]})
    assert other.status_code == 200
    assert shown(http, run_path("unaudited"))["audits"] == []


def big_number(http: httpx2.Client, audit: dict[str, Any]) -> Any:
    """The first of the audit's own page."""
    return shown(http, f"/ui/audits/{audit['id']}")["numbers"][0]["estimate"]
