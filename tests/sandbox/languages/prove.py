"""The other languages run for real in the local sandbox: ``make prove`` installs their tool chains and runs this.

Not collected with the suite, because the tool chains are large.
"""

from __future__ import annotations

import pytest

from sandbox.languages import languages
from tests.sandbox.languages.behaviour import *  # noqa: F403 - the tests of every language

PROVE = [name for name, language in languages().items() if language.tier == "prove"]


@pytest.fixture(params=PROVE)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)
