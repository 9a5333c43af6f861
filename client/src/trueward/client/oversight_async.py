"""What a client does about what is on record: the ledger, runs, watches, references, labels, what the service offers.

Its twin in ``oversight`` blocks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Unpack

from pydantic import JsonValue

from trueward.client import calls, label_calls, ledger_calls, preset_calls, watch_calls
from trueward.client.paging import Period
from trueward.client.plan import Recipe
from trueward.client.sending_async import AsyncSender
from trueward.client.state import JobState, LanguageList
from trueward.rubrics.correlation import CriteriaReport
from trueward.wire.aim import AimState, LabelAim
from trueward.wire.audit import AuditSummary
from trueward.wire.change import RunChanges
from trueward.wire.draw import BlindItem, Draw, DrawSummary, ItemView
from trueward.wire.label import ContractCase, Label, LabelFormat, LabelsStored
from trueward.wire.preset import PresetInfo, PresetTried, PresetView
from trueward.wire.probe import ProbeReport
from trueward.wire.prompt import PromptList, PromptView
from trueward.wire.record import RewardDetail, RewardRecord, VerdictDetail, VerdictRecord
from trueward.wire.reference import Reference, ReferenceRequest, Reverified, SuspectReport
from trueward.wire.run import Run
from trueward.wire.step import StepPage
from trueward.wire.verifier import VerifierInfo
from trueward.wire.watch import Alarm, Freeze, Watch, WatchReport, WatchRequest, WatchStatus
from trueward.wire.webhook import Delivery


class AsyncOversight(AsyncSender):
    """:class:`~trueward.client.oversight.Oversight` for asyncio."""

    async def verifier(self, name: str) -> VerifierInfo:
        """One verifier: what it needs, its parameters, examples."""
        return await self.call(ledger_calls.verifier(name))

    async def languages(self) -> LanguageList:
        """The languages of programs, and whether the service can run them."""
        return await self.call(ledger_calls.languages())

    async def presets(self) -> list[PresetInfo]:
        """What judges ask: every preset with its mechanism, version and hash."""
        return await self.call(preset_calls.listing())

    async def preset(self, name: str) -> PresetView:
        """A preset with its files."""
        return await self.call(preset_calls.show(name))

    async def add_preset(self, name: str, files: Mapping[str, str]) -> PresetView:
        """Stores a preset: the text of each file by its name."""
        return await self.call(preset_calls.add(name, files))

    async def try_preset(
        self, name: str, sample: Mapping[str, JsonValue], params: Mapping[str, JsonValue] | None = None
    ) -> PresetTried:
        """One sample judged by a preset, with all that was asked and replied; nothing is recorded."""
        return await self.call(preset_calls.attempt(name, sample, params or {}))

    async def metrics(self) -> str:
        """The service's metrics, as Prometheus reads them."""
        return await self.call(ledger_calls.metrics())

    async def record(self, record: str) -> VerdictDetail | RewardDetail:
        """A recorded verdict or reward, with its sample and what made it."""
        return await self.call(ledger_calls.record(record))

    def iter_verdicts(self, **filters: Unpack[ledger_calls.VerdictFilters]) -> AsyncIterator[VerdictRecord]:
        """Recorded verdicts, newest first."""
        return self.entries(ledger_calls.verdicts(filters))

    def iter_rewards(self, **filters: Unpack[ledger_calls.RewardFilters]) -> AsyncIterator[RewardRecord]:
        """Recorded rewards, newest first."""
        return self.entries(ledger_calls.rewards(filters))

    def iter_runs(self, **period: Unpack[Period]) -> AsyncIterator[Run]:
        """Runs by id."""
        return self.entries(ledger_calls.runs(period))

    def iter_jobs(self, **period: Unpack[Period]) -> AsyncIterator[JobState]:
        """Jobs, newest first."""
        return self.entries(ledger_calls.jobs(period))

    def iter_audits(self, **filters: Unpack[ledger_calls.AuditFilters]) -> AsyncIterator[AuditSummary]:
        """Audits, newest first."""
        return self.entries(ledger_calls.audits(filters))

    def iter_prompts(self, run_id: str, which: PromptList = "difficulty") -> AsyncIterator[PromptView]:
        """How a run does on its prompts: all of them, or those that deserve a look."""
        return self.entries(ledger_calls.prompts(run_id, which))

    async def run_steps(self, run_id: str, *, after: int | None = None, limit: int = 50) -> StepPage:
        """A run's numbers step by step; ``after`` is the ``next`` of the page before."""
        return await self.call(calls.steps(run_id, after, limit))

    async def run_changes(self, run_id: str, since: int) -> RunChanges:
        """What became more frequent in a run's responses from a step on."""
        return await self.call(ledger_calls.changes(run_id, since))

    async def pin_run(
        self, run_id: str, reason: str, *, recipe: Recipe | None = None, strict: bool | None = None
    ) -> Run:
        """Moves a run to another recipe, or makes it strict; the reason is on record."""
        return await self.call(ledger_calls.pin(run_id, recipe, strict, reason))

    async def criteria_correlation(
        self, run_id: str | None = None, *, verifier: str = "rubric", rubric: str | None = None
    ) -> CriteriaReport:
        """Which criteria of a rubric go together in the verdicts, and which are always or never met."""
        return await self.call(ledger_calls.correlation(run_id, verifier, rubric))

    async def probes(self) -> ProbeReport:
        """How judges do on the probes that accompany live traffic."""
        return await self.call(ledger_calls.probes())

    async def look_at_run(self, run_id: str, **window: Unpack[watch_calls.Window]) -> WatchReport:
        """The run's windows, and what the signals find in them now."""
        return await self.call(watch_calls.look(run_id, window))

    async def watch_status(self, run_id: str) -> WatchStatus:
        """What watches the run by itself, its open alarms, and how soon which fault would be found."""
        return await self.call(watch_calls.status(run_id))

    async def watches(self) -> list[Watch]:
        """All watches, with when each looked last."""
        return await self.call(watch_calls.listing())

    async def watch(self, name: str) -> Watch:
        """One watch."""
        return await self.call(watch_calls.show(name))

    async def put_watch(self, name: str, watch: WatchRequest | watch_calls.Fields) -> Watch:
        """Stores a watch on a run, or on all runs that begin so."""
        return await self.call(watch_calls.put(name, watch))

    async def delete_watch(self, name: str) -> Watch:
        """Ends a watch; its alarms stay."""
        return await self.call(watch_calls.delete(name))

    def iter_alarms(self, **filters: Unpack[watch_calls.AlarmFilters]) -> AsyncIterator[Alarm]:
        """Alarms, newest first."""
        return self.entries(watch_calls.alarms(filters))

    async def alarm(self, alarm_id: str) -> Alarm:
        """What was found, since when, and what became of it."""
        return await self.call(watch_calls.alarm(alarm_id))

    async def close_alarm(self, alarm_id: str, reason: str) -> Alarm:
        """Closes an alarm; only what is recorded later raises it again."""
        return await self.call(watch_calls.close(alarm_id, reason))

    def iter_deliveries(self, **filters: Unpack[ledger_calls.DeliveryFilters]) -> AsyncIterator[Delivery]:
        """What was, is and will be posted to webhooks, newest first."""
        return self.entries(ledger_calls.deliveries(filters))

    async def delivery(self, delivery_id: str) -> Delivery:
        """One delivery: how often it was tried, how the latest try went, and when the next one is."""
        return await self.call(ledger_calls.delivery(delivery_id))

    async def freezes(self) -> list[Freeze]:
        """Recipes that are frozen, and those that were, newest first."""
        return await self.call(watch_calls.freezes())

    async def freeze_recipe(self, recipe: str, reason: str) -> Freeze:
        """Refuses the rewards of a recipe, which its content hash names."""
        return await self.call(watch_calls.freeze(recipe, reason))

    async def lift_freeze(self, recipe: str, reason: str) -> Freeze:
        """Gives rewards of the recipe again."""
        return await self.call(watch_calls.lift(recipe, reason))

    async def suspect_references(
        self, run_id: str, *, verifier: str, second: str, agree: float | None = None
    ) -> SuspectReport:
        """Prompts whose reference rejects an answer that the responses agree on and a second verifier accepts."""
        return await self.call(watch_calls.suspects(run_id, verifier, second, agree))

    def iter_references(self, **filters: Unpack[watch_calls.ReferenceFilters]) -> AsyncIterator[Reference]:
        """Corrected references, newest first."""
        return self.entries(watch_calls.references(filters))

    async def reference(self, reference_id: str) -> Reference:
        """One corrected reference."""
        return await self.call(watch_calls.reference(reference_id))

    async def correct_reference(self, request: ReferenceRequest | watch_calls.Fields) -> Reference:
        """Stores a corrected reference as the next version of its prompt's."""
        return await self.call(watch_calls.correct(request))

    async def reverify_reference(self, reference_id: str, subject: watch_calls.Fields | None = None) -> Reverified:
        """Judges the stored samples of the prompt under its corrected reference: how many verdicts flip."""
        return await self.call(watch_calls.reverify(reference_id, subject))

    def iter_labels(self, **filters: Unpack[label_calls.LabelFilters]) -> AsyncIterator[Label]:
        """Labels, newest first."""
        return self.entries(label_calls.labels(filters))

    async def import_labels(self, file: bytes, form: LabelFormat = "jsonl") -> LabelsStored:
        """Stores the labels of a file's content, all of them or, where one is wrong, none."""
        return await self.call(label_calls.store_file(file, form))

    async def export_labels(self, form: LabelFormat = "jsonl", **filters: Unpack[label_calls.ExportFilters]) -> str:
        """Labels as a file that imports again to the same labels."""
        return await self.call(label_calls.export(form, filters))

    async def label_case(self, label_id: str, verifier: str | None = None) -> ContractCase:
        """A label as a contract case of a verifier."""
        return await self.call(label_calls.case(label_id, verifier))

    def iter_draws(self, **period: Unpack[Period]) -> AsyncIterator[DrawSummary]:
        """Draws, newest first."""
        return self.entries(label_calls.draws(period))

    async def show_draw(self, draw_id: str) -> Draw:
        """What was asked for, and how far it is labelled."""
        return await self.call(label_calls.show_draw(draw_id))

    async def pursue_aim(self, aim: LabelAim | label_calls.Fields) -> AimState:
        """Draws what to label next until an error rate is known so well; asked again, it goes on."""
        return await self.call(label_calls.pursue(aim))

    async def release_item(self, item: BlindItem) -> ItemView:
        """Gives an item of a draw back."""
        return await self.call(label_calls.release(item))

    async def skip_item(self, item: BlindItem) -> ItemView:
        """Takes an item out of the queue of a draw."""
        return await self.call(label_calls.skip(item))
