"""Imported once, in the fork server: what every worker would otherwise import and exercise for itself.

The first polynomial that sympy simplifies costs a quarter of a second, the first parse a tenth; workers inherit
them done.
"""

from __future__ import annotations

from importlib.util import find_spec

import app.lanes.cpu.worker  # noqa: F401 - what a worker unpickles first
from trueward.wire.sample import Sample
from verifiers.collector import keep_what_is_made
from verifiers.registry import create

# none of these is decided before SymPy is asked
_PAIRS = (
    (r"\int_0^1 x\,dx", r"\frac{1}{2}"),
    (r"\sqrt{3+2\sqrt2}", r"1+\sqrt2"),
    (r"\sum_{k=1}^{10} k", "55"),
    (r"\lim_{x\to 0}\frac{\sin x}{x}", "1"),
    (r"\lim_{x\to 0}\frac{\sin x}{x}", "2"),
)

with keep_what_is_made():
    create("math", {}).verify(
        [Sample(response=rf"\boxed{{{answer}}}", reference=reference) for answer, reference in _PAIRS]
    )
    # the registry of units takes a third of a second to load
    create("quantity", {}).verify([Sample(response="1 km", reference="1000 m")])
    # an extra that takes a third of a second to import
    if find_spec("reasoning_gym") is not None:
        import verifiers.procedural.library  # noqa: F401
