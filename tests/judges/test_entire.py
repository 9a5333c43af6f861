"""What a judge is asked is read whole: no length of a response decides what is left of the rules, or of another one."""

from __future__ import annotations

import pytest

from judges import presets
from judges.questions import Generate
from tests.judges.presets.render import judged


@pytest.mark.parametrize("preset", presets.names())
def test_no_preset_asks_what_an_entry_may_cut(preset: str) -> None:
    """What a model writes follows a whole prompt always; what it reads from a token where the question says so."""
    _, models = judged(preset)
    assert models.asked
    assert all(isinstance(asked, Generate) or asked.entire for asked in models.asked)
