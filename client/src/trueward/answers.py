"""What the service answers beside verdicts and rewards: of recipes, explanations, replays and selections.

Defined once, for the service and for its clients.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue, StrictStr

from trueward.errors import FieldProblem
from trueward.estimators.noise import Estimator
from trueward.types import Outcome, Reward, Wire

SelectionMethod = Literal["best_of", "majority", "weighted_vote"]


class StoredRecipe(Wire):
    """A recipe that was put: ``new`` where its name stood for another content before, or for none."""

    name: str
    hash: str
    new: bool
    warnings: list[str]


class RecipeCorrection(Wire):
    """What ``POST /v1/recipes/{name}/correct`` takes: an audit, and what to call the corrected recipe.

    The audit is named by id, ``latest``, name, run or beginning of an id; only completed ones count that measured
    rates of one of the recipe's verifiers.
    """

    audit: StrictStr = Field(default="latest", min_length=1, max_length=256)
    name: StrictStr | None = Field(default=None, description="default: the recipe's, with `-corrected` behind it")
    estimator: Estimator = Field(default=Estimator.STANDARDISED, description="what the trainer makes of rewards")


class CorrectedRecipe(StoredRecipe):
    """A recipe that was corrected: with the rates of this ``audit``."""

    audit: str


class RecipeVersion(Wire):
    """What a name stood for from ``created_at`` on."""

    name: str
    hash: str | None = Field(description="null: the recipe was deleted")
    description: str = ""
    origin: Literal["put", "file"] = Field(description="`file`: it came with the service, or from its directory")
    owner: str | None = Field(default=None, description="the key that put it")
    created_at: datetime


class RecipeVersions(Wire):
    versions: list[RecipeVersion] = Field(description="newest first")


class RecipeValidation(Wire):
    """``problems`` is empty exactly where the recipe is valid; then it has a hash."""

    valid: bool
    hash: str | None = None
    problems: list[FieldProblem] = Field(default=[])
    warnings: list[str] = Field(default=[])
    reads: list[str] | None = Field(default=None, description="of a valid recipe: fields that a sample must have")
    gives: list[str] | None = Field(
        default=None,
        description="of a valid recipe, beside the reward: `step_rewards`, `token_rewards`, `weight`, `draw`",
    )


class RecipeChange(Wire):
    place: str
    before: JsonValue = None
    after: JsonValue = None


class RecipeDifference(Wire):
    """What changes from one content to the other, defaults included; a side without the place has null."""

    before: str = Field(description="content hash")
    after: str = Field(description="content hash")
    changes: list[RecipeChange]


class Explanation(Wire):
    """A reward's arithmetic, computed again from the ledger; ``agrees`` where that gives what was recorded."""

    record: str
    id: str | None
    recipe: str = Field(description="content hash")
    recipe_name: str
    group: str
    run: str | None
    step: int | None
    state_version: int = Field(description="version of the run's state that the reward depended on")
    reward: float | None = Field(description="as recorded")
    agrees: bool
    lines: list[str]


class Circumstances(Wire):
    """Whose sample, in which run, when. ``sample`` is the fingerprint of its content."""

    record: str
    created_at: datetime
    sample: str
    group: str | None
    pair: str | None
    run: str | None
    step: int | None
    policy: str | None
    split: str
    data_source: str | None


class RewardRecord(Circumstances):
    kind: Literal["reward"] = "reward"
    reward: Reward
    recipe: str = Field(description="content hash of the recipe")
    recipe_name: str


class RewardPage(Wire):
    """Recorded rewards in the order of their records."""

    rewards: list[RewardRecord]
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


class ReplayedReward(Wire):
    """A reward that came out another way: in which fields, and both of it."""

    request: str
    fields: list[str]
    recorded: Reward
    computed: Reward


class ReplayReport(Wire):
    """A run computed again from the ledger; floats are the same where every bit is.

    ``states`` are the versions of what the run learned. ``unknown`` counts the rewards and states that lack what a
    replay needs: recorded by a version of the service before it could replay, or with others that were deleted since.
    """

    run: str
    rewards: int = 0
    differ: int = 0
    differing: list[ReplayedReward] = Field(default=[], description="the first of them")
    states: int = 0
    states_differ: int = 0
    differing_states: list[int] = Field(default=[], description="the first of them, by version")
    unknown: int = 0

    @property
    def same(self) -> bool:
        return self.differ == self.states_differ == 0


class ReplayProgress(Wire):
    rewards: int
    states: int


class ReplayLine(Wire):
    """A line of a replay's stream: the last one has the report."""

    progress: ReplayProgress | None = None
    report: ReplayReport | None = None


class CandidateClass(Wire):
    """Candidates whose answers the verifier found equivalent; ``votes`` is their number, or the sum of their scores."""

    ids: list[str]
    answer: JsonValue = Field(description="the first one's answer, which the others were compared with")
    votes: float


class UncomparedPair(Wire):
    """A comparison without a result: the two count as different."""

    id: str
    against: str
    outcome: Outcome
    reason_code: str
    reason: str = ""


class UnclassedCandidate(Wire):
    """A candidate that is in no class, and why: it gave no answer, or was not compared in time."""

    id: str
    outcome: Outcome
    reason_code: str
    reason: str = ""


class Selection(Wire):
    """One of several candidates; ``chosen`` is null where none is left to choose.

    ``share`` is the winning class's share of the votes, ``tied`` says that another class had as many.
    """

    chosen: str | None
    method: SelectionMethod
    scores: dict[str, float | None] | None = None
    classes: list[CandidateClass] = Field(default=[], description="in the order of their first members")
    share: float | None = None
    tied: bool = False
    without_class: list[UnclassedCandidate] = Field(default=[])
    uncompared: list[UncomparedPair] = Field(default=[])
    comparisons: int = 0
