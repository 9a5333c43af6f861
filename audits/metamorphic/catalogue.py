"""All transformations by name, and which of them an audit takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from audits.metamorphic.transformation import Transformation
from trueward.errors import FieldProblem, InvalidRequest
from trueward.plugins import Kind, list_built_in, list_installed, of_class
from verifiers.registry import BUILT_INS

GROUP = "trueward.transformations"

FAMILIES: Kind[Sequence[Transformation]] = Kind(
    "family of transformations",
    list_built_in(
        GROUP,
        {
            "forms": "audits.metamorphic.forms:FORMS",
            "integers": "audits.metamorphic.integers:INTEGERS",
            "decimals": "audits.metamorphic.decimals:DECIMALS",
            "digit_mutations": "audits.metamorphic.digits:DIGIT_MUTATIONS",
            "fractions": "audits.metamorphic.quotients:FRACTIONS",
            "units_and_signs": "audits.metamorphic.units:UNITS_AND_SIGNS",
            "multiples": "audits.metamorphic.multiples:MULTIPLES",
            "polynomials": "audits.metamorphic.polynomials:POLYNOMIALS",
            "latex": "audits.metamorphic.latex:LATEX",
            "letters": "audits.metamorphic.letters:LETTERS",
            "joins": "audits.metamorphic.joins:JOINS",
            "sets": "audits.metamorphic.sets:SETS",
            "tuples": "audits.metamorphic.tuples:TUPLES",
            "intervals": "audits.metamorphic.intervals:INTERVALS",
            "texts": "audits.metamorphic.text:TEXTS",
            "choices": "audits.metamorphic.choice:CHOICES",
            "items": "audits.metamorphic.sets:ITEMS",
            "documents": "audits.metamorphic.documents:DOCUMENTS",
            "programs": "audits.metamorphic.programs:PROGRAMS",
            "mutants": "audits.metamorphic.mutants:MUTANTS",
        },
    ),
    list_installed(GROUP),
    of_class(Transformation, many=True),
)

_BY_NAME: dict[str, Transformation] = {}
for _each in chain.from_iterable(FAMILIES.load_all().values()):
    _BY_NAME.setdefault(_each.name, _each)

TRANSFORMATIONS: tuple[Transformation, ...] = tuple(_BY_NAME.values())
"""Those of plug-ins come last; one whose name is taken is left out."""
KNOWN = frozenset[str]().union(*(each.verifiers for each in TRANSFORMATIONS))
"""Verifiers that transformations are made for."""
_ITEMS = frozenset({"sets"})
_OTHERS = frozenset(point.name for point in BUILT_INS) - KNOWN


def choose_transformations(names: Sequence[str] | None, verifier: str | None) -> list[Transformation]:
    """Those with these names, whatever the verifier; without names those that make sense for it.

    A plug-in gets those whose meaning the reference's shape decides, and so does an unknown one (None): whether a
    text is a list of items in any order, its reader alone knows. Raises :class:`InvalidRequest` for an unknown name,
    and for a verifier of ours that none is made for.
    """
    if names is None and verifier in _OTHERS:
        raise InvalidRequest(
            f"no transformation is made for {verifier!r}, whose reference is no answer to rewrite; name some with "
            f"`transformations` where they fit. They are made for {', '.join(sorted(KNOWN))}"
        )
    if names is None:
        return [
            each
            for each in TRANSFORMATIONS
            if (verifier in each.verifiers if verifier in KNOWN else each.verifiers != _ITEMS)
        ]
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
