"""What the labelling pages do, form by form: blind, once, to nobody else, and told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import httpx2
import pytest

from app.pages.paths import run_path
from tests.pages.hostile import LONG
from tests.pages.labeller import Labeller, draw, halves, judge, labels, written

PLAN = {
    "subject": "verifier:exact",
    "other": "verifier:math",
    "disagreement": "1",
    "rest": "0",
    "limit": "",
    "seed": "4",
}


@pytest.fixture
def run(site: str) -> str:
    """Twelve right answers that nobody has seen, of which ``exact`` rejects six."""
    return judge(site, halves(12))


@pytest.fixture
def ann(site: str) -> Iterator[Labeller]:
    with Labeller.named(site, "ann") as ann:
        yield ann


@pytest.fixture
def bob(site: str) -> Iterator[Labeller]:
    with Labeller.named(site, "bob") as bob:
        yield bob


@pytest.fixture
def nobody(site: str) -> Iterator[Labeller]:
    with Labeller.named(site, "") as nobody:
        yield nobody


def test_nobody_labels_without_a_name_and_the_name_is_asked_for_once(site: str, run: str, nobody: Labeller) -> None:
    made = draw(site, run)
    assert nobody.next(made) == f"/ui/labels/{made}"
    assert "Your name" in nobody.http.get(f"/ui/labels/{made}").text
    assert nobody.send(f"/ui/labels/{made}/0", right="right", known="").status_code == 404
    nobody.send("/ui/labels/annotator", name="  <b>J\u00f6rg</b> \U0001f980 ")
    assert nobody.look("/ui/labels")["annotator"] == "<b>J\u00f6rg</b> \U0001f980"
    nobody.label(nobody.next(made), "right")
    assert labels(site, made)[0]["annotator"] == "<b>J\u00f6rg</b> \U0001f980"


def test_an_item_is_blind_and_its_label_reveals(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run)
    address = ann.next(made)
    blind = ann.look(address)
    assert (blind["label"], blind["said"], blind["query"], blind["known"]) == (None, [], None, "")
    page = ann.http.get(address).text
    assert 'class="outcome' not in page
    verdicts = httpx2.get(f"{site}/v1/verdicts", params={"run": run, "limit": 100}, timeout=60.0).json()["verdicts"]
    assert len(verdicts) == 24
    assert not [one["record"] for one in verdicts if one["record"] in page]
    assert ann.label(address, "wrong", note="no <i>idea</i>", reference="7") == ""
    shown = ann.look(address)
    assert (shown["label"]["right"], shown["label"]["note"], shown["label"]["reference"]) == (
        False,
        "no <i>idea</i>",
        "7",
    )
    differs = {row["said"]["name"]: row["differs"] for row in shown["said"]}
    accepted = {row["said"]["name"]: row["said"]["outcome"] == "correct" for row in shown["said"]}
    assert accepted["math"]
    assert differs == accepted


def test_a_label_says_nothing_of_what_measures_the_form(site: str, ann: Labeller) -> None:
    samples = halves(12)
    run = judge(site, samples)
    httpx2.post(f"{site}/v1/verify", json={"verifier": "format", "run": run, "samples": samples}, timeout=60.0)
    address = ann.next(draw(site, run))
    ann.label(address, "right")
    shown = ann.look(address)
    differs = {row["said"]["name"]: row["differs"] for row in shown["said"]}
    assert set(differs) == {"exact", "math", "format"}
    assert differs["format"] is None
    assert None not in (differs["exact"], differs["math"])
    assert "format is wrong" not in ann.http.get(address).text
    assert ann.look(run_path(run))["labelled"] == ["math", "exact"]


def test_a_form_that_is_sent_again_gives_no_second_label(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run)
    address = ann.next(made)
    assert [ann.label(address, right) for right in ("right", "right", "wrong")] == ["", "", "kept"]
    [only] = labels(site, made)
    assert only["right"] is True
    assert "was not stored" in ann.http.get(f"{address}?note=kept").text


def test_a_second_thought_is_kept_beside_the_label_and_once(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run)
    address = ann.next(made)
    ann.label(address, "right")
    known = ann.look(address)["known"]
    assert [ann.label(address, "wrong", known=known) for _ in range(2)] == ["", ""]
    assert [(one["right"], one["after_reveal"]) for one in labels(site, made)] == [(False, True), (True, False)]
    assert [one["right"] for one in ann.look(address)["thoughts"]] == [False]
    assert ann.look(f"/ui/labels/{made}")["annotators"] == {"ann": 1}


def test_what_one_holds_is_offered_to_nobody_else_until_it_is_given_back(
    site: str, ann: Labeller, bob: Labeller
) -> None:
    made = draw(site, judge(site, halves(1)))
    address = ann.next(made)
    assert ann.next(made) == address
    assert bob.next(made) == f"/ui/labels/{made}?waiting=true"
    told = bob.http.get(bob.next(made)).text
    assert "No item is free for you at the moment" in told
    assert "An item is done when 1 annotator has labelled it" in told
    assert bob.http.get(address).status_code == 404
    assert bob.send(address, right="right", known="").status_code == 404
    assert ann.send(f"{address}/release").headers["location"] == f"/ui/labels/{made}"
    assert bob.next(made) == address
    assert ann.http.get(address).status_code == 404


def test_a_hold_that_ran_out_is_told_and_the_label_counts(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run, hold_s=0.05)
    address = ann.next(made)
    time.sleep(0.1)
    assert ann.look(address)["lapsed"]
    assert ann.label(address, "unclear") == "late"
    assert "had run out" in ann.http.get(f"{address}?note=late").text
    assert [(one["right"], one["after_reveal"]) for one in labels(site, made)] == [(None, False)]


def test_a_skip_takes_one_item_out_however_often_it_is_sent(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run)
    address = ann.next(made)
    following = [ann.send(f"{address}/skip").headers["location"] for _ in range(3)]
    assert len(set(following)) == 1
    assert following[0] != address
    assert ann.look(f"/ui/labels/{made}")["progress"] == {"drawn": 12, "done": 0, "skipped": 1, "left": 11}


def test_one_goes_back_and_forth_among_ones_own(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run)
    places = []
    for _ in range(3):
        address = ann.next(made)
        places.append(ann.look(address)["position"])
        ann.label(address, "right")
    shown = [ann.look(f"/ui/labels/{made}/{place}") for place in places]
    assert [one["previous"] for one in shown] == [None, places[0], places[1]]
    assert [one["next"] for one in shown] == [places[1], places[2], None]
    assert ann.look(ann.next(made))["previous"] == places[2]


def test_the_draw_shows_progress_and_agreement_as_the_api_has_them(
    site: str, run: str, ann: Labeller, bob: Labeller
) -> None:
    made = draw(site, run, annotators_per_item=2, guidelines="Right is **right**.")
    for number in range(6):
        ann.label(ann.next(made), "right" if number % 3 else "wrong")
        bob.label(bob.next(made), "right")
    page = ann.look(f"/ui/labels/{made}")
    assert page["progress"] == {"drawn": 12, "done": 6, "skipped": 0, "left": 6}
    assert page["annotators"] == {"ann": 6, "bob": 6}
    assert page["guidelines"] == "Right is **right**."
    told = httpx2.get(f"{site}/v1/labels/agreement", params={"draw": made}, timeout=60.0).json()
    assert page["agreement"] == told
    assert told["items"] == 6
    listed = bob.look("/ui/labels")["draws"][0]
    assert (listed["id"], listed["progress"]) == (made, page["progress"])


def test_a_verifier_that_is_wrong_becomes_a_case_in_one_click(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run, queries=[{"query": "disagreement", "other": {"verifier": "math"}, "probability": 1}], rest=0)
    address = ann.next(made)
    record = "01J00000000000000000000000"
    assert ann.http.get(f"{address}/case/{record}").status_code == 404
    ann.label(address, "right", note="1/2 is 0.5")
    [wrong] = [row["said"] for row in ann.look(address)["said"] if row["differs"]]
    assert wrong["name"] == "exact"
    page = ann.http.get(address).text
    assert f"{address}/case/{wrong['record']}" in page
    assert "tests/cases/<bdi>exact</bdi>.jsonl" in page
    found = ann.http.get(f"{address}/case/{wrong['record']}")
    assert found.headers["content-disposition"] == "attachment; filename*=UTF-8''exact.jsonl"
    assert found.text.count("\n") == 1
    case = json.loads(found.text)
    assert (case["outcome"], case["note"]) == ("correct", "1/2 is 0.5")
    assert case["sample"]["response"] == written(ann.look(address), "response")


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_a_draws_labels_are_a_file_to_take_along(site: str, run: str, ann: Labeller, form: str) -> None:
    made = draw(site, run)
    ann.label(ann.next(made), "right", note="=1+1")
    ours = ann.http.get(f"/ui/labels/{made}/export/{form}")
    theirs = httpx2.get(f"{site}/v1/labels/export", params={"draw": made, "format": form}, timeout=60.0)
    assert ours.content == theirs.content
    assert ours.headers["content-disposition"].startswith(f'attachment; filename="labels-{made}.')


def test_a_draw_is_audited_with_its_own_labels(site: str, run: str, ann: Labeller) -> None:
    made = draw(site, run)
    begun = ann.send(f"/ui/labels/{made}/audit").headers["location"]
    audit = httpx2.get(f"{site}/v1/audits/{begun.rsplit('/', 1)[1]}", timeout=60.0).json()["spec"]
    assert (audit["labels"]["draw"], audit["population"]["run"]) == (made, run)
    assert audit["subject"]["verifier"] == "exact"


def test_a_plan_becomes_a_draw(site: str, run: str, ann: Labeller) -> None:
    sent = ann.send(
        "/ui/labels/new", **PLAN, run=run, name="half", guidelines="g", near_threshold="0.5", threshold="0.5"
    )
    assert sent.status_code == 303, sent.text
    found = ann.look(sent.headers["location"])
    assert (found["progress"]["drawn"], found["name"], found["guidelines"]) == (6, "half", "g")
    spec = found["spec"]
    assert spec["subject"]["threshold"] == 0.5
    assert [one["query"] for one in spec["queries"]] == ["disagreement", "near_threshold"]
    assert (spec["seed"], spec["limit"], spec["rest"]) == (4, None, 0)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"rest": "much"}, "rest must be a number"),
        ({"rest": "2"}, "rest"),
        ({"rest": "nan"}, "rest"),
        ({"seed": "1.5"}, "seed must be a whole number"),
        ({"disagreement": "2"}, "probability"),
        ({"run": "no such run"}, "none in this population"),
        ({"subject": "verifier:nothing"}, "no verdict of nothing outside"),
        ({"annotators_per_item": "0"}, "annotators_per_item"),
    ],
)
def test_a_plan_that_is_refused_stays_in_its_form(
    site: str, run: str, ann: Labeller, fields: dict[str, str], named: str
) -> None:
    sent = ann.http.post("/ui/labels/new?format=json", data={"csrf": ann.token, **PLAN, "run": run, **fields})
    assert sent.status_code == 422
    assert named in sent.json()["problem"]["detail"]
    assert {**PLAN, "run": run, **fields}.items() <= sent.json()["plan"].items()


def test_a_long_text_is_read_in_pieces_by_who_was_given_the_item(site: str, ann: Labeller, bob: Labeller) -> None:
    made = draw(site, judge(site, [{"prompt": "long", "response": LONG, "reference": 0}]))
    address = ann.next(made)
    page = ann.http.get(address)
    assert len(page.text) < 60_000
    assert f"{address}/text/response?piece=true" in page.text
    assert ann.look(address)["told"]["reference"]["text"] == "0"
    whole = ann.http.get(f"{address}/text/response", params={"offset": 10})
    assert whole.text == LONG[10:]
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    piece = ann.http.get(f"{address}/text/response", params={"piece": True, "offset": 4000, "format": "json"}).json()
    assert (piece["text"], piece["more"]) == (LONG[4000:24_000], f"{address}/text/response")
    assert bob.http.get(f"{address}/text/response").status_code == 404


@pytest.mark.parametrize("path", ["/next", "/0", "/0/skip", "/0/release", "/audit"])
def test_a_form_of_another_site_changes_nothing(site: str, run: str, ann: Labeller, path: str) -> None:
    made = draw(site, run)
    ann.next(made)
    sent = ann.http.post(f"/ui/labels/{made}{path}", data={"right": "right", "known": ""})
    assert sent.status_code == 403
    assert labels(site, made) == []


@pytest.mark.parametrize("path", ["/ui/labels/nothing", "/ui/labels/nothing/0", "/ui/labels/nothing/export/csv"])
def test_what_does_not_exist_is_said_so(ann: Labeller, path: str) -> None:
    assert ann.http.get(path).status_code == 404
