"""Which pages there are: the one list that routes, navigation and tests go by."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from fastapi import APIRouter

from app.keys.admission import Principal
from trueward.wire.key import KeyScope


@dataclass(frozen=True, slots=True)
class Page:
    """``module`` has the ``router``; a page without a ``title`` is not in the navigation, one that is ``shared`` for
    keys of the default project alone."""

    module: str
    title: str = ""
    path: str = ""
    scope: KeyScope = "view"
    shared: bool = False

    @property
    def router(self) -> APIRouter:
        router: APIRouter = import_module(self.module).router
        return router


FIRST = "/ui/"
PAGES = (
    Page("app.pages.start", "Start", FIRST),
    Page("app.pages.catalogue"),
    Page("app.pages.presets.endpoints"),
    Page("app.pages.overview.endpoints", "Overview", "/ui/overview", shared=True),
    Page("app.pages.runs.endpoints", "Runs", "/ui/runs"),
    Page("app.pages.doctor"),
    Page("app.pages.runs.acts"),
    Page("app.pages.recipes.endpoints", "Recipes", "/ui/recipes"),
    Page("app.pages.ledger.endpoints", "Ledger", "/ui/ledger"),
    Page("app.pages.playground.endpoints", "Playground", "/ui/playground", "score"),
    Page("app.pages.labelling.endpoints", "Labels", "/ui/labels", "label"),
    Page("app.pages.audits.endpoints", "Audits", "/ui/audits"),
    Page("app.pages.compare.endpoints", "Compare", "/ui/compare"),
    Page("app.pages.texts"),
    Page("app.pages.signin"),
    Page("app.pages.assets"),
)


def home(principal: Principal) -> str:
    """The first of the pages that a visitor may open; where that is none, the one that asks for a key."""
    return next((page.path for page in navigation(principal)), FIRST)


def navigation(principal: Principal) -> list[Page]:
    """The pages that a visitor may open."""
    named = [page for page in PAGES if page.title and principal.scopes & {page.scope, "admin"}]
    return [page for page in named if principal.project is None or not page.shared]
