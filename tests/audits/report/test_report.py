"""The page of a report: everything in it, nothing beside it, and no text of strangers is markup."""

from __future__ import annotations

import re
from typing import Any

import pytest

from audits.report.page import page
from audits.report.view import METHODS
from audits.report.words import words
from tests.audits.made import audit, estimate, report
from tests.audits.report.reading import Page
from trueward.wire.audit import (
    AuditReport,
    AuditSpec,
    BenchAudit,
    ConsensusAudit,
    ExploitAudit,
    GivenSamples,
    LabelledAudit,
    MetamorphicAudit,
    Population,
    ReverifyAudit,
    Subject,
    Table,
)
from trueward.wire.sample import Sample

MATH = Subject(verifier="math")
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "'\"`&lt;{{ 7 * 7 }}{% raw %}${7*7}",
    "</title></svg></style><script>alert(1)</script><!-- --><![CDATA[ ]]>",
    "</text><foreignObject><iframe src='javascript:alert(1)'>",
    "\u202egnihtyna\u2066\u200f",
    "\x00\x01\x1b[31m\x7f\x85\ud800",
    "a" * 50_000,
    "<" * 3000,
    "url(https://example.org/x) expression(alert(1))",
]
SKELETON = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "h1", "h2", "h3", "p",
    "dl", "div", "dt", "dd", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption",
    "details", "summary", "pre", "bdi", "svg", "g", "path", "line", "circle", "rect", "text", "desc",
}  # fmt: skip


def shown(made: AuditReport, name: str = "math, step 4000") -> tuple[str, Page]:
    text = page(audit(made, name), made)
    return text, Page(text)


def with_text(value: object, text: str) -> Any:
    """The same with ``text`` in the place of every text that is free."""
    if isinstance(value, str):
        return text
    if isinstance(value, list | tuple):
        return [with_text(item, text) for item in value]
    if isinstance(value, dict):
        closed = ("kind", "method")
        return {name: item if name in closed else with_text(item, text) for name, item in value.items()}
    return value


def hostile_report(text: str) -> AuditReport:
    body = with_text(report().model_dump(mode="json"), text)
    body["origins"], body["versions"], body["findings"] = {text: 3}, {text: [text]}, {text: {text: [text]}}
    return AuditReport.model_validate(body)


def test_a_report_says_what_when_by_whom_and_from_where() -> None:
    _, found = shown(report())
    for expected in (
        "Labelled audit of math@1",
        '{"tolerance": 1e-06}, accepts from 0.5',
        "run r1, split train",
        "2026-11-21 18:30 UTC",
        "math 1, 2",
        "human: 1,200, oracle: 276",
        "98 records had no verdict.",
        "1.23% 95% interval: 0.51% to 2.61% 12 of 976 truly wrong responses were accepted; cluster bootstrap",
        "false positive Clopper-Pearson 1.23% 0.64% to 2.13% 12 of 976",
        "false negative Clopper-Pearson \u2013 \u2013 0 of 0 none",
        "source=gsm8k 2.1% 412 0.003",
        "source=aime \u2013 0 \u2013",
        "Holm over 14 slices",
        "There is nothing to draw.",
        '"accuracy": 0.97',
    ):
        assert expected in found.text
    assert found.text.index("98 records") < found.text.index("Error rates") < found.text.index("Confusion")
    assert found.tags["svg"] == 4


def test_it_needs_nothing_but_itself() -> None:
    text, found = shown(report())
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image"} & set(found.tags)
    assert not {name for _, name in found.attributes} & {"src", "href", "xlink:href", "srcset", "action", "style"}
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"https?://", text)


def test_every_id_is_unique_and_every_reference_leads_somewhere() -> None:
    _, found = shown(report())
    assert len(found.ids) == len(set(found.ids))
    for _, name, value in found.values:
        if name == "aria-labelledby":
            assert set(value.split()) <= set(found.ids)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    _, plain = shown(hostile_report("x"), "x")
    raw, found = shown(hostile_report(text), text)
    assert set(found.tags) <= SKELETON
    assert found.comments == []
    # what is cut has a title (an attribute in HTML, an element in SVG); nothing else differs from the harmless page
    titles = {("bdi", "title")}
    assert {pair: n for pair, n in found.attributes.items() if pair not in titles} == {
        pair: n for pair, n in plain.attributes.items() if pair not in titles
    }
    assert {tag: n for tag, n in found.tags.items() if tag != "title"} == {
        tag: n for tag, n in plain.tags.items() if tag != "title"
    }
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\ud800-\udfff]", raw)
    assert len(raw) < 1_000_000
    raw.encode()


def test_hostile_text_is_still_to_be_read() -> None:
    _, found = shown(hostile_report("<b>&amp;\u202e"))
    assert found.text.count("<b>&amp;\ufffd") > 10


def test_what_is_cut_is_whole_in_its_title() -> None:
    name = "a slice with a name that is far too long for the place that it has, as names of slices often are, alas"
    made = report()
    made.tables = [Table(title="t", columns=["slice"], rows=[[name]])]
    made.figures[2].lines[0].name = name
    text, found = shown(made)
    assert ("bdi", "title", name) in found.values
    assert f"<title>{name}</title>" in text


def test_many_rows_are_cut_and_counted() -> None:
    made = AuditReport(findings={}, tables=[Table(title="t", columns=["a"], rows=[[row] for row in range(1234)])])
    _, found = shown(made)
    assert found.tags["td"] == 500
    assert "734 further rows are in the JSON report" in found.text


def test_a_report_of_nothing_is_a_page() -> None:
    _, found = shown(AuditReport(findings={}), "")
    assert "Labelled audit of math@1" in found.text
    assert "Error rates" not in found.text
    assert ">Notes<" not in found.text


SPECS: list[tuple[AuditSpec, str]] = [
    (LabelledAudit(subject=MATH, against=Subject(verifier="exact")), "exact, an imperfect reference"),
    (ConsensusAudit(subjects=[MATH, Subject(verifier="exact")]), "Consensus audit of math, exact"),
    (
        MetamorphicAudit(subject=MATH, given=GivenSamples(population=Population(run="r9"), limit=1500)),
        "at most 1,500 of the",
    ),
    (ExploitAudit(subject=MATH, given=GivenSamples(samples=[Sample(prompt="secret")])), "1 given"),
    (BenchAudit(subject=Subject(recipe="dapo"), format="pairs", rows=[{"chosen": "secret"}]), "recipe dapo"),
    (ReverifyAudit(subject=MATH, before=Subject(verifier="math", version="0")), "math@0"),
]


@pytest.mark.parametrize(("spec", "expected"), SPECS, ids=lambda value: getattr(value, "kind", ""))
def test_every_kind_says_what_it_was_asked(spec: AuditSpec, expected: str) -> None:
    made = audit(AuditReport(findings={}), "")
    found = Page(page(made.model_copy(update={"spec": spec}), AuditReport(findings={})))
    assert expected in found.text
    assert "secret" not in found.text


def test_what_is_uneven_is_drawn_as_far_as_it_goes() -> None:
    """A kind of audit may one day make a table with short rows, or a line with more x than y."""
    made = report()
    made.tables[0].rows = [["only one"], ["a", 1, 2, 3, 4, 5]]
    made.figures[1].lines[0].y = [0.1]
    made.figures[0].lines[0].y = [1.0] * 9
    shown(made)


@pytest.mark.parametrize("size", [1, 100_000])
def test_large_findings_are_cut(size: int) -> None:
    _, found = shown(AuditReport(findings={"list": [1.5] * size}))
    assert ("the rest is in the JSON report" in found.text) == (size > 1)


def test_every_word_that_is_used_is_explained_and_no_other() -> None:
    made = report()
    made.tables.append(Table(title="Metrics", columns=["metric", "value", "low", "high"], rows=[["mcc", 0.1, 0, 1]]))
    made.notes.append("J = 0.700 [0.1, 0.9]: label more")
    explained = dict(words(made))
    assert {METHODS[each.method] for each in made.false_positives} <= explained.keys()
    assert {"mcc", "J", "interval; low, high"} <= explained.keys()
    assert not {"kappa", "mean reward", "shared errors"} & explained.keys()
    assert "Matthews&#39; correlation" in shown(made)[0]
    assert dict(words(AuditReport(findings={}))) == {}


def test_a_headline_names_its_method_and_says_where_its_items_are_few() -> None:
    text, _ = shown(
        AuditReport(
            findings={},
            false_positives=[
                estimate("clopper_pearson", 1, 5, (0.01, 0.72)),
                estimate("horvitz_thompson", 1.1, 9.1, (0.02, 0.5), "5 labelled, worth 5; too few: 5 clusters"),
            ],
        )
    )
    assert "accepted; weighted (Horvitz-Thompson)</p>" in text
    assert '<p class="few">too few: 5 clusters</p>' in text
    assert "95% interval: 2% to 50%" in text
