"""What a person calls a stored thing: which one is meant, and where several are."""

from __future__ import annotations

import pytest

from app.kit.lookup import Candidate, resolve
from trueward.errors import InvalidRequest

OLD = Candidate("01AAAA1", "weekly", "r1")
NEW = Candidate("01AAAB2", "nightly", "r1")
OTHER = Candidate("01BBBB3", "weekly", None)
ALL = [OTHER, OLD, NEW]


@pytest.mark.parametrize(
    ("said", "id_"),
    [
        ("latest", OTHER.id),
        (OLD.id, OLD.id),
        ("nightly", NEW.id),
        ("r1", NEW.id),
        ("01AAAA", OLD.id),
        ("01BB", OTHER.id),
        ("01B", None),  # too short a beginning
        ("r2", None),
        ("", None),
    ],
)
def test_an_id_latest_a_name_a_run_or_a_beginning_names_one(said: str, id_: str | None) -> None:
    assert resolve(said, "audit", ALL) == id_


@pytest.mark.parametrize(("said", "how"), [("weekly", "2 audits are called"), ("01AAA", "2 audits begin with")])
def test_what_names_several_is_refused_with_their_ids(said: str, how: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{how} '{said}'.*{NEW.id if said != 'weekly' else OTHER.id}, {OLD.id}"):
        resolve(said, "audit", ALL)


def test_an_id_goes_before_a_name_and_a_name_before_a_run() -> None:
    named = [Candidate("01X1", "01Y2", None), Candidate("01Y2", "r", None), Candidate("01Z3", "", "r")]
    assert (resolve("01Y2", "audit", named), resolve("r", "audit", named)) == ("01Y2", "01Y2")


def test_nothing_is_the_latest_of_nothing() -> None:
    assert resolve("latest", "draw", []) is None
