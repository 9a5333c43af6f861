"""The languages of the suite run for real in the local sandbox."""

from __future__ import annotations

import pytest

from sandbox.languages import languages
from tests.sandbox.languages.behaviour import *  # noqa: F403 - the tests of every language

CI = [name for name, language in languages().items() if language.tier == "ci"]


@pytest.fixture(params=CI)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)
