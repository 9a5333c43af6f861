"""Other people's statistics, asked in their own environment (.venv-oracles): a line of JSON questions in,
a line of JSON answers out.

Run as a script, since statsmodels, scikit-learn and crowd-kit are no part of ours.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

# crowd-kit and pandas deprecate each other; what counts here is the numbers
warnings.simplefilter("ignore")


def proportion(errors: int, trials: int, level: float, method: str) -> list[float]:
    from statsmodels.stats.proportion import proportion_confint

    return [float(end) for end in proportion_confint(errors, trials, alpha=1 - level, method=method)]


def newcombe(first: list[int], second: list[int], level: float) -> list[float]:
    from statsmodels.stats.proportion import confint_proportions_2indep

    return [
        float(end)
        for end in confint_proportions_2indep(*first, *second, method="newcomb", compare="diff", alpha=1 - level)
    ]


def adjusted(p_values: list[float], method: str) -> list[float]:
    from statsmodels.stats.multitest import multipletests

    return [float(value) for value in multipletests(p_values, method=method)[1]]


def mcnemar(gained: int, lost: int) -> float:
    from statsmodels.stats.contingency_tables import mcnemar as test

    return float(test([[0, gained], [lost, 0]], exact=True).pvalue)


def kappa(table: list[list[int]]) -> float:
    from statsmodels.stats.inter_rater import cohens_kappa

    return float(cohens_kappa(table, return_results=False))


def scores(truth: list[int], score: list[float]) -> dict[str, Any]:
    from sklearn import metrics

    false_positive_rate, recall, thresholds = metrics.roc_curve(truth, score, drop_intermediate=False)
    return {
        "auc": metrics.roc_auc_score(truth, score),
        "average_precision": metrics.average_precision_score(truth, score),
        "thresholds": [float(one) for one in thresholds[1:]],
        "false_positive_rate": [float(one) for one in false_positive_rate],
        "recall": [float(one) for one in recall],
    }


def classes(truth: list[int], said: list[int]) -> dict[str, float]:
    from sklearn import metrics

    return {
        "accuracy": metrics.accuracy_score(truth, said),
        "precision": metrics.precision_score(truth, said),
        "recall": metrics.recall_score(truth, said),
        "f1": metrics.f1_score(truth, said),
        "mcc": metrics.matthews_corrcoef(truth, said),
        "kappa": metrics.cohen_kappa_score(truth, said),
        "youden": metrics.balanced_accuracy_score(truth, said, adjusted=True),
    }


def brier(truth: list[int], confidence: list[float]) -> float:
    from sklearn import metrics

    return float(metrics.brier_score_loss(truth, confidence))


def dawid_skene(votes: list[list[int | None]], iterations: int) -> dict[str, Any]:
    import pandas
    from crowdkit.aggregation import DawidSkene

    rows = [
        (item, voter, vote) for item, cast in enumerate(votes) for voter, vote in enumerate(cast) if vote is not None
    ]
    data = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    fitted = DawidSkene(n_iter=iterations, tol=-1.0).fit(data)
    labels = sorted(data.label.unique())
    voters = range(len(votes[0]))
    errors = fitted.errors_.reindex([(voter, label) for voter in voters for label in labels], fill_value=0.0)
    return {
        "posterior": fitted.probas_.loc[range(len(votes)), labels].to_numpy().tolist(),
        "prior": fitted.priors_.loc[labels].tolist(),
        # theirs has the observed label in the rows, the true one in the columns
        "confusion": [errors.loc[voter][labels].to_numpy().T.tolist() for voter in voters],
    }


ANSWERS: dict[str, Callable[..., Any]] = {
    one.__name__: one for one in (proportion, newcombe, adjusted, mcnemar, kappa, scores, classes, brier, dawid_skene)
}

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps([ANSWERS[name](**arguments) for name, arguments in json.loads(line)]), flush=True)
