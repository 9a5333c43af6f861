"""Every kind of audit that the wire knows is carried out somewhere, and imported no earlier than that."""

from __future__ import annotations

import inspect
from pkgutil import resolve_name
from typing import get_args

import pytest

from audits.kinds import KINDS
from trueward.audits import AuditSpec

SPECS = get_args(get_args(AuditSpec)[0])


def test_each_kind_of_the_wire_has_its_place() -> None:
    assert {spec.model_fields["kind"].default for spec in SPECS} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_carried_out_with_its_specification_and_the_means(kind: str) -> None:
    carried_out = resolve_name(KINDS[kind])
    assert inspect.iscoroutinefunction(carried_out)
    assert list(inspect.signature(carried_out).parameters) == ["spec", "work"]
