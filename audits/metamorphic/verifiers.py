"""Which verifiers read which forms of an answer."""

MATH = frozenset({"math"})
NUMBERS = frozenset({"math", "numeric", "quantity"})
VALUES = frozenset({"math", "numeric"})
DIGITS = NUMBERS | {"exact", "qa"}
"""Those that must tell numbers apart, whether or not they read them."""
EXTRACTED = frozenset({"math", "numeric", "quantity", "exact", "qa", "choice", "label", "sets"})
"""Those that look for a final answer in the response."""
