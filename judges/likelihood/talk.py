"""``follow_up``: would a user be content with this response? Experimental.

The mean log-probability per token of what a user says next where content, less that where not.
"""

from __future__ import annotations

from collections.abc import Sequence

from judges.conversation import reply_of, turns_of
from judges.likelihood.measures import follow_up
from judges.likelihood.method import Asked, Measured, Method
from judges.likelihood.params import LikelihoodParams
from judges.likelihood.probability import mean_log_probability
from judges.questions import Answer, Spans
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


class FollowUp(Method):
    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        prompt = (*turns_of(sample), *reply_of(sample))
        said = (*params.follow_ups.positive, *params.follow_ups.negative)
        return [Asked(Spans(prompt, text, ((0, len(text)),), role="user")) for text in said]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        means = [mean_log_probability(answer.rows[0]) for answer in answers]
        count = len(params.follow_ups.positive)
        content, discontent = means[:count], means[count:]
        return Measured(follow_up(content, discontent), {"positive": list(content), "negative": list(discontent)})
