"""What the time of a refusal tells about keys: ``python -m benchmarks.guessing [--short | --long]``.

A service with keys is asked over one connection with well-formed keys that it refuses, each a new text, in random
order: with the prefix of a key that it has and another secret, the same once more as a control, and with a prefix that
it does not have. Told is how often a refusal of one kind takes longer than one of another, 1/2 where time tells
nothing, with the interval of Mann and Whitney (1947). A prefix is no secret: lists and logs show it.
"""

from __future__ import annotations

import random
import string
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import median

import httpx2
from scipy.stats import rankdata

from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from benchmarks.servers import trueward

KEYS = 20
REQUESTS: dict[Form, int] = {"short": 150, "quick": 5_000, "long": 20_000}
"""Of each kind."""
TELLS = 0.02
KNOWN, CONTROL, UNKNOWN = "known prefix", "known prefix, again", "unknown prefix"
_Z95 = 1.959963984540054
_LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase


@dataclass(frozen=True, slots=True)
class Told:
    """How often a refusal of a known prefix takes longer than one of ``kind``, in 0..1, with its 95% interval."""

    kind: str
    longer: float
    low: float
    high: float


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("guessing", (__doc__ or "").partition("\n")[0], arguments)
    with tempfile.TemporaryDirectory(prefix="trueward-guessing-") as folder:
        key = _first_key(Path(folder))
        with trueward(Path(folder), auth="keys", sandbox="off", workers=1) as server:
            prefixes = [_further_key(server.url, key).split("_")[1] for _ in range(KEYS)]
            times, statuses = _asked(server.url, prefixes, REQUESTS[call.form])
    control, told = (_told(kind, times[KNOWN], times[kind]) for kind in (CONTROL, UNKNOWN))
    rows(
        f"refusals, {REQUESTS[call.form]:,} of each kind",
        ["", "median us", "a known prefix takes longer", "95%"],
        [
            [KNOWN, f"{median(times[KNOWN]) * 1e6:.1f}", "", ""],
            *(
                [
                    one.kind,
                    f"{median(times[one.kind]) * 1e6:.1f}",
                    f"{one.longer:.3f}",
                    f"{one.low:.3f}..{one.high:.3f}",
                ]
                for one in (control, told)
            ),
        ],
    )
    disturbed = not control.low <= 0.5 <= control.high
    aim = Aim(
        "time tells nothing about a prefix",
        f"0.5 +- {TELLS}",
        f"{told.longer:.3f} ({told.low:.3f}..{told.high:.3f})",
        None if disturbed else abs(told.longer - 0.5) <= TELLS,
        "a row that is found is read, one that is not found is not",
    )
    show_aims([aim])
    document = {
        "scale": {"keys": KEYS, "requests": REQUESTS[call.form]},
        "median_s": {kind: median(taken) for kind, taken in times.items()},
        "told": [control, told],
        "aims": [aim],
    }
    finish("guessing", call, document, {"each guess is refused with 401": statuses == {401}})


def _first_key(home: Path) -> str:
    command = [str(Path(sys.executable).with_name("trueward")), "keys", "create", "admin", "--scope", "admin"]
    made = subprocess.run([*command, "--data-dir", str(home)], capture_output=True, text=True, check=True)
    return made.stdout.split()[-1]


def _further_key(url: str, key: str) -> str:
    request = {"name": "somebody", "scopes": ["score"]}
    made = httpx2.post(f"{url}/v1/keys", json=request, headers={"Authorization": f"Bearer {key}"}, trust_env=False)
    return str(made.raise_for_status().json()["key"])


def _asked(url: str, prefixes: Sequence[str], count: int) -> tuple[dict[str, list[float]], set[int]]:
    """Seconds of each refusal by kind, and the statuses that were answered."""
    times: dict[str, list[float]] = {KNOWN: [], CONTROL: [], UNKNOWN: []}
    statuses: set[int] = set()
    order = random.sample([kind for kind in times for _ in range(count)], 3 * count)
    with httpx2.Client(base_url=url, trust_env=False) as client:
        for index, kind in enumerate([*([UNKNOWN] * 100), *order]):
            prefix = _letters(8) if kind is UNKNOWN else random.choice(prefixes)
            headers = {"Authorization": f"Bearer {_key(prefix)}"}
            start = time.perf_counter()
            answer = client.get("/v1/keys", headers=headers)
            taken = time.perf_counter() - start
            statuses.add(answer.status_code)
            if index >= 100:  # the first ones warm up
                times[kind].append(taken)
    return times, statuses


def _key(prefix: str) -> str:
    """A well-formed key with another secret, as whoever knows the form would write it."""
    body = f"tw_{prefix}_{_letters(33)}"
    value, check = zlib.crc32(body.encode()), ""
    for _ in range(6):
        value, place = divmod(value, len(_LETTERS))
        check = _LETTERS[place] + check
    return f"{body}_{check}"


def _letters(count: int) -> str:
    return "".join(random.choices(_LETTERS, k=count))


def _told(kind: str, known: Sequence[float], other: Sequence[float]) -> Told:
    ranks = rankdata([*known, *other])
    above = ranks[: len(known)].sum() - len(known) * (len(known) + 1) / 2
    longer = float(above / (len(known) * len(other)))
    error = _Z95 * sqrt((len(known) + len(other) + 1) / (12 * len(known) * len(other)))
    return Told(kind, longer, longer - error, longer + error)


if __name__ == "__main__":
    main()
