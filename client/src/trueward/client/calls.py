"""The calls that carry no samples: jobs, runs, verifiers, recipes, the ledger, health."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from trueward.client.call import Call, json_bytes, segment
from trueward.client.chunk import clean
from trueward.client.plan import M, Recipe, model, post_json
from trueward.client.state import JobState, Readiness, RecipeInfo, RecipeList, RunList
from trueward.errors import InvalidRecipe
from trueward.wire.diagnosis import RunDiagnosis
from trueward.wire.recipe import (
    CorrectedRecipe,
    RecipeDifference,
    RecipeValidation,
    RecipeVersion,
    RecipeVersions,
    StoredRecipe,
)
from trueward.wire.record import Explanation, RewardPage
from trueward.wire.replay import ReplayLine, ReplayReport
from trueward.wire.run import Run
from trueward.wire.step import StepPage
from trueward.wire.verifier import Catalogue

_YAML = "application/yaml"


def job(job_id: str) -> Call[JobState]:
    return Call("GET", f"/v1/jobs/{segment(job_id)}", model(JobState))


def cancel(job_id: str) -> Call[None]:
    """What it answers does not matter: the state is asked for afterwards."""
    return Call("DELETE", f"/v1/jobs/{segment(job_id)}", lambda body: None)


def results_path(job_id: str) -> str:
    return f"/v1/jobs/{segment(job_id)}/results"


def catalogue() -> Call[Catalogue]:
    return Call("GET", "/v1/verifiers", model(Catalogue))


def runs(after: str | None, limit: int) -> Call[list[Run]]:
    query = urlencode({"limit": limit} | ({} if after is None else {"after": after}))
    return Call("GET", f"/v1/runs?{query}", lambda body: model(RunList)(body).runs)


def run(run_id: str) -> Call[Run]:
    return Call("GET", f"/v1/runs/{segment(run_id)}", model(Run))


def run_rewards(run_id: str, after: str | None, limit: int) -> Call[RewardPage]:
    query = urlencode({"run": run_id, "limit": limit} | ({} if after is None else {"after": after}))
    return Call("GET", f"/v1/rewards?{query}", model(RewardPage))


def diagnosis(run_id: str) -> Call[RunDiagnosis]:
    return Call("GET", f"/v1/runs/{segment(run_id)}/doctor", model(RunDiagnosis))


def steps(run_id: str, after: int | None, limit: int) -> Call[StepPage]:
    query = urlencode({"limit": limit} | ({} if after is None else {"after": after}))
    return Call("GET", f"/v1/runs/{segment(run_id)}/steps?{query}", model(StepPage))


def replay(run_id: str) -> Call[ReplayReport]:
    """Its progress comes before the report and is passed over: it keeps the connection busy."""

    def read(body: bytes) -> ReplayReport:
        last = model(ReplayLine)(body.strip().rsplit(b"\n", 1)[-1])
        if last.report is None:
            raise ValueError("the answer was cut off before its report")
        return last.report

    return Call("POST", f"/v1/runs/{segment(run_id)}/replay", read)


def explanation(record: str) -> Call[Explanation]:
    return Call("GET", f"/v1/verdicts/{segment(record)}/explanation", model(Explanation))


def recipes() -> Call[list[RecipeInfo]]:
    return Call("GET", "/v1/recipes", lambda body: model(RecipeList)(body).recipes)


def recipe(reference: str) -> Call[RecipeInfo]:
    return Call("GET", _recipe(reference), model(RecipeInfo))


def put_recipe(name: str, recipe: Recipe, estimator: str) -> Call[StoredRecipe]:
    """``recipe``: a mapping, or YAML."""
    return _written("PUT", f"{_recipe(name)}?{urlencode({'estimator': estimator})}", recipe, StoredRecipe)


def validate_recipe(recipe: Recipe, estimator: str) -> Call[RecipeValidation]:
    """``recipe``: a mapping, or YAML."""
    return _written("POST", f"/v1/recipes/validate?{urlencode({'estimator': estimator})}", recipe, RecipeValidation)


def correct_recipe(reference: str, audit: str, name: str | None, estimator: str) -> Call[CorrectedRecipe]:
    body = {"audit": audit, "estimator": estimator, **({} if name is None else {"name": name})}
    return post_json(f"{_recipe(reference)}/correct", body, model(CorrectedRecipe))


def delete_recipe(name: str) -> Call[RecipeVersion]:
    return Call("DELETE", _recipe(name), model(RecipeVersion))


def recipe_versions(name: str) -> Call[list[RecipeVersion]]:
    return Call("GET", f"{_recipe(name)}/versions", lambda body: model(RecipeVersions)(body).versions)


def recipe_difference(name: str, before: str | None, after: str | None) -> Call[RecipeDifference]:
    asked = {"from": before, "to": after}
    query = urlencode({key: value for key, value in asked.items() if value is not None})
    return Call("GET", f"{_recipe(name)}/diff?{query}", model(RecipeDifference))


def _written(method: str, path: str, recipe: Recipe, answer: type[M]) -> Call[M]:
    if isinstance(recipe, str):
        body, kind = recipe.encode(errors="replace"), _YAML
    else:
        body, kind = _json(recipe), "application/json"
    return Call(method, path, model(answer), lambda remaining_s: [body], content_type=kind)


def _json(recipe: Mapping[str, object]) -> bytes:
    try:
        return json_bytes(clean(dict(recipe)))
    except (ValueError, TypeError, RecursionError) as refusal:
        raise InvalidRecipe(f"the recipe cannot be written as JSON: {refusal}") from refusal


def _recipe(reference: str) -> str:
    return f"/v1/recipes/{segment(reference)}"


def health() -> Call[Readiness]:
    """A service that is not ready says so with status 503 and the same report."""
    return Call("GET", "/health/ready", model(Readiness), also_answers=frozenset({503}))


def polls() -> Iterator[float]:
    """Seconds between looks at a job: quick at first, at most two."""
    wait_s = 0.05
    while True:
        yield wait_s
        wait_s = min(2.0, wait_s * 1.5)
