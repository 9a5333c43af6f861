"""A path that a patch may name is one that a sandbox can lay out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandbox.base import Program
from verifiers.patch.path import defect

NAMES = st.builds(str.__mul__, st.text("ab.-~é漢😀 ", min_size=1, max_size=2), st.integers(1, 130))


@given(st.lists(NAMES, min_size=1, max_size=20).map("/".join))
def test_every_path_that_a_patch_may_name_can_be_laid_out(path: str) -> None:
    if not defect(path):
        Program("python", "", files={path: b""})
