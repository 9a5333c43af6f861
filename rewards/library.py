"""The recipes at hand: those beside this file, and those of one further directory, by name and by hash."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from pathlib import Path

from rewards.facts import CONTROLS, Facts
from rewards.recipe import Recipe
from rewards.recipe_yaml import parse_document
from trueward.errors import InvalidRecipe, UnknownRecipe

_LISTED = 50
BUILT_IN = Path(__file__).parent / "recipes"


class Library:
    """Loaded once at start; a file that is not a recipe stops the start with its name and line."""

    def __init__(self, directory: Path | None = None, facts: Mapping[str, Facts] = CONTROLS) -> None:
        self._facts = facts
        files = sorted(BUILT_IN.glob("*.yaml")) + (sorted(directory.glob("*.yaml")) if directory else [])
        self._by_name = {recipe.name: recipe for recipe in (load(file, facts) for file in files)}

    def recipes(self) -> list[Recipe]:
        return list(self._by_name.values())

    def find(self, reference: str) -> Recipe:
        """``name``, or ``name@hash`` with a prefix of the hash. Raises :class:`UnknownRecipe`."""
        name, _, wanted = reference.partition("@")
        recipe = self._by_name.get(name)
        if recipe is None:
            raise unknown_recipe(name, self._by_name, self._facts)
        if wanted and not recipe.hash.removeprefix("sha256:").startswith(wanted.removeprefix("sha256:")):
            raise UnknownRecipe(f"recipe {name!r} is at {recipe.hash}, not at {wanted[:80]!r}")
        return recipe


def unknown_recipe(name: str, known: Collection[str], verifiers: Container[str]) -> UnknownRecipe:
    """Says also where the name is a verifier's, which is no recipe yet."""
    listed = ", ".join(sorted(known)[:_LISTED])
    hint = f"{name} is a verifier: put `terms: {name}` as a recipe first; " if name in verifiers else ""
    return UnknownRecipe(f"there is no recipe {name[:100]!r}; {hint}known: {listed}")


def load(path: Path, facts: Mapping[str, Facts] = CONTROLS) -> Recipe:
    """The recipe in a YAML file; its name defaults to the file's."""
    try:
        return parse_document(path.read_text(encoding="utf-8"), path.stem, facts)
    except UnicodeDecodeError as refusal:
        raise InvalidRecipe(f"{path.name}: not UTF-8") from refusal
    except OSError as refusal:
        raise InvalidRecipe(f"{path}: {refusal.strerror}") from refusal
    except InvalidRecipe as refusal:
        raise InvalidRecipe(f"{path.name}: {refusal.detail}", errors=refusal.errors) from refusal
