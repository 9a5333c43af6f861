"""Sets and dictionaries whose keys all have the same hash: whoever makes them again takes the square of their size."""

MODULUS = 2**61 - 1


def answer(a, b):
    same = [number * MODULUS for number in range(4000)]
    return [set(same), dict.fromkeys(same, 1), frozenset(same)][int(a) % 3]


print(answer(3, 4))
