"""What the rewards of a first batch say about a trainer's set-up: one sentence, the gravest first.

Looked at in this order: rewards that are missing (the reference does not arrive, or nobody can read it), responses in
which nothing was found to judge (the template wants another form than the recipe reads), rewards that are all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

MISSING = 0.05
"""Share of missing rewards from which a batch is not right."""

NOT_FOUND = 0.5
"""Share of one reason among invalid responses from which it is the set-up's fault, not the policy's."""

_FEWEST = 4
_SHOWN = 200

REFERENCES = {
    "areal": "give `reference_column` the name of your data's column",
    "aws": "the rows have no `reference_answer`, or `reference_key` names no field of it",
    "cloud-run": "`reference` names no key of the examples' `references`",
    "eval-protocol": "`ground_truth` of the call is empty",
    "fireworks": "the rows have no `ground_truth`",
    "inspect": "the samples have no `target`",
    "llama-factory": "its PPO sends none, so take a recipe that needs none",
    "math-verify": "the gold answer is empty",
    "ms-swift": "give `reference_column` the name of your data's column, or map it with --columns",
    "nemo-gym": "the rows have no `expected_answer`",
    "nemo-rl": "`reference_key` names no key of `extra_env_info`",
    "open-instruct": "--ground_truths_key names no column of your data",
    "openenv": "what `sample` gives has no `reference`",
    "openrlhf": "--data.label_key names no column of your data",
    "prime": "`reference` names no field of the task's data that has one",
    "rllm": "`reference_key` names no field of the rows",
    "roll": "the rows have no `ground_truth`",
    "skyrl": "the rows have no `reward_spec.ground_truth`",
    "slime": "--label-key names no column of your data",
    "tinker": "give the builder the reference after the prompt",
    "trl": "give `reference_column` the name of your data set's column",
    "verl": "the rows have no `reward_model.ground_truth`",
}
"""Where each trainer takes the reference from: what to look at where none arrives."""

_FORMS = (("\\boxed", "\\boxed"), ("<answer>", "<answer>"), ("####", "####"), ("answer:", '"Answer:"'))
_READS = {
    "boxed": "\\boxed",
    "tag": "<answer>",
    "marker": 'a marker such as "Answer:" or ####',
    "math": "a box, an answer tag, a marker or a last expression",
    "text": "a box, an answer tag or a marker",
    "last_expression": "the last expression",
    "whole": "the whole response",
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    ok: bool
    sentence: str


def diagnosis(
    trainer: str, recipe: Mapping[str, JsonValue], rewards: Sequence[Reward], responses: Sequence[str] = ()
) -> Diagnosis:
    """``responses`` are the texts that were judged, where they are at hand; ``recipe`` is the document, in full."""
    if not rewards:
        return Diagnosis(False, "no sample was judged: the trainer has sent nothing yet")
    missing = [reward for reward in rewards if reward.outcome.missing]
    if len(missing) > MISSING * len(rewards):
        return Diagnosis(False, _of_missing(trainer, missing, len(rewards)))
    invalid = [reward for reward in rewards if reward.outcome is Outcome.INVALID]
    if len(invalid) > NOT_FOUND * len(rewards):
        return Diagnosis(False, _of_invalid(recipe, invalid, len(rewards), responses))
    values = {reward.reward for reward in rewards if reward.reward is not None}
    if len(values) == 1 and len(rewards) >= _FEWEST:
        return Diagnosis(False, f"all {len(rewards)} rewards are {values.pop():g}: there is nothing to learn from")
    right = sum(reward.outcome is Outcome.CORRECT for reward in rewards)
    said = f"{_share(right, len(rewards))} correct, {_share(len(invalid), len(rewards))} invalid, "
    return Diagnosis(True, said + f"{_share(len(missing), len(rewards))} missing of {len(rewards)}")


def _of_missing(trainer: str, missing: Sequence[Reward], total: int) -> str:
    last, said = _commonest(missing, total)
    if last.reason_code == "no_reference":
        where = REFERENCES.get(trainer, "the column with the gold answers is empty or has another name")
        return f"{said}: no reference arrives; {where}"
    return f"{said}: {last.reason[:_SHOWN]}"


def _of_invalid(
    recipe: Mapping[str, JsonValue], invalid: Sequence[Reward], total: int, responses: Sequence[str]
) -> str:
    last, said = _commonest(invalid, total)
    match last.reason_code:
        case "no_answer":
            written = _written(responses)
            wanted = f"your template wants {written}" if written else "the responses mark no answer"
            return f"{said}: {wanted}, the recipe reads {_read(recipe)}"
        case "unclosed_thinking":
            return f"{said}: the responses end within their thinking; allow more new tokens"
        case "empty":
            return f"{said}: the responses are empty, or hold special tokens alone; look at what the trainer decodes"
        case _:
            return f"{said}: {last.reason[:_SHOWN]}"


def _commonest(rewards: Sequence[Reward], total: int) -> tuple[Reward, str]:
    """The last with the commonest reason, and that reason with its share of the batch."""
    ((code, count),) = Counter(reward.reason_code for reward in rewards).most_common(1)
    return next(one for one in reversed(rewards) if one.reason_code == code), f"{_share(count, total)} `{code}`"


def forms(text: str) -> frozenset[str]:
    """The forms in which a response marks an answer."""
    lower = text.lower()
    return frozenset(shown for mark, shown in _FORMS if mark in lower)


def read_as(rule: str) -> str:
    """What a rule of extraction reads, in words."""
    return _READS.get(rule, rule)


def _written(responses: Sequence[str]) -> str:
    """The form that most of the responses have, if any."""
    found = [forms(text) for text in responses]
    counts = {shown: sum(shown in each for each in found) for _, shown in _FORMS}
    shown = max(counts, key=lambda form: counts[form])
    return shown if counts[shown] * 2 > len(responses) else ""


def _read(recipe: Mapping[str, JsonValue]) -> str:
    found = dict.fromkeys(read_as(rule) for rule in _rules(recipe))
    return " or ".join(found) if found else _READS["math"]


def _rules(value: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    """What the parameter ``extract`` of any term says."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name == "extract":
                yield from [str(one) for one in (inner if isinstance(inner, list) else [inner])]
            else:
                yield from _rules(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _rules(inner)


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.0f}%"
