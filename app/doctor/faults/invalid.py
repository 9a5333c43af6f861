"""Responses in which there was nothing to judge: most often the template wants another form than the recipe reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from app.doctor.summary import Seen, Summary
from trueward.trainers.first_batch import read_as
from trueward.wire.diagnosis import RunFault
from trueward.wire.verdict import Outcome

NO_ANSWER = "no_answer"
_OFTEN = 0.1
"""Share from which it is the set-up's fault, not the policy's: one that has not learned a form misses it at times."""
_SURELY = 0.2
_RARELY = 0.05
CAUSES = {
    "unclosed_thinking": (
        _OFTEN,
        "the responses end within their thinking, so nothing after it is an answer",
        "allow more new tokens; where the trainer cuts the closing tag out as a special token, let it keep it",
    ),
    "empty": (
        _RARELY,
        "the responses have no text, or special tokens alone",
        "look at what the trainer decodes, and whether it sends the response or the prompt's end",
    ),
}
"""From which share, what is wrong, what to do."""
_SHOWN = 200


def no_answer(summary: Summary) -> Iterator[RunFault]:
    some = _invalid(summary, NO_ANSWER)
    if summary.share(some) < _OFTEN:
        return
    form = _form(some)
    wrote = f"the responses write {form}" if form else "the responses mark no answer"
    reads = " or ".join(dict.fromkeys(map(read_as, summary.reads)))
    told = f", the verifier reads {reads}" if reads else ""
    advice = (
        "let `extract` of the verifier and the prompt's template name one form"
        if form
        else "let the prompt ask for a form, such as \\boxed{}, that the verifier's `extract` reads"
    )
    yield summary.fault(NO_ANSWER, some, f"`{NO_ANSWER}`: {wrote}{told}", advice)


def invalid_causes(summary: Summary) -> Iterator[RunFault]:
    """Causes that say by themselves what is wrong."""
    for code, (from_share, sentence, advice) in CAUSES.items():
        some = _invalid(summary, code)
        if summary.share(some) >= from_share:
            yield summary.fault(code, some, f"`{code}`: {sentence}", advice)


def other_invalid(summary: Summary) -> Iterator[RunFault]:
    """One finding a cause."""
    others = summary.where(lambda one: one.outcome is Outcome.INVALID and one.reason_code not in {NO_ANSWER, *CAUSES})
    for code, count in Counter(one.reason_code for one in others).most_common():
        if count < _SURELY * len(summary.records):
            return
        some = [one for one in others if one.reason_code == code]
        yield summary.fault(
            "invalid", some, f"`{code}`: {some[0].reason[:_SHOWN]}", "look at these responses: nothing else is paid"
        )


def _invalid(summary: Summary, code: str) -> list[Seen]:
    return summary.where(lambda one: one.outcome is Outcome.INVALID and one.reason_code == code)


def _form(some: list[Seen]) -> str:
    """The form that most of the responses have, if any."""
    counts = Counter(form for one in some if one.content is not None for form in sorted(one.content.forms))
    form, count = next(iter(counts.most_common(1)), ("", 0))
    return form if count * 2 > len(some) else ""
