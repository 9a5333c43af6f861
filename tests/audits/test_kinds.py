"""Every kind of audit that the wire knows is carried out somewhere, and imported no earlier than that."""

from __future__ import annotations

import inspect
from typing import get_args

import pytest

from audits.kinds import AUDITS
from trueward.wire.audit import AuditSpec

SPECS = get_args(get_args(AuditSpec)[0])


def test_each_kind_of_the_wire_has_its_place() -> None:
    kinds = {spec.model_fields["kind"].default for spec in SPECS}
    assert kinds == {*AUDITS.names(), "plugin"} - {*AUDITS.plugins()}


@pytest.mark.parametrize("kind", sorted({*AUDITS.names()} - {*AUDITS.plugins()}))
def test_a_kind_is_carried_out_with_its_specification_and_the_means(kind: str) -> None:
    carried_out = AUDITS.get(kind)
    assert inspect.iscoroutinefunction(carried_out)
    assert list(inspect.signature(carried_out).parameters) == ["spec", "work"]
