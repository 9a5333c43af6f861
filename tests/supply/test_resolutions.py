"""The table of what the client resolves to beside trainers: every peer, and the lower bounds that it states."""

from __future__ import annotations

import re
import tomllib

import pytest

from scripts.locks import PROJECTS
from scripts.parts import part
from scripts.resolutions import BEGIN, END, PAGE, PEERS


def rows() -> dict[str, tuple[str, str]]:
    found = part(PAGE, BEGIN, END)
    return {
        peer: (newest, lowest)
        for peer, newest, lowest in re.findall(r"^\| (\S+) \| (.+?) \| (.+?) \|$", found, re.MULTILINE)
    }


def test_every_peer_has_a_row() -> None:
    assert list(rows())[1:] == [peer or "nothing" for peer in PEERS]


@pytest.mark.parametrize("package", ["httpx2", "pydantic", "stamina"])
def test_alone_the_lowest_version_is_the_bound_that_the_client_states(package: str) -> None:
    lines = tomllib.loads(PROJECTS["client"].read_text(encoding="utf-8"))["project"]["dependencies"]
    (bound,) = (line.partition(">=")[2] for line in lines if line.startswith(f"{package}>="))
    found = dict(re.findall(r"(\w+) ([\d.]+)", rows()["nothing"][1]))[package]
    assert found == bound or found == f"{bound}.0"
