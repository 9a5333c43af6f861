"""Programs that were written for 0.1 import modules by their former names."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from trueward.moved_modules import MOVED


@pytest.mark.parametrize("name", MOVED)
def test_a_former_name_gives_what_the_new_one_does_and_warns(name: str) -> None:
    sys.modules.pop(name, None)
    with pytest.warns(DeprecationWarning, match=r"goes with trueward 0\.3"):
        former = import_module(name)
    for home in map(import_module, MOVED[name]):
        public = [each for each, value in vars(home).items() if getattr(value, "__module__", "") == home.__name__]
        assert public
        assert all(getattr(former, each) is getattr(home, each) for each in public)


def test_names_are_imported_from_a_former_module_in_a_fresh_process() -> None:
    code = (
        "from trueward.types import Sample, Verdict, Wire\n"
        "from trueward.verifier import SampleVerifier\n"
        "import trueward\n"
        "assert (Sample, Verdict, SampleVerifier) == (trueward.Sample, trueward.Verdict, trueward.SampleVerifier)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_trainer_has_its_former_name_too() -> None:
    sys.modules.pop("trueward.rlvr.config", None)
    with pytest.warns(DeprecationWarning, match="trueward_trainer"):
        former = import_module("trueward.rlvr.config")
    assert former.load is import_module("trueward_trainer.config").load


def test_what_a_former_module_never_had_is_missing() -> None:
    sys.modules.pop("trueward.types", None)
    with pytest.warns(DeprecationWarning, match="former name"):
        former = import_module("trueward.types")
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = former.Nonsense
