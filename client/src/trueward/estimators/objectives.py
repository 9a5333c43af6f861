"""Several objectives at once: each is normalised for itself before they are added.

In a plain sum the objective with the largest variance decides. Sources: MO-GRPO (arXiv 2509.22047) and GDPO
(arXiv 2601.05242).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trueward.estimators.advantage import standardise
from trueward.estimators.scores import Scores
from trueward.former_names import former_names


def sum_normalised(
    objectives: Mapping[str, Scores], weights: Mapping[str, float], *, ddof: int = 1, epsilon: float = 1e-6
) -> list[float]:
    """``sum over k of w_k (r_k - mean_k) / (std_k + epsilon)`` within a group (MO-GRPO).

    All objectives have the same length G. An objective without spread gives 0, and so does a missing score.
    """
    columns = [
        [weights[name] * advantage for advantage in standardise(values, ddof=ddof, epsilon=epsilon)]
        for name, values in objectives.items()
    ]
    return [math.fsum(parts) for parts in zip(*columns, strict=True)]


def whiten(groups: Sequence[Sequence[float]], *, ddof: int = 1, epsilon: float = 1e-8) -> list[list[float]]:
    """Advantages normalised once more over the whole batch: ``(a - mean) / sqrt(var + epsilon)``.

    The second step of GDPO, and REINFORCE++ with a group baseline (arXiv 2501.03262), whose libraries differ in
    ``ddof``. Advantages that stand for a missing score belong left out by the caller.
    """
    flat = [value for group in groups for value in group]
    if len(flat) <= ddof or min(flat) == max(flat):
        return [[0.0] * len(group) for group in groups]
    middle = math.fsum(flat) / len(flat)
    variance = math.fsum((value - middle) ** 2 for value in flat) / (len(flat) - ddof)
    scale = 1.0 / math.sqrt(variance + epsilon)
    return [[(value - middle) * scale for value in group] for group in groups]


__getattr__ = former_names(__name__, {"normalised_sum": "sum_normalised", "whitened": "whiten"})
