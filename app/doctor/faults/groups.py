"""Groups and rewards without a difference, and responses that are the same: there is no advantage in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from app.doctor.summary import Seen, Summary, names
from trueward.numerals import number, share
from trueward.wire.diagnosis import RunFault

_FEWEST_GROUPS = 8
_FEWEST_RECORDS = 64
_MOST_GROUPS = 0.5
"""Share of groups without a difference from which most of what is sampled is for nothing."""
_ALIKE_GROUPS = 0.2
_ALIKE_MEMBERS = 4
_LONG = 20
"""Characters from which responses are not the same by chance: a lone number is."""
_PROMPTS = 5
_OF_PROMPTS = 0.1
_EXPLAINED = 0.9


def flat_groups(summary: Summary) -> Iterator[RunFault]:
    """Not where all rewards are the same, and groups of which nothing was judged are left out: both are told apart."""
    groups = [members for members in summary.groups if any(one.is_judged() for one in members)]
    flat = [members for members in groups if _alike(members)]
    if len(groups) < _FEWEST_GROUPS or len(flat) <= _MOST_GROUPS * len(groups) or len(_rewards(summary)) == 1:
        return
    top = max(_rewards(summary))
    high = sum(members[0].reward == top for members in flat)
    sizes = {len(members) for members in flat}
    all_members = f"all {sizes.pop()} members" if len(sizes) == 1 else "all members"
    yield _of_groups(
        "flat_groups",
        flat,
        groups,
        summary,
        f"{all_members} of {{share}} of the groups have the same reward, so there is no advantage: "
        f"{number(high)} groups at the highest reward (too easy), {number(len(flat) - high)} below it",
        "choose prompts that are neither always nor never solved (`GET /v1/prompts` has each one's success rate), or "
        "sample more responses a prompt",
    )


def one_reward(summary: Summary) -> Iterator[RunFault]:
    """Not where nothing was judged: then that is what is wrong."""
    paid = summary.where(lambda one: one.reward is not None)
    judged = [one for one in paid if one.is_judged()]
    values = _rewards(summary)
    if len(paid) < _FEWEST_RECORDS or len(values) != 1 or len(judged) < (1 - _EXPLAINED) * len(summary.records):
        return
    yield summary.fault(
        "one_reward",
        paid,
        f"have the reward {values.pop():g}, and none has another: there is nothing to learn from",
        "look at some of these records: is the reference the right one, and could a right response be paid?",
    )


def same_responses(summary: Summary) -> Iterator[RunFault]:
    groups = [members for members in summary.groups if len(members) >= _ALIKE_MEMBERS]
    alike = [members for members in groups if _same(members)]
    if len(groups) >= _FEWEST_GROUPS and len(alike) >= _ALIKE_GROUPS * len(groups):
        yield _of_groups(
            "same_responses",
            alike,
            groups,
            summary,
            "all members of {share} of the groups are the same response to the letter",
            "sample with a temperature above 0 and a seed of its own for each response",
        )


def shared_response(summary: Summary) -> Iterator[RunFault]:
    """One text for many prompts; where it is empty, that is told apart."""
    known = summary.where(lambda one: one.prompt is not None and _is_long(one))
    prompts: defaultdict[str, set[str]] = defaultdict(set)
    for one in known:
        if one.content is not None and one.prompt is not None:
            prompts[one.content.digest].add(one.prompt)
    digest = max(prompts, key=lambda text: len(prompts[text]), default=None)
    total = len({one.prompt for one in known})
    if digest is None or len(prompts[digest]) < max(_PROMPTS, _OF_PROMPTS * total):
        return
    some = [one for one in known if one.content is not None and one.content.digest == digest]
    yield summary.fault(
        "shared_response",
        some,
        f"are one and the same response, to {number(len(prompts[digest]))} of {number(total)} prompts",
        "look at whether the trainer pairs each response with its own prompt; if it does, the policy has collapsed",
    )


def _of_groups(
    kind: str, some: Sequence[list[Seen]], groups: Sequence[list[Seen]], summary: Summary, sentence: str, advice: str
) -> RunFault:
    members = [one for group in some for one in group]
    return RunFault(
        kind=kind,
        sentence=sentence.format(share=share(len(some) / len(groups))),
        advice=advice,
        count=len(some),
        of=len(groups),
        cost=summary.share(members),
        records=names([group[0] for group in some]),
    )


def _alike(members: Sequence[Seen]) -> bool:
    return members[0].reward is not None and len({one.reward for one in members}) == 1


def _rewards(summary: Summary) -> set[float]:
    return {one.reward for one in summary.records if one.reward is not None}


def _same(members: Sequence[Seen]) -> bool:
    texts = Counter(one.content.digest if one.content is not None else one.record for one in members)
    return len(texts) == 1 and _is_long(members[0])


def _is_long(one: Seen) -> bool:
    return one.content is not None and one.content.length >= _LONG
