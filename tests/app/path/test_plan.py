"""What a request needs to have judged: verifiers that are made once, and what is refused before anything is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import ClassVar, cast

import pytest
from pydantic import JsonValue

from app.audits.rates import AuditedRates
from app.audits.repository import AuditsRepository
from app.kit.tokens import derive_ids
from app.path.plan import NoRates, Planner, RecipePlan, expand_verifiers
from rewards.library import Library
from rewards.noise.rates import Rate, Rates
from tests.app.models.test_lane import Shelf
from trueward.authoring.verifier import SampleVerifier
from trueward.errors import (
    AnsweredError,
    InvalidParameters,
    InvalidRecipe,
    InvalidRequest,
    JudgeFailedAudit,
    UnknownRecipe,
    UnknownVerifier,
)
from trueward.wire.sample import Sample, Split
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Producer, Verdict
from trueward.wire.verifier import Lane
from verifiers import registry

BUILT_IN = Library()
RECORD = "01K" + 23 * "0"
JUDGED: dict[str, JsonValue] = {"verifier": "judge", "params": {"model": "rm"}}
COMPARED: dict[str, JsonValue] = {"verifier": "tournament", "params": {"compare": {"model": "rm"}}}
AUDITED: dict[str, JsonValue] = {"verifier": "math", "noise": {"audit": "a"}}


class Books:
    """Audits by id with what they measured, and by judge the last one that did not pass its gate."""

    def __init__(self, measured: Mapping[str, tuple[str, Rates]] | None = None, **failed: str) -> None:
        self._measured = measured or {}
        self._failed = failed

    def find(self, audit: str) -> tuple[str, Rates] | None:
        return self._measured.get(audit)

    def find_failed(self, producer: Producer) -> str | None:
        return self._failed.get(producer.name)


def rates(*by: str) -> Rates:
    return Rates(source="audit:a", pooled=Rate(false_positive=0.1, false_negative=0.2), by=by)


def planner(books: Books | None = None, *models: str) -> Planner:
    return Planner(BUILT_IN, books or NoRates(), Shelf(*models))


def of_terms(made: Planner, *terms: JsonValue, **rest: JsonValue) -> RecipePlan:
    return made.plan({"terms": list(terms), **rest})


def said(refusal: AnsweredError) -> list[tuple[str, str]]:
    return [(problem.field, problem.code) for problem in refusal.errors]


# verifiers


def test_a_verifier_is_made_once_for_its_parameters_in_any_order() -> None:
    made = planner()
    first = made.verifier("length", {"unit": "words", "scope": "answer"})
    assert made.verifier("length", {"scope": "answer", "unit": "words"}) is first
    others = [made.verifier("length", {"unit": "words"}), made.verifier("length", {}), made.verifier("exact", {})]
    assert len({id(one) for one in (first, *others)}) == 4
    assert [one.params.model_dump(mode="json")["scope"] for one in (first, others[0])] == ["answer", "response"]


@pytest.mark.parametrize(
    ("name", "params", "refusal"),
    [
        ("exat", {}, UnknownVerifier),
        ("length", {"unit": "miles"}, InvalidParameters),
        ("exact", {"x": 1}, InvalidRequest),
    ],
)
def test_what_cannot_be_made_is_refused_each_time(
    name: str, params: dict[str, JsonValue], refusal: type[InvalidRequest]
) -> None:
    made = planner()
    for _ in range(2):
        with pytest.raises(refusal):
            made.verifier(name, params)


@pytest.mark.parametrize(
    ("where", "why"), [("remote", "remote lane"), ("sandbox", "no SandboxVerifier"), ("model", "no ModelVerifier")]
)
def test_a_verifier_that_no_lane_could_run_is_refused_each_time(
    monkeypatch: pytest.MonkeyPatch, where: Lane, why: str
) -> None:
    class Foreign(SampleVerifier):
        name: ClassVar[str] = "foreign"
        lane: ClassVar[Lane] = where

    monkeypatch.setattr("app.path.plan.registry", SimpleNamespace(create=lambda name, params: Foreign()))
    made = planner()
    for _ in range(2):
        with pytest.raises(InvalidRequest, match=f"'foreign'.*{why}"):
            made.verifier("foreign", {})


def test_a_model_that_is_unknown_is_refused_at_its_place() -> None:
    made = planner(None, "rm")
    with pytest.raises(InvalidParameters, match=r"'reward_model' are not valid.*'second'") as refused:
        made.verifier("reward_model", {"model": "rm", "ensemble": ["second", "third"]})
    assert said(refused.value) == [("params.ensemble.0", "unknown_model"), ("params.ensemble.1", "unknown_model")]


def test_models_come_and_go_while_the_verifier_stays() -> None:
    shelf = Shelf("rm")
    made = Planner(BUILT_IN, NoRates(), shelf)
    verifier = made.verifier("judge", {"model": "rm"})
    gone = shelf.models.pop("rm")
    with pytest.raises(InvalidParameters):
        made.verifier("judge", {"model": "rm"})
    shelf.models["rm"] = gone
    assert made.verifier("judge", {"model": "rm"}) is verifier


@pytest.mark.parametrize("asked", [JUDGED, COMPARED], ids=["judge", "tournament"])
def test_another_model_under_a_name_is_another_judge(asked: dict[str, JsonValue]) -> None:
    name, params = cast(str, asked["verifier"]), cast("dict[str, JsonValue]", asked["params"])
    shelf = Shelf("rm")
    made = Planner(BUILT_IN, NoRates(), shelf)
    before = made.verifier(name, params)
    shelf.models["rm"] = replace(
        shelf.models["rm"], entry=shelf.models["rm"].entry.model_copy(update={"path": "other"})
    )
    after = made.verifier(name, params)
    for one, other in zip(expand_verifiers([before]), expand_verifiers([after]), strict=True):
        assert one.producer.params == other.producer.params
        assert one.producer.version != other.producer.version
        assert one.producer.version.partition("+")[0] == other.producer.version.partition("+")[0]


def test_a_gate_holds_for_the_models_that_were_audited() -> None:
    audits = {"a1": ("judge", "2-x+aaa", False), "a2": ("judge", "2-x+bbb", True), "a3": ("rubric", "1-y", False)}

    class Reports:
        async def list_completed(self) -> set[str]:
            return set(audits)

        async def rates(self, audit: str) -> None:
            return None

        async def gate(self, audit: str) -> tuple[Producer, bool]:
            name, version, passed = audits[audit]
            return Producer(name=name, version=version, params="p"), passed

    rates = AuditedRates(cast(AuditsRepository, Reports()))
    asyncio.run(rates.refresh())

    def failed(name: str, version: str) -> str | None:
        return rates.find_failed(Producer(name=name, version=version, params="p"))

    assert failed("judge", "3-x+aaa") == "a1"
    assert failed("judge", "2-x+bbb") is None
    assert failed("judge", "2-x+ccc") is None, "it was never audited"
    assert failed("rubric", "2-y+ccc") == "a3", "that audit does not say whom it asked"


def test_whom_a_group_verifier_asks_must_have_its_model_too() -> None:
    params = cast("dict[str, JsonValue]", COMPARED["params"])
    with pytest.raises(InvalidParameters, match=r"'compare' are not valid.*'rm'"):
        planner().verifier("tournament", params)
    assert planner(None, "rm").verifier("tournament", params).name == "tournament"


def test_without_a_store_there_are_no_models() -> None:
    with pytest.raises(InvalidParameters, match="unknown here"):
        Planner(BUILT_IN, NoRates()).verifier("judge", {"model": "rm"})


# plans


def test_a_recipe_is_found_by_name_or_taken_as_it_is() -> None:
    made = planner()
    assert made.plan("math").recipe is BUILT_IN.find("math")
    assert of_terms(made, "exact").recipe.components == ("exact",)
    with pytest.raises(UnknownRecipe):
        made.plan("maths")
    with pytest.raises(InvalidRecipe):
        of_terms(made, "exact", range=[1, 0])


def test_a_plan_has_a_verifier_for_whatever_a_sample_may_need() -> None:
    made = planner()
    routes: JsonValue = [{"when": {"data_source": "gsm8k"}, "terms": ["numeric"]}]
    found = of_terms(
        made, {"verifier": "math", "fallback": ["exact"]}, {"verifier": "format", "shadow": 1}, routes=routes
    )
    assert {one.key: verifier.name for one, verifier in found.verifiers.items()} == {
        "numeric": "numeric",
        "math": "math",
        "math:1": "exact",
        "format": "format",
    }
    assert all(made.verifier(one.verifier, one.params) is verifier for one, verifier in found.verifiers.items())


def stamped(plan: RecipePlan, sample: Sample, said: Mapping[str, Verdict], record: str = RECORD) -> dict[str, Verdict]:
    return plan.stamp(plan.recipe.course_of(sample), sample, record, said)


def test_each_verdict_of_a_sample_has_its_verifier_and_a_record_that_follows_from_its_rewards() -> None:
    found = of_terms(planner(), "math", {"verifier": "exact", "name": "same", "params": {"extract": "whole"}})
    said = {"same": Verdict.correct("equal"), "math": Verdict.incorrect("unequal")}
    named = stamped(found, Sample(id="a", response="x"), said)
    assert list(named) == ["math", "same"]
    assert [one.producer for one in named.values()] == [one.producer for one in found.verifiers.values()]
    assert [one.record for one in named.values()] == derive_ids(RECORD, 2)
    again = stamped(found, Sample(id="a", response="x"), said, RECORD[:-1] + "1")
    assert len({one.record for one in (*named.values(), *again.values())}) == 4
    assert stamped(found, Sample(id="a", response="x"), {"same": said["same"]}) == {"same": named["same"]}


def test_a_sample_takes_the_verifiers_of_its_route_and_none_where_no_route_takes_it() -> None:
    routes: JsonValue = [{"when": {"data_source": "gsm8k"}, "terms": ["numeric"]}]
    found = of_terms(planner(), routes=routes)
    said = {"numeric": Verdict.correct("equal")}
    assert list(stamped(found, Sample(response="x", data_source="gsm8k"), said)) == ["numeric"]
    assert stamped(found, Sample(response="x", data_source="aime"), said) == {}


@pytest.mark.parametrize(
    ("term", "names", "asks"),
    [
        ("math", ["math"], False),
        (JUDGED, ["judge"], True),
        ({"verifier": "majority", "params": {"inner": "exact"}}, ["majority", "exact"], False),
        (COMPARED, ["tournament", "compare"], True),
    ],
)
def test_everyone_counts_those_that_are_asked_by_others(term: JsonValue, names: list[str], asks: bool) -> None:
    found = of_terms(planner(None, "rm"), term, unsupervised=True, invalid=0.0)
    assert [one.name for one in found.all_verifiers] == names
    assert found.asks_models is asks


def test_those_that_are_asked_come_after_whoever_asks_them() -> None:
    group, alone = registry.create("majority", {"inner": "exact"}), registry.create("math", {})
    assert [one.name for one in expand_verifiers([alone, group, alone])] == ["math", "majority", "exact", "math"]


def test_what_cannot_be_judged_is_refused_with_every_place() -> None:
    terms: list[JsonValue] = [
        "math",
        {"verifier": "exat"},
        {"verifier": "exact", "params": {"extract": "luck"}},
        JUDGED,
    ]
    with pytest.raises(InvalidRecipe, match="recipe 'mine': there is no verifier 'exat'") as refused:
        of_terms(planner(), *terms, name="mine")
    assert said(refused.value) == [
        ("recipe.terms.1.verifier", "unknown_verifier"),
        ("recipe.terms.2.params.extract", "enum"),
        ("recipe.terms.3.params.model", "unknown_model"),
    ]


# rates of audits


def test_a_plan_has_the_rates_of_each_audit_that_its_recipe_names() -> None:
    books = Books({"a": ("math", rates("length")), "b": ("exact", rates())})
    made = planner(books)
    assert of_terms(made, AUDITED).rates == {"a": rates("length")}
    assert of_terms(made, {"verifier": "math", "noise": {"audit": "a", "by": ["length"]}}).rates.keys() == {"a"}
    assert of_terms(made, AUDITED, {"verifier": "exact", "noise": {"audit": "b"}}).rates.keys() == {"a", "b"}
    assert of_terms(made, "math").rates == {}


@pytest.mark.parametrize(
    ("measured", "noise", "code"),
    [
        ({}, {}, "unknown_audit"),
        ({"a": ("exact", rates())}, {}, "audit_of_another"),
        ({"a": ("math", rates("form"))}, {"by": ["length"]}, "audit_keyed_apart"),
        ({"a": ("math", rates())}, {"by": ["length"]}, "audit_keyed_apart"),
    ],
)
def test_an_audit_that_says_nothing_of_a_term_is_refused_at_its_place(
    measured: dict[str, tuple[str, Rates]], noise: dict[str, JsonValue], code: str
) -> None:
    term: JsonValue = {"verifier": "math", "noise": {"audit": "a", **noise}}
    with pytest.raises(InvalidRecipe) as refused:
        of_terms(planner(Books(measured)), "exact", term)
    assert said(refused.value) == [("recipe.terms.1.noise.audit", code)]


def test_every_audit_that_does_not_fit_is_told() -> None:
    terms: list[JsonValue] = [{"verifier": name, "noise": {"audit": "a"}} for name in ("math", "exact", "numeric")]
    with pytest.raises(InvalidRecipe) as refused:
        of_terms(planner(Books({"a": ("exact", rates())})), *terms)
    assert [place for place, _ in said(refused.value)] == ["recipe.terms.0.noise.audit", "recipe.terms.2.noise.audit"]


def test_without_a_store_there_are_no_audits() -> None:
    with pytest.raises(InvalidRecipe, match="no completed audit 'a'"):
        of_terms(planner(), AUDITED)


# judges that failed their audit


def refused_for(term: dict[str, JsonValue], books: Books) -> list[tuple[str, str]]:
    made = planner(books, "rm")
    try:
        made.refuse_failed(of_terms(made, "math", term, unsupervised=True, invalid=0.0))
    except JudgeFailedAudit as refusal:
        return said(refusal)
    return []


def test_a_judge_that_failed_its_audit_is_refused_at_its_place() -> None:
    assert refused_for(JUDGED, Books(judge="f")) == [("recipe.terms.1", "judge_failed_audit")]
    assert refused_for(JUDGED, Books(compare="f")) == []
    made = planner(Books(judge="f"), "rm")
    with pytest.raises(JudgeFailedAudit, match=r"recipe 'mine' is not for training: audit f of 'judge'"):
        made.refuse_failed(of_terms(made, JUDGED, name="mine"))


def test_whoever_takes_the_word_of_a_judge_that_failed_is_refused_too() -> None:
    assert refused_for(COMPARED, Books(compare="f")) == [("recipe.terms.1", "judge_failed_audit")]
    assert refused_for(COMPARED, Books(judge="f")) == []


def test_an_audit_of_what_asks_no_model_refuses_nothing() -> None:
    assert refused_for(JUDGED, Books(math="f")) == []
    assert refused_for(COMPARED, Books(tournament="f")) == []


def test_a_judge_that_is_not_paid_or_is_paid_in_spite_of_its_audit_is_not_refused() -> None:
    books = Books(judge="f")
    assert refused_for({**JUDGED, "shadow": 1}, books) == []
    assert refused_for({**JUDGED, "despite_audit": "f"}, books) == []
    assert refused_for({**JUDGED, "despite_audit": "an older one"}, books) != []


def test_a_judge_that_others_fall_back_to_is_refused_at_its_place() -> None:
    term: dict[str, JsonValue] = {"verifier": "exact", "fallback": [JUDGED]}
    assert refused_for(term, Books(judge="f")) == [("recipe.terms.1.fallback.0", "judge_failed_audit")]


# what a request would be refused with


@pytest.mark.parametrize(("split", "refused"), [("train", True), ("eval", False)])
def test_a_judge_that_failed_is_refused_for_training_alone(split: Split, refused: bool) -> None:
    request = RewardsRequest(recipe={"terms": [JUDGED]}, split=split, samples=[])
    made = planner(Books(judge="f"), "rm")
    if refused:
        with pytest.raises(JudgeFailedAudit):
            made.check(request)
    else:
        made.check(request)


def test_a_request_is_refused_before_it_has_samples() -> None:
    made = planner()
    made.check(VerifyRequest(verifier="math", samples=[]))
    made.check(RewardsRequest(recipe="math", samples=[]))
    with pytest.raises(InvalidParameters):
        made.check(VerifyRequest(verifier="length", params={"unit": "miles"}, samples=[]))
    with pytest.raises(UnknownRecipe):
        made.check(RewardsRequest(recipe="maths", samples=[]))
