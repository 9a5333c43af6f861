"""Units of measurement as every verifier reads them: names with exact factors, and expressions of them."""

from verifiers.units.expression import Expression, expression
from verifiers.units.unit import Powers, Unit, UnknownUnit, find_unit

__all__ = ["Expression", "Powers", "Unit", "UnknownUnit", "expression", "find_unit"]
