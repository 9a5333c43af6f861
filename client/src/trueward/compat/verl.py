"""verl's ``compute_score`` of rule-based data sets (``default_compute_score`` of 0.9), judged by Trueward's verifiers.

::

    reward.custom_reward_function.path=pkg://trueward.compat.verl reward.custom_reward_function.name=compute_score

The data source names the check and the scale, as in verl: 1 and 0, for ``math_dapo``, ``math`` and ``aime*`` 1 and -1,
for ``geometry3k`` 0.9 for the answer and 0.1 for the form. A data source that verl's function does not know raises
NotImplementedError; so do programs, which the service judges in its sandbox (docs/trainers/verl.md).

Every result has the same keys: ``score``, ``acc``, ``pred`` (the answer found, or an empty text), ``trueward_outcome``
and ``trueward_missing``. For a missing score stands the mean of those of its group (``extra_info["index"]``) that this
process has judged, else the middle of the scale, flagged. verl judges responses one by one and in several processes:
where a whole group is missing, as without a usable reference, every one of them gives the middle, so its advantages
are 0.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from pydantic import JsonValue

from trueward.compat.workers import Fields, workers
from trueward.trainers.standing_in import OUTCOMES, Mean
from trueward.wire.verdict import Outcome, Verdict

_NAME = __name__
workers(_NAME)  # where no verifiers are, importing this module says so

_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """How a data source is judged: ``wrong`` is what a wrong answer gets, ``form`` the share of the answer's form."""

    verifier: str = "math"
    params: tuple[tuple[str, JsonValue], ...] = ()
    wrong: float = 0.0
    form: float = 0.0


_MATH, _DAPO, _GEOMETRY = SourceCheck(), SourceCheck(wrong=-1.0), SourceCheck(form=0.1)
_SEARCH = SourceCheck("qa", (("extract", "tag"), ("measure", "exact")))

CHECKS = {
    "openai/gsm8k": _MATH,
    "lighteval/MATH": _MATH,
    "DigitalLearningGmbH/MATH-lighteval": _MATH,
    "HuggingFaceH4/MATH-500": _MATH,
    "math_dapo": _DAPO,
    "math": _DAPO,
    "math_dapo_reasoning": _DAPO,
    "numina_aops_forum": _MATH,
    "numina_synthetic_math": _MATH,
    "numina_amc_aime": _MATH,
    "numina_synthetic_amc": _MATH,
    "numina_cn_k12": _MATH,
    "numina_olympiads": _MATH,
    "hiyouga/geometry3k": _GEOMETRY,
    "searchR1_nq": _SEARCH,
    "searchR1_triviaqa": _SEARCH,
    "searchR1_popqa": _SEARCH,
    "searchR1_hotpotqa": _SEARCH,
    "searchR1_2wikimultihopqa": _SEARCH,
    "searchR1_musique": _SEARCH,
    "searchR1_bamboogle": _SEARCH,
}
"""By data source; whatever begins with ``aime`` is as ``math_dapo``."""

PROGRAMS = frozenset({"codecontests", "apps", "codeforces", "taco"})


class ProcessMeans:
    """What stands in for the scores of one process that are missing; safe to share between threads."""

    _MOST = 16_384
    """Groups; whose last score is longest ago is forgotten first."""

    def __init__(self) -> None:
        self._means: OrderedDict[str, Mean] = OrderedDict()
        self._lock = threading.Lock()

    def number(self, group: str | None, value: float | None, middle: float) -> float:
        """``value``; where it is None the mean of the group's scores so far, ``middle`` where there is none."""
        with self._lock:
            if value is None:
                found = self._means.get(group) if group is not None else None
                return middle if found is None else found.value
            if group is not None:
                self._means.setdefault(group, Mean()).add(value)
                self._means.move_to_end(group)
                if len(self._means) > self._MOST:
                    self._means.popitem(last=False)
            return value


_scores, _rights = ProcessMeans(), ProcessMeans()


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: object,
    extra_info: Mapping[str, object] | None = None,
    sandbox_fusion_url: str | None = None,
    concurrent_semaphore: object = None,
    memory_limit_mb: int | None = None,
    **of_verl: object,
) -> dict[str, float | str]:
    """The score of one response, blocking; verl calls it in threads. The last three have no effect."""
    check = _check(data_source)
    sample: Fields = {"response": solution_str, "reference": _reference(check, ground_truth)}
    verdict = workers(_NAME).verdict(check.verifier, dict(check.params), sample)
    index = (extra_info or {}).get("index")
    group = None if index is None else f"{data_source}/{index}"
    missing = verdict.score is None
    right = verdict.outcome is Outcome.CORRECT
    score = None if missing else _priced(check, right, solution_str)
    return {
        "score": _scores.number(group, score, (1.0 + check.wrong) / 2),
        "acc": _rights.number(group, None if missing else float(right), 0.5),
        "pred": _extracted_text(verdict),
        "trueward_outcome": OUTCOMES[verdict.outcome],
        "trueward_missing": float(missing),
    }


def _check(data_source: str) -> SourceCheck:
    if data_source.startswith("aime"):
        return _DAPO
    if data_source in PROGRAMS:
        raise NotImplementedError(
            f"programs ({data_source!r}) are judged in the service's sandbox: use trueward.trainers.verl, or set "
            "reward.sandbox_fusion.url to the service's /run_code"
        )
    if data_source not in CHECKS:
        raise NotImplementedError(f"no check for the data source {data_source!r}; known: {', '.join(CHECKS)}, aime*")
    return CHECKS[data_source]


def _reference(check: SourceCheck, ground_truth: object) -> JsonValue:
    """Search-R1's rows have ``{"target": [...]}``; Parquet gives lists as NumPy arrays."""
    if check is _SEARCH and isinstance(ground_truth, Mapping):
        ground_truth = ground_truth.get("target")
    return cast(JsonValue, ground_truth.tolist() if isinstance(ground_truth, np.ndarray | np.generic) else ground_truth)


def _priced(check: SourceCheck, right: bool, response: str) -> float:
    score = 1.0 if right else check.wrong
    return (1.0 - check.form) * score + check.form * _formed(response) if check.form else score


def _formed(response: str) -> bool:
    r"""Whether it is ``<think>...</think>...\boxed{...}...``, as geometry3k's rows are asked to be."""
    place = 0
    for part in ("</think>", "\\boxed{", "}"):
        place = response.find(part, place)
        if place < 0:
            return False
    return response.startswith("<think>")


def _extracted_text(verdict: Verdict) -> str:
    return str(verdict.evidence.get("extracted", ""))[:_LONGEST]
