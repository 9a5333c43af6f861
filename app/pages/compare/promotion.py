"""What follows from a comparison of recipes: a run goes on with the one that was judged, or a name stands for it.

Both are the recorded acts that the API has: the pin of a run leaves a mark with its reason, a name keeps every content
that it ever stood for. What is promoted is the content that the audit judged with, whatever its name stands for today.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

from app.audits.population import RUN
from app.audits.service import AuditsService
from app.keys.admission import Principal, refuse_other_projects
from app.pages.compare.views import PromoteForm, PromotionView
from app.path.plan import Planner
from app.recipes.parsing import Written
from app.recipes.service import RecipesService
from app.runs.service import Runs
from rewards.difference import difference
from rewards.recipe import Recipe
from trueward.errors import AnsweredError, Conflict, InvalidRequest, NotFound
from trueward.estimators.noise import Estimator
from trueward.wire.audit import Audit, ReverifyAudit, Subject
from trueward.wire.recipe import RecipeChange


async def find_judged_hash(runs: Runs, audit: Audit) -> str | None:
    """The content that an audit of a recipe judged with: what the audit's own run has pinned."""
    if not isinstance(audit.spec, ReverifyAudit) or audit.spec.subject.recipe is None:
        return None
    with suppress(NotFound):
        return (await runs.show(RUN + audit.id)).recipe
    return None


class Promotion:
    """Of one audit: what it would change, and the change itself."""

    def __init__(self, audits: AuditsService, runs: Runs, recipes: RecipesService, planner: Planner) -> None:
        self._audits = audits
        self._runs = runs
        self._recipes = recipes
        self._planner = planner

    async def view(self, audit: str, form: PromoteForm) -> PromotionView:
        """Raises :class:`NotFound`, :class:`Conflict` where there is nothing to promote, or :class:`InvalidRequest`."""
        if bool(form.run) == bool(form.name):
            detail = "name the run whose pin moves, or the name that stands for the recipe: exactly one"
            raise InvalidRequest.at_field("run", "form", detail)
        found = await self._audits.show(audit)
        recipe = await self._recipe_of(found)
        before = await self._before(form)
        return PromotionView(
            audit=audit,
            target="run" if form.run else "name",
            name=form.run or form.name,
            before=before,
            after=recipe.hash,
            recipe=recipe.name,
            already=before == recipe.hash,
            changes=self._changes(found, form, before, recipe),
        )

    async def carry_out(self, audit: str, form: PromoteForm, who: Principal) -> None:
        """Raises :class:`InvalidRequest` without a reason, :class:`Forbidden` for a name that other projects share, and
        what moving a pin or putting a recipe meets."""
        if not form.reason.strip():
            detail = "a promotion needs a reason: it is kept with the record of the change"
            raise InvalidRequest.at_field("reason", "missing", detail)
        recipe = await self._recipe_of(await self._audits.show(audit))
        if form.run:
            await self._runs.show(form.run)  # a promotion makes no run
            await self._runs.pin(form.run, recipe, None, f"{form.reason} (comparison {audit})"[:1000], who.owner)
            return
        refuse_other_projects(who)
        body = recipe.model_dump(mode="json")
        await self._recipes.put(form.name, Written(body, json.dumps(body), None), Estimator.STANDARDISED, who.owner)

    async def _recipe_of(self, audit: Audit) -> Recipe:
        if audit.state != "completed":
            raise Conflict(f"audit {audit.id} is {audit.state}: there is nothing to promote yet")
        judged = await find_judged_hash(self._runs, audit)
        if judged is None or not isinstance(audit.spec, ReverifyAudit):
            raise Conflict(f"audit {audit.id} judged with no recipe: only recipes are promoted")
        for recipe in self._candidates(audit.spec.subject, judged):
            if recipe.hash == judged:
                return recipe
        raise Conflict(f"the recipe {judged} that audit {audit.id} judged with is not stored any more: put it again")

    def _candidates(self, subject: Subject, digest: str) -> Iterator[Recipe]:
        """What the subject is today, and what its name once was."""
        assert subject.recipe is not None
        with suppress(AnsweredError):
            yield self._planner.plan(subject.recipe).recipe
        if isinstance(subject.recipe, str):
            with suppress(AnsweredError):
                yield self._recipes.find(f"{subject.recipe.partition('@')[0]}@{digest}")

    async def _before(self, form: PromoteForm) -> str | None:
        if form.run:
            return (await self._runs.show(form.run)).recipe
        with suppress(NotFound):
            return self._recipes.find(form.name).hash
        return None

    def _changes(self, audit: Audit, form: PromoteForm, before: str | None, after: Recipe) -> list[RecipeChange] | None:
        if before is None:
            return None
        assert isinstance(audit.spec, ReverifyAudit)
        names = {form.name, after.name}
        names |= {
            one.partition("@")[0]
            for one in (audit.spec.before.recipe, audit.spec.subject.recipe)
            if isinstance(one, str)
        }
        for name in sorted(filter(None, names)):
            with suppress(AnsweredError):
                old = self._recipes.find(f"{name}@{before}")
                return [RecipeChange(**change._asdict()) for change in difference(old, after)]
        return None
