"""Whole numbers as products of powers of primes, as far as that is cheap."""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

LARGEST_DIVISOR = 1_000
_PRIMES = [n for n in range(2, LARGEST_DIVISOR) if all(n % d for d in range(2, isqrt(n) + 1))]


@lru_cache(maxsize=2048)
def factors(number: int) -> tuple[tuple[tuple[int, int], ...], bool]:
    """(base, exponent) pairs of a positive number, and whether every base is known to be prime.

    A cofactor without small divisors stays whole, but for squares and cubes, which are recognised.
    """
    found: list[tuple[int, int]] = []
    for prime in _PRIMES:
        if prime * prime > number:
            break
        power = 0
        while number % prime == 0:
            number //= prime
            power += 1
        if power:
            found.append((prime, power))
    if number == 1:
        return tuple(found), True
    if number < LARGEST_DIVISOR**2:
        return (*found, (number, 1)), True
    root, power = _perfect(number)
    return (*found, (root, power)), root < LARGEST_DIVISOR**2


def _perfect(number: int) -> tuple[int, int]:
    """A square or cube (repeatedly) as its root and power, else the number itself."""
    power = 1
    while (root := isqrt(number)) ** 2 == number:
        number, power = root, power * 2
    cube = _cube_root(number)
    return (cube, power * 3) if cube**3 == number else (number, power)


def _cube_root(number: int) -> int:
    low = 1 << (number.bit_length() // 3)
    while True:
        following = (2 * low + number // (low * low)) // 3
        if abs(following - low) <= 1:
            return max((low - 1, low, low + 1, following), key=lambda c: (c**3 == number, -abs(c**3 - number)))
        low = following
