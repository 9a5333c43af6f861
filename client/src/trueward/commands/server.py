"""The server's half of the command, where it is installed; the trainer's environment has this half alone.

``app``, ``audits``, ``verifiers``, ``judges``, ``sandbox`` and ``rewards`` are also names of other people's packages:
``trueward_server`` puts ours before theirs. Nothing of the server is used before all six are known to be ours.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from trueward.commands.finding import DoctorFinding
from trueward.commands.parity import Plain
from trueward.errors import NotInstalled
from trueward.wire.audit import Audit, AuditSpec
from trueward.wire.label_plan import LabelPlan, LabelQuestion
from trueward.wire.model import ModelEntry
from trueward.wire.recipe import RecipeValidation
from trueward.wire.record import Explanation
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, RewardsResponse, VerifyRequest, VerifyResponse
from trueward.wire.verifier import Catalogue

if TYPE_CHECKING:
    import typer
    from pydantic import JsonValue

PACKAGES = ("app", "audits", "verifiers", "judges", "sandbox", "rewards")
_ROOT = "trueward_server"
_CHECK = "server packages"
_MISSING = (
    "the server is not installed here (the package `trueward` alone is the client): clone the repository "
    "and run `make install`, or name a running service with --url or TRUEWARD_URL"
)


class Root(Protocol):
    """What ``trueward_server`` offers."""

    PLACE: Path

    def enter(self) -> None: ...


class Server(Protocol):
    """What ``app.cli`` offers."""

    def serve(self, host: str | None, port: int | None, data_dir: Path | None) -> None: ...

    def verify(self, request: VerifyRequest) -> VerifyResponse: ...

    def rewards(self, request: RewardsRequest) -> RewardsResponse: ...

    def list_verifiers(self) -> Catalogue: ...

    def list_recipes(self) -> list[dict[str, JsonValue]]: ...

    def show_recipe(self, reference: str) -> dict[str, JsonValue]: ...

    def validate_recipe(self, text: str, estimator: str) -> RecipeValidation: ...

    def explain(self, recipe: str | None, text: str, samples: Sequence[JsonValue]) -> Sequence[Explanation]: ...

    def audit(self, spec: AuditSpec, name: str, progress: Callable[[int, int], None]) -> Audit: ...

    def plan_labels(self, question: LabelQuestion) -> LabelPlan: ...

    def check_presets(self, folder: Path) -> Mapping[str, Sequence[str]]: ...

    def plain_answers(self, entry: ModelEntry, samples: Sequence[Sample]) -> Sequence[Plain]: ...

    def doctor(self) -> Sequence[DoctorFinding]: ...

    def add_commands(self, app: typer.Typer) -> None: ...


def is_installed() -> bool:
    """Whether the server's code is here at all."""
    return importlib.util.find_spec(_ROOT) is not None


def load_server() -> Server:
    """Raises :class:`NotInstalled` where the server is missing or shadowed."""
    found = packages()
    if not found.ok:
        raise NotInstalled(found.detail)
    return cast(Server, importlib.import_module("app.cli"))


def packages() -> DoctorFinding:
    """Whether the server's packages are here, all in one checkout."""
    if not is_installed():
        return DoctorFinding(_CHECK, False, _MISSING)
    root = cast(Root, importlib.import_module(_ROOT))
    root.enter()
    places = {name: _parent(name) for name in PACKAGES}
    elsewhere = [f"{name} ({place or 'missing'})" for name, place in places.items() if place != root.PLACE]
    if elsewhere:
        return DoctorFinding(
            _CHECK,
            False,
            f"the server lies in {root.PLACE}, but Python has from elsewhere: {', '.join(elsewhere)}. Another package "
            "of the same name was imported before ours: use a process of the server's own",
        )
    return DoctorFinding(_CHECK, True, f"all in {root.PLACE}")


def _parent(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]).resolve().parent if places else None
