"""The numbers that the code is held against: those of code that is good to read."""

from __future__ import annotations

from benchmarks.report import Aim
from benchmarks.shape.package import Package

MEDIAN_FILE = 120
LARGEST_FILE = 400
MEDIAN_FUNCTION = 10
BROAD_PER_THOUSAND = 1.0


def held(everything: Package, product: Package, tests: Package) -> list[Aim]:
    """``everything`` is all code, ``product`` what is installed, ``tests`` the suite without its data."""
    return [*_lengths(everything, product), _ratio(product, tests), _excepts(everything, product), _types(everything)]


def _lengths(everything: Package, product: Package) -> list[Aim]:
    file, largest, function = product.files.median, everything.files.most, product.functions.median
    return [
        Aim("median file", f"about 100 lines, at most {MEDIAN_FILE}", f"{file:g}", file <= MEDIAN_FILE, "none"),
        Aim(
            "largest file",
            f"at most {LARGEST_FILE} lines",
            str(largest),
            largest <= LARGEST_FILE,
            everything.files.where,
        ),
        Aim(
            "median function",
            f"under {MEDIAN_FUNCTION} lines",
            f"{function:g}",
            function < MEDIAN_FUNCTION,
            f"the longest has {product.functions.most}, {product.functions.where}",
        ),
    ]


def _ratio(product: Package, tests: Package) -> Aim:
    ratio = tests.files.total / product.files.total if product.files.total else 0.0
    told = f"{tests.files.total:,} lines of tests, data left out, to {product.files.total:,}"
    return Aim("tests to source, in lines", "at least 1", f"{ratio:.2f}", ratio >= 1, told)


def _excepts(everything: Package, product: Package) -> Aim:
    without, rate = len(everything.broad.without_reason), product.broad.per_thousand
    return Aim(
        "broad excepts per thousand lines",
        f"under {BROAD_PER_THOUSAND:g}, each with its reason",
        f"{rate:.2f}, {without} without",
        rate < BROAD_PER_THOUSAND and not without,
        "what runs code of others has to outlive it",
    )


def _types(everything: Package) -> Aim:
    full = everything.typed.full == everything.typed.functions
    return Aim("functions with all their annotations", "all", f"{everything.typed.share:.2%}", full, "none")
