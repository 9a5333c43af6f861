"""References that may be wrong: responses agree on an answer, the reference rejects it, a second verifier accepts it.

The rule follows ReViSQL's finding that most of a benchmark's references had errors; its threshold is an argument. A
policy that agrees on a wrong answer trips it, too: a suspect is queued for a person, never corrected by itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rewards.vote import majority


class SuspectAnswer(NamedTuple):
    """The answer that responses agree on, and its share of those that have an answer."""

    answer: Hashable
    share: float
    answers: int


def suspect_reference(
    classes: Sequence[Hashable | None],
    accepted: Sequence[bool | None],
    second: Sequence[bool | None],
    *,
    agree: float = 0.7,
    least: int = 2,
) -> SuspectAnswer | None:
    """Why the reference of one prompt is suspect; None where it is not.

    ``classes`` are the equivalence classes of the answers (None: nothing parsed), ``accepted`` the verdicts against the
    reference and ``second`` those of a second verifier (None: no verdict). ``least`` answers are needed to agree. The
    reference rejects an answer where it accepts none of its class and rejects at least one; the second verifier
    accepts it where more of its verdicts on the class are acceptances than not.
    """
    if not len(classes) == len(accepted) == len(second):
        raise ValueError("classes, accepted and second need one entry per response")
    if not 0.5 < agree <= 1:
        raise ValueError(f"agree must lie in (0.5, 1], so that one answer has it, got {agree:g}")
    voted = majority(classes)
    answers = sum(one is not None for one in classes)
    if voted is None or answers < least or voted.share < agree:
        return None
    members = [position for position, one in enumerate(classes) if one is not None and one == voted.winner]
    against = [accepted[position] for position in members]
    rejected = any(said is False for said in against) and not any(said is True for said in against)
    seconded = [second[position] for position in members if second[position] is not None]
    if not rejected or 2 * sum(bool(said) for said in seconded) <= len(seconded):
        return None
    return SuspectAnswer(voted.winner, voted.share, answers)
