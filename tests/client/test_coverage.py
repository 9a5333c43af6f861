"""Every operation of the service is a method of both clients, which asks as the document says and reads its example."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest
from jsonschema import Draft202012Validator

from tests.app.scenario import MATH, PAIR, RECIPE, SAMPLE
from tests.each import check_each
from tests.judges.presets.folder import FILES
from tests.openapi import document, paths
from trueward import AsyncClient, Client
from trueward.wire.draw import BlindItem
from trueward.wire.label_plan import LabelQuestion

ELSEWHERE = {
    "watch_job": "server-sent events: Job.wait looks instead",
    "read_results": "Job.results, which takes a cut stream up again",
    "show_progress": "wait_for_audit",
    "live": "for who starts the process",
}
"""Operations without a method of their own name."""
UNKEYED = {"validate_recipe", "import_labels"}
"""What changes nothing, or nothing more, when it is asked again."""
FOREIGN_TAGS = {"trainers"}
FOREIGN = re.compile(
    r"/(run_code|test_program|test_program_stdio|classify|pooling|score|rerank|predict|generate|health|info)$"
    r"|/v1/(classify|score|rerank|embeddings)$|/v2/"
)
ITEM = BlindItem(
    draw="d",
    position=0,
    annotator="ann",
    prompt="",
    response="",
    reference=None,
    data_source=None,
    until=datetime(2026, 11, 27, tzinfo=UTC),
)
SECRET = "whsec_" + "c2Vj" * 8
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
FIELDS: dict[str, Any] = {"name": "prm", "kind": "reward", "path": "/srv/models/prm"}
Use = Callable[[Any], Any]
USES: dict[str, Use] = {
    "verify": lambda c: c.verify(PAIR, verifier="math"),
    "rewards": lambda c: c.reward(PAIR, recipe="math"),
    "select": lambda c: c.select([SAMPLE], method="majority", verifier="math"),
    "list_verifiers": lambda c: c.verifiers(),
    "show_verifier": lambda c: c.verifier("choice"),
    "list_languages": lambda c: c.languages(),
    "list_presets": lambda c: c.presets(),
    "show_preset": lambda c: c.preset("polite"),
    "add_preset": lambda c: c.add_preset("polite", FILES),
    "try_preset": lambda c: c.try_preset("polite", SAMPLE),
    "metrics": lambda c: c.metrics(),
    "ready": lambda c: c.health(),
    "list_recipes": lambda c: c.recipes(),
    "show_recipe": lambda c: c.recipe("mine"),
    "put_recipe": lambda c: c.put_recipe("mine", RECIPE),
    "validate_recipe": lambda c: c.validate_recipe(RECIPE),
    "correct_recipe": lambda c: c.correct_recipe("mine"),
    "delete_recipe": lambda c: c.delete_recipe("mine"),
    "list_versions": lambda c: c.recipe_versions("mine"),
    "compare_versions": lambda c: c.recipe_difference("mine"),
    "create_job": lambda c: c.submit([SAMPLE], verifier="math", webhook="http://x/hook", webhook_secret=SECRET),
    "show_job": lambda c: c.job("j").status(),
    "cancel_job": lambda c: c.job("j").cancel(),
    "list_jobs": lambda c: c.iter_jobs(since=MOMENT, until="2027-01-01"),
    "show_record": lambda c: c.record("r"),
    "explain_reward": lambda c: c.explain("r"),
    "list_verdicts": lambda c: c.iter_verdicts(run="r17", verifier="math", outcome="correct", order="oldest"),
    "list_rewards": lambda c: c.iter_rewards(run="r17", recipe="math", step=1),
    "list_runs": lambda c: c.iter_runs(since=MOMENT),
    "show_run": lambda c: c.run("r17"),
    "show_steps": lambda c: c.run_steps("r17"),
    "show_changes": lambda c: c.run_changes("r17", 1),
    "examine_run": lambda c: c.diagnose("r17"),
    "pin_run": lambda c: c.pin_run("r17", "to be reproduced", recipe=RECIPE, strict=True),
    "list_prompts": lambda c: c.iter_prompts("r17", "flat"),
    "correlate_criteria": lambda c: c.criteria_correlation("r17"),
    "replay_run": lambda c: c.replay("r17"),
    "show_probes": lambda c: c.probes(),
    "look_at_run": lambda c: c.look_at_run("r17", window=512),
    "show_status": lambda c: c.watch_status("r17"),
    "list_watches": lambda c: c.watches(),
    "show_watch": lambda c: c.watch("fresh"),
    "put_watch": lambda c: c.put_watch("fresh", {"run": "r17*"}),
    "delete_watch": lambda c: c.delete_watch("fresh"),
    "list_alarms": lambda c: c.iter_alarms(run="r17", state="open"),
    "show_alarm": lambda c: c.alarm("a"),
    "close_alarm": lambda c: c.close_alarm("a", "it was the data"),
    "list_deliveries": lambda c: c.iter_deliveries(subject="j", state="failed", since=MOMENT),
    "show_delivery": lambda c: c.delivery("d"),
    "list_freezes": lambda c: c.freezes(),
    "freeze_recipe": lambda c: c.freeze_recipe("sha256:0", "it rose"),
    "lift_freeze": lambda c: c.lift_freeze("sha256:0", "it was the data"),
    "list_suspects": lambda c: c.suspect_references("r17", verifier="math", second="numeric", agree=0.5),
    "list_references": lambda c: c.iter_references(prompt="p"),
    "show_reference": lambda c: c.reference("f"),
    "correct_reference": lambda c: c.correct_reference(
        {"record": "r", "reference": "5/6", "reason": "plain", "annotator": "ann"}
    ),
    "reverify_reference": lambda c: c.reverify_reference("f", MATH),
    "store_labels": lambda c: c.label([{"record": "r", "right": True}]),
    "list_labels": lambda c: c.iter_labels(annotator="ann", record="r"),
    "import_labels": lambda c: c.import_labels(b'{"record": "r", "right": true}\n'),
    "export_labels": lambda c: c.export_labels("csv", annotator="ann"),
    "make_case": lambda c: c.label_case("l", "math"),
    "make_draw": lambda c: c.draw({"subject": MATH}),
    "list_draws": lambda c: c.iter_draws(),
    "show_draw": lambda c: c.show_draw("d"),
    "pursue_aim": lambda c: c.pursue_aim({"subject": MATH, "width": 0.1}),
    "next_item": lambda c: c.next_item("d", "ann"),
    "release_item": lambda c: c.release_item(ITEM),
    "skip_item": lambda c: c.skip_item(ITEM),
    "submit_label": lambda c: c.submit_label(ITEM, True),
    "show_agreement": lambda c: c.label_agreement("d"),
    "start_audit": lambda c: c.start_audit(
        {"kind": "labelled", "subject": MATH}, webhook="http://x", webhook_secret=SECRET
    ),
    "list_audits": lambda c: c.iter_audits(kind="labelled", subject="math", since=MOMENT),
    "show_audit": lambda c: c.audit("a"),
    "cancel_audit": lambda c: c.cancel_audit("a"),
    "show_report": lambda c: c.audit_report("a", "json"),
    "check_audit": lambda c: c.check_audit("a", max_fpr=0.02),
    "plan_labels": lambda c: c.plan_labels(LabelQuestion(max_fpr=0.02)),
    "list_models": lambda c: c.models(),
    "show_model": lambda c: c.model("prm"),
    "add_model": lambda c: c.add_model(FIELDS),
    "delete_model": lambda c: c.delete_model("prm"),
    "load_model": lambda c: c.load_model("prm"),
    "push_weights": lambda c: c.push_weights("prm", "/srv/models/prm-next"),
    "ask_model": lambda c: c.ask_model("prm", {"kind": "classify", "text": "2 + 2 = 4"}),
    "list_keys": lambda c: c.keys(),
    "create_key": lambda c: c.create_key({"name": "trainer", "scopes": ["score"]}),
    "change_key": lambda c: c.change_key("k", {"samples_per_minute": 100.0}),
    "revoke_key": lambda c: c.revoke_key("k"),
    "rotate_key": lambda c: c.rotate_key("k", {"grace_s": 60.0}),
    "list_acts": lambda c: c.iter_acts(action="key.create", since=MOMENT),
    "list_projects": lambda c: c.projects(),
    "show_project": lambda c: c.project("research"),
    "create_project": lambda c: c.create_project({"name": "research"}),
    "change_project": lambda c: c.change_project("research", {"weight": 2.0}),
    "delete_project": lambda c: c.delete_project("research"),
    "count_deletion": lambda c: c.count_deletion({"run": "r17"}),
    "create_deletion": lambda c: c.create_deletion({"run": "r17"}),
    "list_deletions": lambda c: c.iter_deletions(since=MOMENT),
    "show_deletion": lambda c: c.deletion("d"),
}


@cache
def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        one["operationId"]: (method.upper(), path, one)
        for path, many in paths().items()
        for method, one in many.items()
    }


def ours() -> set[str]:
    return {
        name
        for name, (_, path, one) in operations().items()
        if not FOREIGN.search(path) and not FOREIGN_TAGS & set(one["tags"])
    }


def test_every_operation_of_ours_has_its_method() -> None:
    assert ours() - USES.keys() == ELSEWHERE.keys()
    assert USES.keys() - ours() == set()


def test_both_clients_have_the_same_methods_with_the_same_arguments() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {name: list(inspect.signature(one).parameters) for name, one in found if not name.startswith("_")}

    blocking, awaiting = methods(Client), methods(AsyncClient)
    assert awaiting.pop("aclose") == blocking.pop("close")
    assert blocking == awaiting


class Told:
    """A service that knows the document alone: it holds a request against it, and answers with the example."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        name, operation = self._operation(request)
        self.asked.append(name)
        self._check(request, operation)
        [status] = [int(one) for one in operation["responses"] if one in ("200", "201", "202")]
        content = operation["responses"][str(status)].get("content", {})
        shown = content.get("application/json", {})
        if "example" in shown:
            return httpx2.Response(status, json=shown["example"])
        return httpx2.Response(status, content=b"")

    async def later(self, request: httpx2.Request) -> httpx2.Response:
        return self(request)

    def _operation(self, request: httpx2.Request) -> tuple[str, dict[str, Any]]:
        path = unquote(request.url.raw_path.decode().partition("?")[0])
        fits = [
            (template.count("{"), name, one)
            for name, (method, template, one) in operations().items()
            if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
        ]
        assert fits, (request.method, path)
        _, name, operation = min(fits, key=lambda fit: fit[0])
        return name, operation

    def _check(self, request: httpx2.Request, operation: dict[str, Any]) -> None:
        known = {one["name"]: one["schema"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        assert request.url.params.keys() <= known.keys(), (request.url, known.keys())
        content = operation.get("requestBody", {}).get("content", {})
        kind = request.headers.get("content-type", "")
        if kind == "application/json" and content:
            validator = Draft202012Validator({**content[kind]["schema"], "components": document()["components"]})
            assert [error.message for error in validator.iter_errors(json.loads(request.content))] == []
        elif request.content:
            assert kind in content
        if request.method == "POST" and request.content and operation["operationId"] not in UNKEYED:
            assert request.headers.get("idempotency-key")


NOT_ANSWERED = {"replay_run", "correct_recipe", "show_alarm", "close_alarm", "ready", "import_labels"}
"""The document has no answer of theirs; other tests call them."""


@pytest.mark.parametrize("kind", ["blocking", "awaiting"])
def test_each_method_asks_as_the_document_says_and_reads_its_example(kind: str) -> None:
    def asked(name: str) -> None:
        told = Told()
        (_blocking if kind == "blocking" else _awaiting)(told, USES[name])
        assert told.asked
        assert set(told.asked) <= {name, "show_job"}

    check_each(((name, name) for name in sorted(USES.keys() - NOT_ANSWERED)), asked)


def _blocking(told: Told, use: Use) -> None:
    with httpx2.Client(transport=httpx2.MockTransport(told)) as http, Client("http://x", http_client=http) as client:
        found = use(client)
        if isinstance(found, Iterator):
            next(found, None)


def _awaiting(told: Told, use: Use) -> None:
    async def ask() -> None:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(told.later)) as http:
            found = use(AsyncClient("http://x", http_client=http))
            if inspect.isasyncgen(found):
                await anext(found, None)
            else:
                await found

    asyncio.run(ask())


def test_a_list_is_read_to_its_end() -> None:
    """A page is asked for when its first entry is."""
    pages = {None: (["a", "b"], "b"), "b": ([], "c"), "c": (["d"], None)}
    asked: list[str | None] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.params.get("after"))
        found, following = pages[asked[-1]]
        jobs = [{"id": name, "state": "completed"} for name in found]
        return httpx2.Response(200, json={"jobs": jobs, "next": following})

    with httpx2.Client(transport=httpx2.MockTransport(answer)) as http, Client("http://x", http_client=http) as client:
        jobs = client.iter_jobs()
        assert next(jobs).id == "a"
        assert asked == [None]
        assert [job.id for job in jobs] == ["b", "d"]
    assert asked == [None, "b", "c"]
