"""Methods that need no reference: Self-Aligned Reward, LaSeR, and what a user would say next (experimental).

Sources: Self-Aligned Reward as in its authors' code; LaSeR, arXiv 2510.14943.
"""

from __future__ import annotations

from collections.abc import Sequence

from judges.conversation import reply_of, turns_of
from judges.likelihood.measures import follow_up, last_token_reward, self_aligned
from judges.likelihood.method import Asked, Measured, Method
from judges.likelihood.params import LikelihoodParams
from judges.likelihood.probability import mean_log_probability
from judges.likelihood.splice import context_of
from judges.questions import Answer, Choices, Spans, Turn
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

SELF_CORRECT = 0.5
"""LaSeR's own verdict: an answer is right where its reward is above this."""


class SelfAligned(Method):
    """How much the question helps to predict the response: with the prompt, and with nothing before it."""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        prompt, lead, said = context_of(sample)
        text = lead + said
        if not text:
            return Verdict.invalid("empty", "the response is missing or empty")
        return [Asked(Spans(one, text, ((0, len(text)),))) for one in (prompt, _without_question(prompt))]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        with_question, without = (mean_log_probability(answer.rows[0]) for answer in answers)
        evidence = {"with_question": with_question, "without": without, "response_tokens": len(answers[0].rows[0])}
        return Measured(self_aligned(with_question, without), dict(evidence))


class Laser(Method):
    """The log-probability of an unused token after the response, over its usual one."""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        prompt, lead, said = context_of(sample)
        assert params.token is not None
        return [Asked(Choices(prompt, (params.token,), said=lead + said))]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        found = answers[0].rows[0][0]
        score = last_token_reward(found, params.constant, params.beta)
        return Measured(score, {"log_probability": found, "self_verdict": score > SELF_CORRECT})


def _without_question(prompt: Sequence[Turn]) -> tuple[Turn, ...]:
    """The conversation's roles with nothing in them: what is removed is the question, and not the template."""
    return tuple(Turn(turn.role, "") for turn in prompt)


class FollowUp(Method):
    """Would a user be content with this response? The mean log-probability per token of what a user says next where
    content, less that where not."""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        prompt = (*turns_of(sample), *reply_of(sample))
        said = (*params.follow_ups.positive, *params.follow_ups.negative)
        return [Asked(Spans(prompt, text, ((0, len(text)),), role="user")) for text in said]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        means = [mean_log_probability(answer.rows[0]) for answer in answers]
        count = len(params.follow_ups.positive)
        content, discontent = means[:count], means[count:]
        return Measured(follow_up(content, discontent), {"positive": list(content), "negative": list(discontent)})
