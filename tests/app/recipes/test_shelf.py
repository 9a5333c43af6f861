"""The shelf on both databases: what other servers put, restarts, and files that come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from app.kit.background import Refresher
from app.kit.db import Database
from app.recipes.repository import RecipesRepository
from app.recipes.shelf import Shelf
from app.tables import Recipe as RecipeTable
from rewards.library import Library
from rewards.recipe import Recipe, parse_recipe
from trueward.errors import InvalidRecipe, UnknownRecipe


def made(name: str, weight: float = 1.0, description: str = "") -> Recipe:
    body = {"name": name, "description": description, "terms": [{"verifier": "math", "weight": weight}]}
    return parse_recipe(body)


def shelf(db: Database, directory: Path | None = None) -> Shelf:
    return Shelf(Library(directory), RecipesRepository(db))


async def test_what_one_server_puts_and_deletes_another_sees(db: Database) -> None:
    async with shelf(db) as here, shelf(db) as there:
        await here.add(made("x"), "put", "key")
        with pytest.raises(UnknownRecipe, match="there is no recipe"):
            there.find("x")
        await there.refresh()
        assert there.find("x").hash == made("x").hash
        assert there.history("x")[0].owner == "key"
        await there.delete("x", None)
        await here.refresh()
        with pytest.raises(UnknownRecipe, match="was deleted"):
            here.find("x")


async def test_a_verifiers_name_is_no_recipe_and_the_refusal_says_what_to_do(db: Database) -> None:
    async with shelf(db) as here:
        with pytest.raises(UnknownRecipe, match="quantity is a verifier: put `terms: quantity` as a recipe first"):
            here.find("quantity")
        with pytest.raises(UnknownRecipe, match="'no_such'; known: "):
            here.find("no_such")


async def test_a_shelf_refreshes_itself(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr("app.kit.background.REFRESH_S", 0.01)
    async with shelf(db) as here, shelf(db) as there, Refresher(db, [there]):
        await here.add(made("x"), "put", None)
        for _ in range(500):
            if "x" in [recipe.name for recipe in there.recipes()]:
                break
            await asyncio.sleep(0.01)
        assert there.find("x").name == "x"


async def test_names_and_descriptions_are_their_own_where_contents_are_one(db: Database) -> None:
    async with shelf(db) as here:
        await here.add(made("a", description="of a"), "put", None)
        await here.add(made("b", description="of b"), "put", None)
    async with shelf(db) as again:
        assert [(again.find(name).name, again.find(name).description) for name in "ab"] == [
            ("a", "of a"),
            ("b", "of b"),
        ]


async def test_a_file_that_changed_stays_at_hand_by_its_old_hash(db: Database, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("terms: {math: 1}\n")
    async with shelf(db, tmp_path) as first:
        old = first.find("mine").hash
    file.write_text("terms: {math: 2}\n")
    async with shelf(db, tmp_path) as second:
        assert second.find("mine").hash != old
        assert second.find(f"mine@{old}").hash == old
        assert len(second.history("mine")) == 2
    async with shelf(db, tmp_path) as third:
        assert len(third.history("mine")) == 2
    file.unlink()
    async with shelf(db, tmp_path) as last:
        assert "mine" not in [recipe.name for recipe in last.recipes()]
        with pytest.raises(UnknownRecipe, match="no longer there"):
            last.find("mine")


async def test_a_file_wins_over_what_was_put_under_its_name(db: Database, tmp_path: Path) -> None:
    async with shelf(db) as before:
        await before.add(made("mine", 3), "put", None)
    (tmp_path / "mine.yaml").write_text("terms: {math: 1}\n")
    async with shelf(db, tmp_path) as after:
        assert after.find("mine").terms[0].weight == 1
        assert after.find(f"mine@{made('mine', 3).hash}").terms[0].weight == 3


async def test_a_prefix_of_two_hashes_is_refused(db: Database) -> None:
    async with shelf(db) as here:
        for weight in range(1, 40):
            await here.add(made("x", weight), "put", None)
        hashes = [version.hash or "" for version in here.history("x")]
        first = [digest.removeprefix("sha256:")[0] for digest in hashes[1:]]
        twice = next(letter for letter in first if first.count(letter) > 1 and hashes[0][7] != letter)
        with pytest.raises(UnknownRecipe, match="write more"):
            here.find(f"x@{twice}")
        assert here.find(f"x@{hashes[7]}").hash == hashes[7]


async def test_a_content_that_no_longer_is_a_recipe_costs_itself_alone(db: Database) -> None:
    async with shelf(db) as here:
        await here.add(made("good"), "put", None)
        await here.add(made("bad", 2), "put", None)
    async with db.write() as connection:
        broken = update(RecipeTable).where(RecipeTable.hash == made("bad", 2).hash).values(body={"colour": "red"})
        await connection.execute(broken)
    async with shelf(db) as again:
        names = [recipe.name for recipe in again.recipes()]
        assert "good" in names
        assert "bad" not in names
        with pytest.raises(InvalidRecipe, match="put it again"):
            again.find("bad")
