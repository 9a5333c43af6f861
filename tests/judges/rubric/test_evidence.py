"""What a verdict tells of criteria that are not met, and that it never tells what is hidden.

The canaries: a judge that quotes all that it is shown, plain and in disguise, in every field that it may write.
"""

from __future__ import annotations

import base64
import json

import pytest
from pydantic import JsonValue

from tests.judges.replies import Replies, read, verdict_of
from tests.judges.rubric.judges import PRESETS, asked_about, rubric, said, sample
from trueward.wire.verdict import Verdict

REFERENCE = "REFCANARY-71f"
HIDDEN = "Mentions HIDCANARY-3b9 by name."
OPEN = "Mentions the sea."
RUBRIC: list[JsonValue] = [
    {"id": "open", "text": OPEN},
    {"id": "secret", "text": HIDDEN, "hidden": True, "weight": 0.5},
    {"id": "other", "text": "Mentions a boat."},
]
CANARIES = ("REFCANARY", "HIDCANARY", "71f", "3b9")


def disguised(secret: str) -> str:
    return " ".join(
        [secret, secret[::-1], secret.lower(), " ".join(secret), base64.b64encode(secret.encode()).decode()]
    )


def quoting(text: str) -> str:
    """Not met, because of everything that was shown."""
    shown = " | ".join(disguised(one) for one in (*asked_about(text), REFERENCE) if one in text)
    if '{"criteria"' in text:
        entries = [{"id": name, "reason": shown, "score": 0} for name in ("open", "secret", "other")]
        return json.dumps({"criteria": entries})
    return said(1 if "from 1 to 10" in text else 0, shown)


def judged(preset: str, level: str, reference: str | None = REFERENCE) -> Verdict:
    models = Replies(quoting)
    verdict = verdict_of(
        rubric(preset=preset, feedback=level), sample("Nothing of it.", RUBRIC, reference=reference), models
    )
    asked = " ".join(read(one.prompt) for one in models.asked)
    assert HIDDEN in asked
    assert (REFERENCE in asked) == (reference is not None)
    assert verdict.score == 0.0
    return verdict


def leaked(verdict: Verdict) -> list[str]:
    text = verdict.model_dump_json()
    forms = {form for canary in CANARIES for form in (canary, canary[::-1], canary.lower(), " ".join(canary))}
    forms |= {base64.b64encode(one.encode()).decode() for one in (REFERENCE, HIDDEN)}
    return sorted(form for form in forms if form in text)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("level", ["none", "status", "redacted"])
@pytest.mark.parametrize("reference", [REFERENCE, None])
def test_below_full_nothing_hidden_leaves_in_any_field_or_disguise(
    preset: str, level: str, reference: str | None
) -> None:
    assert leaked(judged(preset, level, reference)) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_at_full_all_is_told(preset: str) -> None:
    assert {"REFCANARY", "HIDCANARY"} <= set(leaked(judged(preset, "full")))


def test_a_failed_reply_tells_nothing_either() -> None:
    models = Replies(lambda text: quoting(text)[:-1])
    verdict = verdict_of(rubric(), sample("Nothing.", RUBRIC, reference=REFERENCE), models)
    assert verdict.reason_code == "judge_malformed"
    assert leaked(verdict) == []


def test_by_default_there_is_no_feedback() -> None:
    assert judged("rubric_each", "none").feedback is None
    assert judged("rubric_implicit", "status").feedback is None


def test_status_names_open_criteria_and_counts_hidden_ones() -> None:
    assert (
        judged("rubric_each", "status").feedback == "Not met as wished, 3 of 3:\n- open\n- other\n- hidden criteria: 1"
    )


def test_redacted_has_the_texts_of_open_criteria() -> None:
    feedback = judged("rubric_each", "redacted").feedback
    assert feedback == f"Not met as wished, 3 of 3:\n- open: {OPEN}\n- other: Mentions a boat.\n- hidden criteria: 1"


def test_a_judge_that_saw_nothing_secret_may_speak_of_what_it_saw() -> None:
    """One reply a criterion and no reference: only the hidden criterion's judge stays silent."""
    verdict = judged("rubric_each", "redacted", reference=None)
    told = verdict.evidence["criteria"]
    assert isinstance(told, dict)
    assert {name: "reason" in entry for name, entry in told.items()} == {"open": True, "secret": False, "other": True}  # type: ignore[operator]
    assert f"- open: {OPEN} ({OPEN}" in str(verdict.feedback)


def test_a_fault_that_is_there_is_told_as_one() -> None:
    given: JsonValue = {
        "weight_mode": "signed_abs_norm",
        "criteria": [{"text": "x"}, {"text": "Rambles on.", "weight": -1}],
    }
    verdict = verdict_of(rubric(feedback="redacted"), sample("a", given), Replies(lambda text: said(1, "it does")))
    assert verdict.feedback == "Not met as wished, 1 of 2:\n- c2: should not be met: Rambles on. (it does)"


def test_where_all_is_met_the_feedback_says_so() -> None:
    verdict = verdict_of(rubric(feedback="status"), sample("a", ["x"]), Replies(lambda text: said(1)))
    assert verdict.feedback == "Every criterion is met."


def test_a_rating_of_the_whole_is_told_in_the_judge_s_words_where_nothing_is_hidden() -> None:
    judge = rubric(preset="rubric_implicit", feedback="redacted")
    assert verdict_of(judge, sample("a", ["x"]), Replies(lambda text: said(3, "thin"))).feedback == "thin"
