"""All transformations by name, and which of them an audit takes."""

from __future__ import annotations

from collections.abc import Sequence

from audits.metamorphic.choice import CHOICES
from audits.metamorphic.decimals import DECIMALS
from audits.metamorphic.digits import DIGIT_MUTATIONS
from audits.metamorphic.documents import DOCUMENTS
from audits.metamorphic.forms import FORMS
from audits.metamorphic.integers import INTEGERS
from audits.metamorphic.intervals import INTERVALS
from audits.metamorphic.joins import JOINS
from audits.metamorphic.latex import LATEX
from audits.metamorphic.letters import LETTERS
from audits.metamorphic.multiples import MULTIPLES
from audits.metamorphic.mutants import MUTANTS
from audits.metamorphic.polynomials import POLYNOMIALS
from audits.metamorphic.programs import PROGRAMS
from audits.metamorphic.quotients import FRACTIONS
from audits.metamorphic.sets import ITEMS, SETS
from audits.metamorphic.text import TEXTS
from audits.metamorphic.transformation import Transformation
from audits.metamorphic.tuples import TUPLES
from audits.metamorphic.units import UNITS_AND_SIGNS
from trueward.errors import FieldProblem, InvalidRequest
from verifiers.registry import BUILT_INS

TRANSFORMATIONS: tuple[Transformation, ...] = (
    *FORMS,
    *INTEGERS,
    *DECIMALS,
    *DIGIT_MUTATIONS,
    *FRACTIONS,
    *UNITS_AND_SIGNS,
    *MULTIPLES,
    *POLYNOMIALS,
    *LATEX,
    *LETTERS,
    *JOINS,
    *SETS,
    *TUPLES,
    *INTERVALS,
    *TEXTS,
    *CHOICES,
    *ITEMS,
    *DOCUMENTS,
    *PROGRAMS,
    *MUTANTS,
)
_BY_NAME = {each.name: each for each in TRANSFORMATIONS}
KNOWN = frozenset[str]().union(*(each.verifiers for each in TRANSFORMATIONS))
"""Verifiers that transformations are made for."""
_OTHERS = frozenset(point.name for point in BUILT_INS) - KNOWN


def chosen(names: Sequence[str] | None, verifier: str | None) -> list[Transformation]:
    """Those with these names, whatever the verifier; without names those that make sense for it.

    A plug-in gets all, and so does an unknown one (None): the reference's shape decides. Raises
    :class:`InvalidRequest` for an unknown name, and for a verifier of ours that none is made for.
    """
    if names is None and verifier in _OTHERS:
        raise InvalidRequest(
            f"no transformation is made for {verifier!r}, whose reference is no answer to rewrite; name some with "
            f"`transformations` where they fit. They are made for {', '.join(sorted(KNOWN))}"
        )
    if names is None:
        return [each for each in TRANSFORMATIONS if verifier not in KNOWN or verifier in each.verifiers]
    unknown = sorted(set(names) - set(_BY_NAME))
    if unknown or not names:
        shown = ", ".join(repr(name[:100]) for name in unknown[:5]) or "an empty list"
        raise InvalidRequest(
            f"there is no transformation {shown}; there are {', '.join(_BY_NAME)}",
            errors=[
                FieldProblem(field="audit.transformations", code="unknown_transformation", detail=name[:100])
                for name in unknown[:5]
            ],
        )
    return [_BY_NAME[name] for name in dict.fromkeys(names)]
