"""Numbers that are small as texts and huge as values, where numbers are compared."""
from decimal import Decimal
from fractions import Fraction


def answer(a, b):
    return [Decimal("1E+999999999"), Decimal("sNaN"), Decimal("1E-999999999"), Fraction(1, 10**4000), 10**4000, 1e308][a % 6]


print("1e999999999 1e-999999999 0x1p999999 nan inf -inf 1_0 ١٢٣ ९ Infinity sNaN 1e308")
