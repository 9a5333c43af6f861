"""The nouns of Trueward, defined once: what goes over the wire is what the server works with.

A :class:`Sample` goes in; a :class:`Verifier <trueward.verifier.Verifier>` gives a :class:`Verdict`;
a recipe turns verdicts into a :class:`Reward`. ``Outcome`` is a closed set, in two halves: what the
policy did (with a score) and what failed on our side (``score`` is None and stays None: a failure of
ours is never a reward). Not here: how a verdict is priced (``rewards/``), how it is stored (``app/tables``).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)

Number = StrictInt | StrictFloat


class Wire(BaseModel):
    """A model that travels: unknown fields are refused, numbers are finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=False)


class Outcome(StrEnum):
    """What became of a sample. The last three are ours: they carry no score."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    PARTIAL = "partial"
    SCORED = "scored"
    INVALID = "invalid"
    ABSTAINED = "abstained"
    TIMEOUT = "timeout"
    ERROR = "error"

    @property
    def missing(self) -> bool:
        """True where the score is missing through no doing of the policy."""
        return self in _MISSING


_MISSING = frozenset({Outcome.ABSTAINED, Outcome.TIMEOUT, Outcome.ERROR})

FinishReason = Literal["stop", "length", "aborted", "tool"]
Split = Literal["train", "eval"]
Lane = Literal["inline", "cpu", "model", "sandbox", "remote"]
Scale = Literal["binary", "graded", "unbounded"]
"""What a verifier's scores are: a plain yes or no, numbers in [0, 1], or any numbers."""

VOTING_VERIFIERS = frozenset({"agreement", "majority"})
"""Verifiers that judge whole groups by their own answers: what they pay can collapse unnoticed."""

GROUP_VERIFIERS = VOTING_VERIFIERS | {"tournament"}
"""Verifiers that judge whole groups: known by name, for no request may split a group of theirs."""

THINKING_PARTS = ("thinking", "reasoning", "reasoning_text", "redacted_thinking")


class Message(BaseModel):
    """One chat message. Messages of role ``assistant`` are the policy's unless ``policy`` is False."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    role: StrictStr
    content: StrictStr | list[JsonValue] | None = None
    policy: StrictBool | None = None

    @property
    def is_policy(self) -> bool:
        return self.role == "assistant" if self.policy is None else self.policy

    @property
    def text(self) -> str:
        """The textual content; parts that are not text, and those of thinking, are left out."""
        if isinstance(self.content, str):
            return self.content
        parts = [part for part in self.content or [] if isinstance(part, dict)]
        shown = [part.get("text") for part in parts if part.get("type") not in THINKING_PARTS]
        return "".join(text for text in shown if isinstance(text, str))


class TokenLogprobs(Wire):
    """Log-probabilities that a trainer sends: one entry a token, offsets in characters."""

    token_ids: list[StrictInt]
    logprobs: list[Number]
    offsets: list[tuple[StrictInt, StrictInt]] | None = None
    model: StrictStr | None = None


class Sample(BaseModel):
    """One response to judge.

    A missing ``id`` is the sample's index in its request; a list as ``reference`` means any of its
    elements; a missing ``group`` means the samples with the same prompt in the same request. A field
    that is not named here does not fail the request: that sample alone is ``abstained: unknown_field``.
    """

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    id: StrictStr | None = Field(default=None, max_length=512)
    prompt: StrictStr | list[Message] | None = None
    response: StrictStr | list[Message] | None = None
    reference: JsonValue = None
    group: StrictStr | None = Field(default=None, max_length=512)
    pair: StrictStr | None = Field(default=None, max_length=512)
    data_source: StrictStr | None = None
    hint: StrictStr | None = None
    metadata: dict[StrictStr, JsonValue] | None = None
    finish_reason: FinishReason | None = None
    tokens: Annotated[StrictInt, Field(ge=0)] | None = None
    token_ids: list[StrictInt] | None = None
    logprobs: TokenLogprobs | None = None
    reference_logprobs: TokenLogprobs | None = None
    reasoning: StrictStr | None = None
    prefix: StrictStr | None = None
    baselines: list[StrictStr] | None = None
    baseline_scores: list[Number] | None = None

    identity: ClassVar[frozenset[str]] = frozenset({"id", "group", "pair"})
    """Fields that name the sample and say nothing of its content."""

    @property
    def response_text(self) -> str:
        """The policy's own text: the response, or its policy messages joined by blank lines."""
        return _policy_text(self.response)

    @property
    def prompt_text(self) -> str:
        """The prompt as one text: messages joined by blank lines."""
        if isinstance(self.prompt, str):
            return self.prompt
        return "\n\n".join(message.text for message in self.prompt or [])

    @property
    def references(self) -> list[JsonValue]:
        """The acceptable references: none, one, or several (a list means any of them)."""
        if self.reference is None:
            return []
        return self.reference if isinstance(self.reference, list) else [self.reference]


def _policy_text(response: str | list[Message] | None) -> str:
    if isinstance(response, str):
        return response
    return "\n\n".join(message.text for message in response or [] if message.is_policy)


class Producer(Wire):
    """Who made a verdict: enough, with the sample, to make it again."""

    name: str
    version: str
    params: str = Field(description="sha256 of the parameters in canonical JSON")


class Verdict(Wire):
    """What a verifier says of one sample.

    A verifier sets the first group of fields; the service adds the second. ``score`` is None exactly
    when the outcome is ``abstained``, ``timeout`` or ``error``; ``invalid`` scores 0.0.
    """

    outcome: Outcome
    score: float | None = None
    reason_code: str = Field(description="a stable snake_case code, such as equal_rational")
    reason: str = ""
    evidence: dict[str, JsonValue] = {}
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    feedback: str | None = None

    id: str | None = None
    record: str | None = Field(default=None, description="the ledger's id of this verdict")
    producer: Producer | None = None
    elapsed_s: float = Field(default=0.0, description="seconds of work, waiting not counted")
    cached: bool = False

    @model_validator(mode="after")
    def _score_matches_outcome(self) -> Self:
        if self.outcome.missing != (self.score is None):
            raise ValueError(
                f"outcome {self.outcome} with score {self.score}: a score is missing exactly where "
                "the outcome is abstained, timeout or error"
            )
        return self

    @classmethod
    def correct(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.CORRECT, score=1.0, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def incorrect(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.INCORRECT, score=0.0, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def partial(cls, score: float, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.PARTIAL, score=score, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def scored(cls, score: float, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.SCORED, score=score, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def invalid(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        """Nothing to judge, through the policy's own doing; the recipe prices it."""
        return cls(outcome=Outcome.INVALID, score=0.0, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def abstained(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        """The verifier cannot tell, through no doing of the policy."""
        return cls(outcome=Outcome.ABSTAINED, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def timeout(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.TIMEOUT, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def error(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.ERROR, reason_code=reason_code, reason=reason, **rest)


class Reward(Wire):
    """What the trainer uses for one sample.

    ``reward`` is None where the recipe leaves a missing score missing. ``components`` has one key a
    term of the recipe, the same keys for every sample. ``corrected`` (under backward correction the term
    that the reward contains), ``weight`` (under forward correction the signed weight on the policy
    gradient) and ``estimate`` (the error rates that were used) are those of noise correction; without it
    they are None. ``uncertainty`` is the standard error of ``corrected`` or ``weight`` as far as the measured error
    rates are uncertain; it is the same for all responses of a slice, and None for stated rates. ``step_rewards`` has
    one number a step, ``token_rewards`` one a token, where a term gives them; ``step_spans`` and ``token_spans`` are
    their places, from the first character of the response's text to before the second, where the verifier tells them.
    ``kept`` is False where the recipe leaves the sample, or its whole group, out of learning. ``stand_in`` is what a
    trainer without a null takes for a missing reward, where the request says ``gather``.
    """

    id: str | None = None
    record: str | None = None
    reward: float | None = None
    outcome: Outcome
    components: dict[str, float | None]
    corrected: float | None = None
    weight: float | None = None
    estimate: str | None = None
    uncertainty: float | None = None
    step_rewards: list[float] | None = None
    step_spans: list[tuple[int, int]] | None = None
    token_rewards: list[float] | None = None
    token_spans: list[tuple[int, int]] | None = None
    kept: bool | None = None
    stand_in: float | None = None
    reason_code: str = ""
    reason: str = ""
    producers: list[Producer] = []

    def in_unit(self, number: float) -> float:
        """In 0..1, from the outcome and never from the shaped reward, for fields of trainers that filter.

        ``number`` is the reward, or what stands in for it, where no term has a score.
        """
        if self.outcome is Outcome.CORRECT:
            return 1.0
        if self.outcome in (Outcome.INCORRECT, Outcome.INVALID):
            return 0.0
        measured = next((value for value in self.components.values() if value is not None), number)
        return min(1.0, max(0.0, measured))


class Group(Wire):
    """What is known of one group of responses to the same prompt; missing scores are left out.

    Lists have one entry a member, in the order of ``ids``; a member without a score has 0 there.
    """

    group: str
    size: int
    scored: int
    mean: float | None
    std: float | None = Field(description="with n - 1; None below two scored samples")
    zero_variance: bool
    success_rate: float | None = Field(default=None, description="share of right answers among those judged")
    all_fail: bool = False
    kept: bool | None = Field(default=None, description="what the recipe's group rules say; None without rules")
    reason: str = Field(default="", description="why the group is not kept")
    true_rate: float | None = Field(default=None, description="success rate with the verifier's errors taken out")
    true_std: float | None = Field(default=None, description="spread of the true outcomes, by the same estimate")
    ids: list[str | None] = []
    centred: list[float] = Field(default=[], description="reward less the group's mean")
    leave_one_out: list[float] = Field(default=[], description="reward less the mean of the others")
    draw: list[float] | None = Field(default=None, description="probabilities of resampling, where a rule gives them")


class Spending(Wire):
    """What judges' models were asked: ``cost`` by the models' prices, ``tokens`` read and written, ``calls``."""

    cost: float = 0.0
    tokens: int = 0
    calls: int = 0


class Allowance(Wire):
    """The most of each; null where there is no bound."""

    cost: float | None = None
    tokens: int | None = None
    calls: int | None = None


class Run(Wire):
    """One training or evaluation run, and what its first request pinned.

    ``spent`` is what the judges of the pinned recipe have cost this run, of its ``budget``; both are null before a
    model is asked, and in a list of runs.
    """

    id: str
    project: str = "default"
    recipe: str | None = None
    verifiers: dict[str, str] = {}
    strict: bool = False
    created_at: str = ""
    marks: list[dict[str, JsonValue]] = []
    spent: Spending | None = None
    budget: Allowance | None = None


class ScoringRequest(Wire):
    """What every scoring request carries beside its samples and the name of what scores them.

    ``min_weights``: a model that is not at this version of its weights by the deadline gives ``error: weights_behind``.
    """

    run: StrictStr | None = Field(default=None, min_length=1, max_length=256)
    step: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    policy: StrictStr | None = Field(default=None, max_length=256)
    split: Split = "train"
    deadline_s: Annotated[Number, Field(gt=0)] | None = None
    min_weights: dict[StrictStr, Annotated[StrictInt, Field(ge=0, le=2**53)]] | None = Field(
        default=None, description="least version of each model's weights; waited for until the deadline"
    )
    samples: list[Sample]


class VerifyRequest(ScoringRequest):
    verifier: StrictStr
    params: dict[str, JsonValue] = {}


class Gather(Wire):
    """The members of a group come in requests of their own.

    A recipe for groups waits for all of them. A missing reward gets a ``stand_in``, one for each group: the mean of the
    members that have a reward, for which it waits. ``size``: how many members a group has; by default the recipe's
    ``group.size``, and where that is not told either, those that come within ten seconds of each other. ``at_once``:
    how many calls the caller can have under way. Where three quarters of them would wait, some are answered before.
    """

    size: Annotated[StrictInt, Field(ge=1, le=4096)] | None = None
    at_once: Annotated[StrictInt, Field(ge=1)] = 64


class RewardsRequest(ScoringRequest):
    recipe: StrictStr | dict[str, JsonValue]
    gather: Gather | None = None


class VerifyResponse(Wire):
    verdicts: list[Verdict]


class RewardsResponse(Wire):
    rewards: list[Reward]
    groups: list[Group]
    recipe: str = Field(description="content hash of the recipe that was used")


class VerifierInfo(Wire):
    """An entry of the catalogue of verifiers."""

    name: str
    version: str
    summary: str
    lane: Lane
    deterministic: bool
    needs: list[str] = Field(description="fields of a sample without which there is nothing to judge")
    reference: dict[str, JsonValue] | None = Field(None, description="JSON Schema of a reference; null: none is read")
    params: dict[str, JsonValue] = Field(description="JSON Schema of the parameters")
    examples: list[dict[str, JsonValue]]
