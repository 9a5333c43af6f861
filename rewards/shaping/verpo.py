"""``verpo``: tests weigh more the fewer responses pass them and the fewer tests are like them.

Source: VeRPO, arXiv 2601.03525 version 3. Many easy tests no longer outvote the hard one. The constants are not
published: those here are starting points. Subtract the group's mean and do not divide by its spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from rewards.schema import Share
from rewards.shaping.base import GroupShaping, Values
from rewards.view import Unshapeable, View, is_correct, is_number


def weights_of_tests(
    rates: Sequence[float], alpha: float = 1.0, sigma: float = 0.1, delta: float = 1e-6
) -> list[float]:
    """``exp(-alpha rate) / (density + delta)``; the density of a test sums a Gaussian of width ``sigma`` over all."""
    densities = [math.fsum(math.exp(-((rate - other) ** 2) / (2 * sigma**2)) for other in rates) for rate in rates]
    return [math.exp(-alpha * rate) / (density + delta) for rate, density in zip(rates, densities, strict=True)]


def pass_rates(results: Sequence[Sequence[float]]) -> list[float]:
    """The share of the responses that pass each test; all have the same tests."""
    return [math.fsum(column) / len(results) for column in zip(*results, strict=True)]


def move_rates(running: Sequence[float] | None, rates: Sequence[float], rate: float = 0.1) -> tuple[float, ...]:
    """Running pass rates after another group; they begin anew where the tests are others."""
    if running is None or len(running) != len(rates):
        return tuple(rates)
    return tuple((1 - rate) * old + rate * new for old, new in zip(running, rates, strict=True))


class Verpo(GroupShaping):
    """``1[all pass] x discount^(turns - 1) + share x sum of w_j p_j``; ``normalise`` divides the sum by that of w.

    Reads each test's result from the evidence: true, false, a number in [0, 1], or an object with ``status`` or
    ``passed``. A response that gave nothing to run has failed every test, also in the pass rates (version 1 left it
    out of them).
    """

    method: Literal["verpo"]
    tests: str = "tests"
    alpha: float = 1.0
    sigma: float = Field(0.1, gt=0)
    delta: float = Field(1e-6, ge=0)
    share: float = Field(0.5, ge=0)
    discount: Share = 1.0
    statistics: Literal["group", "ema"] = "group"
    rate: float = Field(0.1, gt=0, le=1)
    normalise: bool = False
    version: ClassVar[int] = 2

    def needs(self, view: View) -> None:
        self.results(view)

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        there = [index for index, value in enumerate(values) if value is not None]
        results = {index: found for index in there if (found := self.results(views[index])) is not None}
        if not results:
            return list(values)
        weights = weights_of_tests(
            self._rates(results, len(there) - len(results), views), self.alpha, self.sigma, self.delta
        )
        scale = math.fsum(weights) if self.normalise else 1.0
        shaped = list(values)
        for index in there:
            # a response without results gave nothing to run: it passed no test
            passed = results.get(index, [0.0] * len(weights))
            partial = math.fsum(weight * ok for weight, ok in zip(weights, passed, strict=True)) / scale
            whole = self.discount ** (_turns(views[index]) - 1) if is_correct(views[index].verdict) else 0.0
            shaped[index] = whole + self.share * partial
        return shaped

    def results(self, view: View) -> list[float] | None:
        """What each test said; None where the response gave nothing to run."""
        if view.verdict.score == 0 and self.tests not in view.verdict.evidence:
            return None
        found = view.verdict.evidence.get(self.tests)
        if not isinstance(found, list) or not found:
            raise Unshapeable("no_evidence", f"the recipe needs the tests' results in {self.tests!r} of the evidence")
        return [_passed(entry) for entry in found]

    def _rates(self, results: dict[int, list[float]], failed: int, views: Sequence[View]) -> Sequence[float]:
        lengths = {len(found) for found in results.values()}
        if len(lengths) > 1:
            raise Unshapeable("tests_differ", "the responses of a group were run on different tests")
        conditions = views[0].conditions
        if conditions.version(self.method, self.version) < 2:
            failed = 0
        rates = pass_rates([*results.values(), *[[0.0] * lengths.pop()] * failed])
        running = conditions.state.tests.get(views[0].group)
        if self.statistics == "group" or running is None or len(running) != len(rates):
            return rates
        return running


def _passed(entry: JsonValue) -> float:
    if isinstance(entry, dict):
        entry = entry.get("status") == "passed" if "status" in entry else entry.get("passed")
    if isinstance(entry, bool):
        return float(entry)
    if isinstance(entry, int | float) and is_number(entry) and 0 <= entry <= 1:
        return float(entry)
    raise Unshapeable("no_evidence", "a test's result is true, false, a number in [0, 1], or an object with status")


def _turns(view: View) -> int:
    response = view.sample.response
    return 1 if not isinstance(response, list) else max(sum(message.is_policy for message in response), 1)
