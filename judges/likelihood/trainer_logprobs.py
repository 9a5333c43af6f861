"""Log-probabilities of the reference that a trainer sends, held against the reference and made an answer.

``reference_logprobs``: one entry a token of the reference, in order; ``offsets``, where they are there, in characters
of it. A number above 0 is no log-probability.
"""

from __future__ import annotations

import math
from itertools import pairwise

from judges.questions import Answer
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample, TokenLogprobs

_ROUNDING = 1e-3
"""Half precision puts a certain token a little above 0."""


def read_logprobs(sample: Sample, reference: str) -> Answer:
    """Raises :class:`trueward.Abstain` with what is wrong: the caller sent it."""
    sent = sample.reference_logprobs
    if sent is None:
        raise Abstain("no_logprobs", "without params.model the sample brings reference_logprobs along")
    if not sent.logprobs or len(sent.logprobs) != len(sent.token_ids):
        raise Abstain("bad_logprobs", "reference_logprobs needs one log-probability for each of its token_ids")
    row = [float(one) for one in sent.logprobs]
    if any(math.isnan(one) or one > _ROUNDING for one in row):
        raise Abstain("bad_logprobs", "reference_logprobs holds a number that is no log-probability (above 0)")
    if not _covers(sent, reference):
        raise Abstain("bad_logprobs", "the offsets of reference_logprobs do not cover the reference in order")
    return Answer(rows=(tuple(min(one, 0.0) for one in row),))


def _covers(sent: TokenLogprobs, reference: str) -> bool:
    """Whether the tokens go over the reference from its beginning to its end without a gap in its words."""
    offsets = sent.offsets
    if offsets is None:
        return True
    ordered = all(earlier[0] <= later[0] and earlier[1] <= later[1] for earlier, later in pairwise(offsets))
    within = all(0 <= start <= end <= len(reference) for start, end in offsets)
    if len(offsets) != len(sent.logprobs) or not ordered or not within:
        return False
    ends = [0, *(end for _, end in offsets)]
    starts = [*(start for start, _ in offsets), len(reference)]
    return not any(reference[end:start].strip() for end, start in zip(ends, starts, strict=True))
