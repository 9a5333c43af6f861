"""A reward: what a trainer uses for one sample, and what is known of its group."""

from __future__ import annotations

from pydantic import Field

from trueward.wire.base import Wire
from trueward.wire.verdict import Outcome, Producer


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
    producers: list[Producer] = Field(default=[])

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
    ids: list[str | None] = Field(default=[])
    centred: list[float] = Field(default=[], description="reward less the group's mean")
    leave_one_out: list[float] = Field(default=[], description="reward less the mean of the others")
    draw: list[float] | None = Field(default=None, description="probabilities of resampling, where a rule gives them")


class RewardLine(Wire):
    reward: Reward


class GroupLine(Wire):
    group: Group


class EndOfStream(Wire):
    recipe: str
    count: int


class End(Wire):
    end: EndOfStream
