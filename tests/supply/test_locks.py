"""The locks: they answer the two ``pyproject.toml``, every file has its hash, and what installs them knows all of them.

Whether the versions agree with each other is the resolver's work (``make lock``), and pip's where one is installed.
"""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.locks import EVERY, LOCKS, PROJECTS, ROOT, Lock, asked, command
from tests.supply.pins import pinned

NAMES = {lock.name: lock for lock in EVERY}
TORCH = pinned((LOCKS / "torch.txt").read_text(encoding="utf-8"))


def text(lock: Lock) -> str:
    return (LOCKS / f"{lock.name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("lock", EVERY, ids=lambda lock: lock.name)
def test_a_lock_answers_what_is_asked(lock: Lock) -> None:
    pins = pinned(text(lock)) | TORCH
    unanswered = []
    for line in asked(lock):
        requirement = Requirement(line)
        version = pins.get(canonicalize_name(requirement.name))
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            unanswered.append(f"{line}: {version}")
    assert unanswered == [], "make lock"


@pytest.mark.parametrize("lock", EVERY, ids=lambda lock: lock.name)
def test_every_line_of_a_lock_is_a_version_with_hashes(lock: Lock) -> None:
    entries = re.split(r"\n(?=\S)", text(lock).strip())
    assert all(re.match(r"[\w.-]+==\S+( ; .+?)? \\\n    --hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
    assert "://" not in text(lock)


def test_environments_that_share_packages_with_the_service_have_its_versions() -> None:
    followers = [lock for lock in EVERY if lock.like is not None]
    assert {"server", "models", "ray"} <= {lock.name for lock in followers}
    for lock in followers:
        assert lock.like is not None
        theirs, ours = pinned(text(NAMES[lock.like])), pinned(text(lock))
        assert {name: (ours[name], theirs[name]) for name in ours.keys() & theirs if ours[name] != theirs[name]} == {}


def test_each_extra_of_the_service_is_locked() -> None:
    extras = tomllib.loads(PROJECTS["server"].read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {extra for lock in EVERY for extra in lock.server or ()} == extras.keys()


def test_every_file_of_the_folder_belongs_to_a_lock_that_something_installs() -> None:
    there = {path.stem for path in LOCKS.iterdir()} - {"torch", "uv"}
    assert there == NAMES.keys()
    installers = ("Makefile", ".github/actions/gate/action.yml")
    text = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in installers)
    made = set(re.findall(r"--requirement \S*locks/([\w-]+)\.txt", text))
    assert made == NAMES.keys() | {"torch"}


def test_a_package_of_ours_is_never_asked_of_an_index() -> None:
    """The name of the client could be anybody's there."""
    for lock in EVERY:
        assert pinned(text(lock)).keys().isdisjoint({"trueward", "trueward-server"})
        assert not any(canonicalize_name(Requirement(line).name).startswith("trueward") for line in asked(lock))


def test_a_closed_lock_adds_nothing() -> None:
    for lock in EVERY:
        if lock.closed:
            wanted = {canonicalize_name(Requirement(line).name) for line in asked(lock)}
            assert pinned(text(lock)).keys() == wanted
            assert "--no-deps" in command(lock, ())


def test_nothing_in_the_project_installs_without_a_lock() -> None:
    """What pip installs in the Makefile is a lock, torch, or ours, whose dependencies a lock has installed."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    calls = [line for line in makefile.splitlines() if line.startswith("\t") and "$(PIP) install" in line]
    assert all("--requirement locks/torch.txt" in line for line in calls)
