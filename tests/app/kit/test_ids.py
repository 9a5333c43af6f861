"""Ids sort as they were made, and no two are alike: not of two threads, of two processes, or after somebody's seed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from app.kit.tokens import new_id, new_ids

FORKS = """
import os, sys
from app.kit.tokens import new_id, _dice
new_id()
for _ in range(4):
    if not os.fork():
        print(_dice.getrandbits(72), flush=True)
        os._exit(0)
    os.wait()
print(_dice.getrandbits(72))
"""


def test_ids_sort_as_they_were_made() -> None:
    made = [new_id() for _ in range(5_000)]
    assert made == sorted(set(made))


def test_threads_make_no_two_alike() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = [name for names in threads.map(new_ids, [2_000] * 8) for name in names]
    assert len(set(made)) == len(made)


def test_a_seed_of_somebody_else_changes_nothing() -> None:
    tails = []
    for _ in range(2):
        random.seed(0)
        tails.append(new_id()[10:])
    assert tails[0] != tails[1]


def test_a_forked_process_has_dice_of_its_own() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", FORKS], env=env, capture_output=True, text=True, check=True)
    thrown = done.stdout.split()
    assert len(set(thrown)) == len(thrown) == 5
