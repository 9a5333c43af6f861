"""Settings that an operator gets wrong: a sentence says which, and what is meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import structlog
from pydantic import ValidationError

from app.composition import _warn_of_unknown_verifiers
from app.path.facts import FACTS
from app.settings import Settings, find_unknown_settings
from rewards.library import Library

NAMES = [f"TRUEWARD_{name.upper()}" for name in Settings.model_fields]


def edits(name: str) -> set[str]:
    """Names that a slip of the hand makes of one: a letter left out, doubled, or changed places with the next."""
    prefix, own = name[: len("TRUEWARD_")], name[len("TRUEWARD_") :]
    made = set()
    for place in range(len(own)):
        made |= {own[:place] + own[place + 1 :], own[: place + 1] + own[place:]}
        made.add(own[:place] + own[place : place + 2][::-1] + own[place + 2 :])
    return {prefix + text for text in made if text}


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_setting_is_named_with_one_that_is(name: str) -> None:
    for wrong in edits(name) - {*NAMES, "TRUEWARD_URL"}:
        assert find_unknown_settings([wrong])[wrong] in NAMES, wrong


def test_settings_and_what_others_read_are_known() -> None:
    """Kubernetes' variables of a service that is called trueward among them."""
    others = ["URL", "API_KEY", "API_KEY_FILE", "SECRET_OPENAI", "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP"]
    links = [f"TRUEWARD_{name}" for name in (*others, "PORT_8421_TCP", "PORT_8421_TCP_ADDR")]
    assert find_unknown_settings([*NAMES, *links, "PATH", "HOME"]) == {}


def test_a_name_like_none_of_ours_is_told_too() -> None:
    assert find_unknown_settings(["TRUEWARD_DB_NAME"]) == {"TRUEWARD_DB_NAME": None}


@pytest.mark.parametrize("url", ["127.0.0.1:6379", "http://127.0.0.1:6379", "redis:6379", ""])
def test_what_is_no_url_of_redis_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="no URL of Redis"):
        Settings(redis_url=url, secret="x" * 32)


@pytest.mark.parametrize("url", ["redis://h:6379/0", "rediss://:p@h", "unix:///run/redis.sock"])
def test_urls_of_redis_are_taken(url: str) -> None:
    assert Settings(redis_url=url, secret="x" * 32).redis_url == url


def test_a_folder_of_recipes_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreadable folder looks like an empty one. Root reads everything, so the system's answer stands in for it."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ValidationError, match="Permission denied"):
        Settings(recipes_dir=tmp_path)


def test_a_recipe_that_names_an_unknown_verifier_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("terms: {mahts: 1}\n")
    with structlog.testing.capture_logs() as lines:
        _warn_of_unknown_verifiers(Library(tmp_path, FACTS))
    [line] = lines  # none of our own recipes
    assert (line["recipe"], line["verifiers"]) == ("wrong", ["mahts"])
