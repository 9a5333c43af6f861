"""The model lane: verifiers that ask models, and whoever asks a model himself.

``judge`` never raises and ends by its deadline. Equal questions to the same weights share one answer: those asked
before come from a cache, those on their way are joined; a prompt's baseline is asked once, not once a member. Those of
a server that says by now that it is another model are not given again. Before a model answers it has the weights that
it is registered with, whatever its engine forgot.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

import structlog
from pydantic import JsonValue

from app.admission.demand import NONE, Demand
from app.kit.cache import Cache
from app.lanes.engines import Engines
from app.lanes.flights import Flights
from app.lanes.model_source import ModelSource, RegisteredModel
from app.lanes.programs import Programs
from app.lanes.shutdown import end_now, report_shutdown
from app.lanes.speeds import Speeds, judging_s, model_verifiers
from app.lanes.usage import UsageTally
from app.lanes.weight_sync import WeightSync
from app.telemetry import gen_ai, tracing
from judges.asking import Usage
from judges.backend import Backend
from judges.base import (
    BudgetSpent,
    KeyRefused,
    Late,
    ModelFailure,
    Models,
    ModelUnavailable,
    ModelVerifier,
    NotFinite,
    SandboxUnavailable,
    UnknownModel,
    WeightsBehind,
)
from judges.failure_verdicts import judge_task
from judges.probing import epoch
from judges.questions import Answer, Generate, Question, characters
from sandbox.base import Execution, Program, SandboxFailure, Unsupported
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Task, Verifier, report_crash, report_exhausting_response
from trueward.wire.model import ModelEntry
from trueward.wire.verdict import Verdict

log = structlog.get_logger(__name__)

_AnswerKey = tuple[str, int, Question, int]
_TRIES = 2
_KEPT_CHARACTERS, _KEPT_NUMBERS = 50_000, 2_000
"""What is longer is not kept: the cache counts entries, and what comes again is a prompt's baseline, which is short."""


class ModelLane:
    """``failures`` counts, by model and code, what could not be answered since the start; ``tally`` what was.

    ``programs`` is the sandbox lane, for judges with tools. A judge that waits for a place there cannot dead-lock with
    the programs that hold them: they run to their own end and ask no model, and a judge has no place of the model
    lane while it waits, for its last question has been answered.
    """

    def __init__(
        self,
        source: ModelSource,
        engines: Engines,
        capacity: int,
        programs: Programs | None = None,
        weight_sync: WeightSync | None = None,
    ) -> None:
        self.source = source
        self.engines = engines
        self.programs = programs
        self.failures: Counter[tuple[str, str]] = Counter()
        self.tally = UsageTally()
        self.weight_sync = weight_sync or WeightSync(engines)
        self.speeds = Speeds()
        self._under_way: set[asyncio.Timeout] = set()
        self._stopped = False
        self._locked: set[str] = set()
        self._reported: dict[str, str] = {}
        self._answers: Cache[_AnswerKey, Answer] = Cache(capacity)
        self._flights: Flights[_AnswerKey, Answer] = Flights()

    def shed(self) -> None:
        """What verifiers ask, and whatever they come to ask, gets ``error: shutdown``."""
        self._stopped = True
        end_now(self._under_way)

    async def close(self) -> None:
        await self.weight_sync.close()
        await self.engines.close()

    def judging_s(self, wanted: Iterable[tuple[Verifier, int]]) -> float:
        """Seconds in which so many samples of each verifier are judged at the speed that their models have shown, if
        each reply is as long as it may be; the verifiers are at work at the same time."""
        longest = 0.0
        for verifier, count in wanted:
            for one in model_verifiers([verifier]):
                longest = max(longest, judging_s(self.speeds, one, self._entries(one), count, self.engines.at_once))
        return longest

    async def load_models(self, verifiers: Iterable[Verifier], within_s: float) -> float:
        """Loads the models of this service's own engines that the verifiers ask; gives the seconds that it took."""
        wanted = {entry.name for one in model_verifiers(verifiers) for entry in self._entries(one) if not entry.url}
        if not wanted:
            return 0.0
        status = await self.engines.status()
        absent = [name for name in wanted if name not in status or status[name].state in ("registered", "loading")]
        now = asyncio.get_running_loop().time
        began = now()
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await asyncio.gather(*map(self._load, absent), return_exceptions=True)
        return now() - began

    def identity(self, names: Sequence[str], demand: Demand) -> str:
        """What a verdict of these models depends on besides its sample: which models, and which weights at least."""
        least = demand.weights
        return "\0".join(self._identity(name, least.get(name, 0)) for name in names)

    async def judge(
        self,
        verifier: Verifier,
        task: Task,
        deadline: float,
        demand: Demand = NONE,
        listening: Callable[[Models], Models] | None = None,
    ) -> Verdict:
        """The verdict on ``task`` by ``deadline`` (the loop's time). Never raises but CancelledError.

        ``listening`` puts something between the verifier and its models that hears what is said.
        """
        assert isinstance(verifier, ModelVerifier), "the planner admits no other to this lane"
        now = asyncio.get_running_loop().time
        started = now()
        asking = ModelSession(self, demand, deadline)
        limit = asyncio.timeout_at(started if self._stopped else deadline)
        self._under_way.add(limit)
        try:
            async with limit:
                verdict = await judge_task(verifier, task, asking if listening is None else listening(asking))
        except TimeoutError as late:
            verdict = report_shutdown() if self._stopped else await asking.report_late(late)
        except Abstain as refusal:
            verdict = Verdict.abstained(refusal.reason_code, refusal.reason)
        except (MemoryError, RecursionError) as exhausted:
            verdict = report_exhausting_response(exhausted)
        except Exception as failure:  # noqa: BLE001 - a bug in a verifier is a null score, never a failed batch
            verdict = report_crash(failure)
        finally:
            self._under_way.discard(limit)
        verdict.producer = verifier.producer
        verdict.elapsed_s = verdict.elapsed_s or now() - started
        return verdict

    async def answer(self, name: str, question: Question, demand: Demand, deadline: float) -> Answer:
        """For whoever asks himself. Raises ModelFailure, TooLong, or TimeoutError."""
        asking = ModelSession(self, demand, deadline)
        try:
            async with asyncio.timeout_at(deadline):
                return await asking.ask(name, question)
        except TimeoutError:
            if asking.behind is not None:
                raise asking.behind from None
            raise

    async def ask(self, registered: RegisteredModel, question: Question, demand: Demand, deadline: float) -> Answer:
        """The answer of the weights that the model is registered with, or of later ones.

        Who begins a question that others join pays for it; where that one cannot, another begins it.
        """
        key = (registered.id, registered.weights, question, epoch())
        if isinstance(question, Generate) and question.temperature > 0 and question.seed is None:
            return await self._answered(registered, question, demand, deadline)
        while (known := self._kept(key)) is None:
            if key not in self._flights:
                return await self._flights.start(key, self._ask_and_keep(registered, question, demand, deadline))
            try:
                known = await self._flights.join(key)
                break
            except (TimeoutError, BudgetSpent):
                continue  # it ended by the deadline or the budget of whoever began it, and there may be some left here
        self.tally.record_shared(registered.entry)
        return known

    def _kept(self, key: _AnswerKey) -> Answer | None:
        """What was answered before, if the model's server has not said since that another one answers now."""
        known = self._answers.get(key)
        if known is None or not known.model or known.model == self._reported.get(key[0], known.model):
            return known
        return None

    def forget(self, registered: RegisteredModel, question: Question, answer: Answer) -> None:
        """That answer is given to nobody again: a judge that was broken for a while would stay so for the responses
        that it had been asked about, and be well for all others, which puts the blame on these. Those to probes are
        of a short while anyway."""
        self._answers.drop((registered.id, answer.weights, question, 0))

    async def _ask_and_keep(
        self, registered: RegisteredModel, question: Question, demand: Demand, deadline: float
    ) -> Answer:
        answer = await self._answered(registered, question, demand, deadline)
        numbers = sum(map(len, (*answer.rows, *answer.alternatives)))
        if characters(question) <= _KEPT_CHARACTERS and numbers <= _KEPT_NUMBERS:
            self._answers.put((registered.id, answer.weights, question, epoch()), answer)
        return answer

    async def _answered(
        self, registered: RegisteredModel, question: Question, demand: Demand, deadline: float
    ) -> Answer:
        try:
            entry = registered.entry
            began = asyncio.get_running_loop().time()
            with tracing.span(
                gen_ai.name(entry, question), gen_ai.describe_question(entry, question), "client"
            ) as span:
                answer = await self._ask_engine(registered, question, demand, deadline)
                if span is not None:
                    span.set(gen_ai.describe_answer(question, answer))
            self.speeds.record_answer(entry.name, asyncio.get_running_loop().time() - began, answer)
            self.tally.record_asked(entry, answer)
            if answer.model:
                self._reported[registered.id] = answer.model
            self._locked.discard(entry.name)
            _refuse_not_finite(answer)
        except ModelFailure as failure:
            self.failures[registered.entry.name, failure.code] += 1
            known = isinstance(failure, KeyRefused) and registered.entry.name in self._locked
            if isinstance(failure, KeyRefused):
                self._locked.add(registered.entry.name)
            if not (known or isinstance(failure, BudgetSpent)):  # these are logged once
                log.warning("model_failed", model=registered.entry.name, code=failure.code, error=failure)
            raise
        return answer

    async def _ask_engine(
        self, registered: RegisteredModel, question: Question, demand: Demand, deadline: float
    ) -> Answer:
        backend = self.engines.backend_of(registered.entry)
        for _ in range(_TRIES):
            await self.weight_sync.bring(registered)
            answer = await _paid(backend, registered.entry, question, demand, deadline)
            if answer.weights >= registered.weights:
                return answer
            self.weight_sync.note(registered, answer.weights)  # it was loaded anew, without what it had been given
        raise WeightsBehind(
            f"the engine keeps losing version {registered.weights} of {registered.entry.name}'s weights"
        )

    async def _load(self, name: str) -> None:
        """What cannot be loaded is told to whoever asks it."""
        registered = self.source.find(name)
        await self.weight_sync.bring(registered)
        await self.engines.backend_of(registered.entry).load(registered.entry)

    def _entries(self, verifier: ModelVerifier) -> list[ModelEntry]:
        """Of the models that it asks, but for those that were deleted."""
        return [model.entry for model in self.source.all() if model.entry.name in verifier.models]

    def _identity(self, name: str, least: int) -> str:
        try:
            registered = self.source.find(name)
        except UnknownModel:
            return f"{name}?"
        return f"{registered.id}@{max(registered.weights, least)}"


class ModelSession:
    """The models as one task sees them: :class:`judges.base.Models`.

    ``behind`` is what there is to say while weights are waited for.
    """

    def __init__(self, lane: ModelLane, demand: Demand, deadline: float) -> None:
        self._lane = lane
        self._demand = demand
        self._deadline = deadline
        self.behind: WeightsBehind | None = None
        self._usage = Usage()
        self._waiting: list[tuple[str, float]] = []

    def entry(self, name: str) -> ModelEntry:
        return self._lane.source.find(name).entry

    async def ask(self, name: str, question: Question) -> Answer:
        registered = await self._due(name)
        asked = name, asyncio.get_running_loop().time()
        self._waiting.append(asked)
        answer = await self._lane.ask(registered, question, self._demand, self._deadline)
        self._waiting.remove(asked)
        self._usage += Usage.of(registered.entry, answer)
        return answer

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        self._usage += Usage(malformed=1)
        self._lane.tally.unreadable[name] += 1
        self._lane.forget(self._lane.source.find(name), question, answer)

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        """By the task's deadline, as everything that it does."""
        programs = self._lane.programs
        if programs is None:
            raise SandboxUnavailable("this service gives its judges no sandbox")
        try:
            _, execution = await programs.run(program, limits, stdin, self._demand)
        except (SandboxFailure, Unsupported) as failure:
            raise SandboxUnavailable(f"the sandbox cannot run what a judge asks for: {failure}") from failure
        return execution

    async def report_late(self, late: TimeoutError) -> Verdict:
        """The verdict where the deadline passed, with what was known by then. A judge of whose replies none could be
        read is no slow one: more time would not help."""
        if self.behind is not None:
            return Verdict.error(self.behind.code, str(self.behind))
        usage = self._usage
        evidence: dict[str, JsonValue] = {"usage": usage.evidence}
        said = [f"{usage.calls} replies came by then ({usage.malformed} of them could not be read)"]
        if isinstance(late, Late):
            said.append(f"the last question: {late}")
            evidence["waited"] = {"model": late.model, "queued_s": late.queued_s, "asked_s": late.asked_s}
        elif self._waiting:
            name, since = self._waiting[-1]
            waited_s = asyncio.get_running_loop().time() - since
            state = (await self._lane.engines.status()).get(name)
            if state is not None and state.state == "failed":
                told = f"{state.detail} (waited for {waited_s:.0f} s, to the deadline)"
                return Verdict.error(ModelUnavailable.code, told, evidence=evidence)
            loading = state is not None and state.state == "loading"
            said.append(f"{name}: {waited_s:.1f} s since it was asked{', and it is still being loaded' * loading}")
            evidence["waited"] = {"model": name, "waited_s": waited_s, "loading": loading}
        told = "; ".join(said)
        if usage.calls and usage.malformed == usage.calls:
            return Verdict.error("judge_malformed", f"no reply could be read: {told}", evidence=evidence)
        reason = f"the deadline passed before this sample was judged: {told}"
        return Verdict.timeout("deadline", reason, evidence=evidence)

    async def _due(self, name: str) -> RegisteredModel:
        """The model, once its weights are new enough."""
        least = self._demand.weights.get(name, 0)
        while (found := self._lane.source.find(name)).weights < least:
            self.behind = WeightsBehind(
                f"{name} has version {found.weights} of its weights, and the request demands {least}"
            )
            await self._lane.source.wait_changed()
        self.behind = None
        return found


async def _paid(backend: Backend, entry: ModelEntry, question: Question, demand: Demand, deadline: float) -> Answer:
    ask = partial(backend.ask, entry, question, deadline=deadline, flow=demand.flow)
    return await (ask() if demand.purse is None else demand.purse.pay(entry, question, deadline, ask))


def _refuse_not_finite(answer: Answer) -> None:
    if not all(map(math.isfinite, chain.from_iterable(answer.rows))):
        raise NotFinite("the model gave a number that is not finite for this text")
