"""The client that awaits (asyncio). Its twin in ``blocking`` does the same and blocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from pydantic import JsonValue

from trueward.client import audit_calls, calls, label_calls, model_calls
from trueward.client.administration_async import AsyncAdministration
from trueward.client.audit_calls import ReportForm, Spec
from trueward.client.chunk import SampleLike
from trueward.client.job import AsyncJob, next_look
from trueward.client.oversight_async import AsyncOversight
from trueward.client.plan import (
    Context,
    JobContext,
    Progress,
    Recipe,
    reward_plan,
    select_call,
    submit_call,
    verify_plan,
)
from trueward.client.state import Readiness, RecipeInfo
from trueward.wire.audit import Audit, AuditPage, GateBound, GateReport
from trueward.wire.diagnosis import RunDiagnosis
from trueward.wire.draw import BlindItem, Draw, DrawRequest, LabelAgreement, Revealed
from trueward.wire.label import LabelRequest, LabelsStored
from trueward.wire.label_plan import LabelPlan, LabelQuestion
from trueward.wire.model import ModelAnswer, ModelView, Weights
from trueward.wire.recipe import CorrectedRecipe, RecipeDifference, RecipeValidation, RecipeVersion, StoredRecipe
from trueward.wire.record import Explanation, RewardPage
from trueward.wire.replay import ReplayReport
from trueward.wire.run import Run
from trueward.wire.scoring import RewardsResponse
from trueward.wire.selection import Selection, SelectionMethod
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import VerifierInfo


class AsyncClient(AsyncOversight, AsyncAdministration):
    """:class:`~trueward.client.blocking.Client` for asyncio: same arguments, same promises."""

    async def verify(
        self,
        samples: Iterable[SampleLike],
        *,
        verifier: str,
        params: Mapping[str, JsonValue] | None = None,
        deadline_s: float | None = None,
        progress: Progress | None = None,
        **context: Unpack[Context],
    ) -> list[Verdict]:
        """One verdict a sample, in order; see :meth:`Client.verify`."""
        plan = verify_plan(samples, verifier, params, context, self._limits)
        return await self.carry_out(plan, deadline_s, progress)

    async def reward(
        self,
        samples: Iterable[SampleLike],
        *,
        recipe: Recipe,
        deadline_s: float | None = None,
        progress: Progress | None = None,
        **context: Unpack[Context],
    ) -> RewardsResponse:
        """Rewards in order, groups, and the recipe's hash; see :meth:`Client.reward`."""
        plan = reward_plan(samples, recipe, context, self._limits)
        return await self.carry_out(plan, deadline_s, progress)

    async def submit(
        self,
        samples: Iterable[SampleLike],
        *,
        verifier: str | None = None,
        recipe: Recipe | None = None,
        params: Mapping[str, JsonValue] | None = None,
        **context: Unpack[JobContext],
    ) -> AsyncJob:
        """Hands the samples over as a job; ``verifier`` or ``recipe``, not both."""
        state = await self.call(submit_call(samples, verifier, recipe, params, context))
        return AsyncJob(self, state.id)

    def job(self, job_id: str) -> AsyncJob:
        """A job that was submitted earlier; nothing is asked of the service yet."""
        return AsyncJob(self, job_id)

    async def verifiers(self) -> list[VerifierInfo]:
        """The service's catalogue: what each verifier needs, its parameters, examples."""
        return (await self.call(calls.catalogue())).verifiers

    async def runs(self, *, after: str | None = None, limit: int = 100) -> list[Run]:
        """Runs by id, at most ``limit`` (1 to 1000), from after the run ``after``."""
        return await self.call(calls.runs(after, limit))

    async def run(self, run_id: str) -> Run:
        return await self.call(calls.run(run_id))

    async def run_rewards(self, run_id: str, *, after: str | None = None, limit: int = 100) -> RewardPage:
        """A run's recorded rewards, newest first; ``after`` is the ``next`` of the page before."""
        return await self.call(calls.run_rewards(run_id, after, limit))

    async def diagnose(self, run_id: str) -> RunDiagnosis:
        """What is wrong with a run's set-up, by its newest records, the most costly first, and what to change."""
        return await self.call(calls.diagnosis(run_id))

    async def recipes(self) -> list[RecipeInfo]:
        """The recipes at hand, each with its content hash."""
        return await self.call(calls.recipes())

    async def recipe(self, reference: str) -> RecipeInfo:
        """One recipe, by ``name`` or ``name@hash``."""
        return await self.call(calls.recipe(reference))

    async def put_recipe(self, name: str, recipe: Recipe, *, estimator: str = "standardised") -> StoredRecipe:
        """Stores a recipe, a mapping or YAML, under a name; what the name stood for stays as ``name@hash``.

        ``estimator`` is what the trainer makes of a group's rewards: by it the warnings say what has no effect.
        """
        return await self.call(calls.put_recipe(name, recipe, estimator))

    async def correct_recipe(
        self, reference: str, *, audit: str = "latest", name: str | None = None, estimator: str = "standardised"
    ) -> CorrectedRecipe:
        """Stores a recipe anew, corrected with what an audit measured; see :meth:`Client.correct_recipe`."""
        return await self.call(calls.correct_recipe(reference, audit, name, estimator))

    async def delete_recipe(self, name: str) -> RecipeVersion:
        """Nobody can score with it any more; what was recorded stays."""
        return await self.call(calls.delete_recipe(name))

    async def validate_recipe(self, recipe: Recipe, *, estimator: str = "standardised") -> RecipeValidation:
        """What is wrong with a recipe, a mapping or YAML, by field and line; nothing is stored."""
        return await self.call(calls.validate_recipe(recipe, estimator))

    async def recipe_versions(self, name: str) -> list[RecipeVersion]:
        """What the name stood for, newest first, deletions included."""
        return await self.call(calls.recipe_versions(name))

    async def recipe_difference(
        self, name: str, before: str | None = None, after: str | None = None
    ) -> RecipeDifference:
        """What differs between two contents, named by hash; by default the present one against the one before."""
        return await self.call(calls.recipe_difference(name, before, after))

    async def explain(self, record: str) -> Explanation:
        """A recorded reward's arithmetic, line by line."""
        return await self.call(calls.explanation(record))

    async def replay(self, run_id: str) -> ReplayReport:
        """Has every reward of a run computed again from the ledger, and says which came out another way."""
        return await self.call(calls.replay(run_id))

    async def select(
        self,
        candidates: Iterable[SampleLike],
        *,
        method: SelectionMethod,
        scores: Sequence[float | None] | None = None,
        recipe: Recipe | None = None,
        verifier: str | None = None,
        params: Mapping[str, JsonValue] | None = None,
        answers: Sequence[JsonValue] | None = None,
        deadline_s: float | None = None,
        **context: Unpack[Context],
    ) -> Selection:
        """One of several candidates for a prompt: ``best_of``, ``majority`` or ``weighted_vote``.

        Scores are given, or made by ``recipe`` (for ``best_of`` also by ``verifier``); ``verifier`` says which answers
        are equivalent.
        """
        given = {"method": method, "scores": scores, "recipe": recipe, "verifier": verifier}
        call = select_call(candidates, {**given, "params": params, "answers": answers}, context)
        return await self.call(call, deadline_s)

    async def start_audit(
        self, spec: Spec, *, name: str = "", webhook: str | None = None, webhook_secret: str | None = None
    ) -> Audit:
        """Has the service audit what ``spec`` says, a specification or its mapping; it goes on by itself.

        ``webhook`` is the URL that is told when it has ended, ``webhook_secret`` what that is signed with.
        """
        return await self.call(audit_calls.start(spec, name, webhook, webhook_secret))

    async def audit(self, audit_id: str) -> Audit:
        """How far an audit is, why it failed, or its report."""
        return await self.call(audit_calls.show(audit_id))

    async def cancel_audit(self, audit_id: str) -> Audit:
        """Ends an audit, as failed; one that has ended is answered as it is."""
        return await self.call(audit_calls.cancel(audit_id))

    async def audits(
        self, *, kind: str | None = None, subject: str | None = None, after: str | None = None, limit: int = 100
    ) -> AuditPage:
        """Audits, newest first, at most ``limit`` (1 to 1000); ``next`` of the page is ``after`` of the following."""
        return await self.call(audit_calls.listing(kind, subject, after, limit))

    async def wait_for_audit(
        self, audit_id: str, timeout_s: float | None = None, progress: Progress | None = None
    ) -> Audit:
        """Looks until the audit is completed or failed. Raises :class:`DeadlineExceeded`; the audit goes on."""
        started = time.monotonic()
        for wait_s in calls.polls():
            found = await self.call(audit_calls.progress(audit_id))
            if progress is not None:
                progress(found.done, found.total)
            if found.ended:
                return await self.audit(audit_id)
            await asyncio.sleep(next_look(f"audit {audit_id}", started, wait_s, timeout_s))
        raise AssertionError("polls never end")

    async def audit_report(self, audit_id: str, form: ReportForm = "html") -> str:
        """The report as one HTML file that needs nothing else, or as the audit's JSON."""
        return await self.call(audit_calls.report(audit_id, form))

    async def check_audit(
        self,
        audit_id: str,
        *,
        max_fpr: float | None = None,
        max_fnr: float | None = None,
        bound: GateBound = "upper",
    ) -> GateReport:
        """Whether the error rates are under these limits, by the upper ends of their intervals or by the rates."""
        return await self.call(audit_calls.check(audit_id, max_fpr, max_fnr, bound))

    async def plan_labels(self, question: LabelQuestion) -> LabelPlan:
        """How many labels it takes until a gate is passed, or an interval is as narrow as wanted."""
        return await self.call(audit_calls.plan(question))

    async def label(self, labels: Iterable[LabelRequest | label_calls.Fields]) -> LabelsStored:
        """Stores labels of records or samples, all of them or, where one is wrong, none."""
        return await self.call(label_calls.store(labels))

    async def draw(self, spec: DrawRequest | label_calls.Fields) -> Draw:
        """Draws responses for labelling, each with a known probability."""
        return await self.call(label_calls.draw(spec))

    async def next_item(self, draw_id: str, annotator: str) -> BlindItem | None:
        """The next response that the annotator may label, held for them; None where there is none at the moment."""
        return await self.call(label_calls.next_item(draw_id, annotator))

    async def submit_label(
        self,
        item: BlindItem,
        right: bool | None,
        *,
        score: float | None = None,
        note: str = "",
        reference: JsonValue = None,
    ) -> Revealed:
        """Says whether the response is right (None: that cannot be told), and learns what was said of it."""
        said = {"annotator": item.annotator, "right": right, "score": score, "note": note, "reference": reference}
        return await self.call(label_calls.submit(item.draw, item.position, said))

    async def label_agreement(self, draw_id: str) -> LabelAgreement:
        """How far the annotators of a draw agree."""
        return await self.call(label_calls.agreement(draw_id))

    async def models(self) -> list[ModelView]:
        """The models of the service: what each is, how it is doing, which weights it has."""
        return await self.call(model_calls.listing())

    async def model(self, name: str) -> ModelView:
        return await self.call(model_calls.show(name))

    async def add_model(self, entry: model_calls.Entry) -> ModelView:
        """Registers a model; the same entry again changes nothing."""
        return await self.call(model_calls.add(entry))

    async def delete_model(self, name: str) -> ModelView:
        return await self.call(model_calls.delete(name))

    async def load_model(self, name: str) -> ModelView:
        """Loads a model before it is first asked."""
        return await self.call(model_calls.load(name))

    async def push_weights(self, name: str, path: str, *, version: int | None = None, adapter: bool = False) -> Weights:
        """New weights from safetensors that the service can read; ``version`` rises (default: by one)."""
        return await self.call(model_calls.push(name, path, version, adapter=adapter))

    async def upload_weights(self, name: str, file: str | Path, *, version: int | None = None) -> Weights:
        """New weights from a safetensors file of this machine."""
        return await self.call(model_calls.upload(name, file, version))

    async def ask_model(
        self, name: str, question: model_calls.Question, *, min_weights: int = 0, deadline_s: float | None = None
    ) -> ModelAnswer:
        """Asks one question; by weights of at least that version."""
        return await self.call(model_calls.ask(name, question, min_weights, deadline_s), deadline_s)

    async def health(self) -> Readiness:
        """Whether scoring works, part by part; asked once, without retries."""
        return await self._send(calls.health(), self.deadline(), attempts=1)
