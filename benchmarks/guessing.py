"""What the time of a refusal tells about keys: ``python -m benchmarks.guessing [--short | --long]``.

A service with keys is asked over one connection with well-formed keys that it refuses, each a new text, in random
order: with the prefix of a key that it has and another secret, the same once more as a control, and with a prefix that
it does not have. Told is how often a refusal of one kind takes longer than one of another, 1/2 where time tells
nothing, with the interval of Mann and Whitney (1947). A prefix is no secret: lists and logs show it.
"""

from __future__ import annotations

import random
import string
import tempfile
import time
import zlib
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from math import sqrt
from pathlib import Path
from statistics import median

import httpx2
from scipy.stats import rankdata

from app.keys.commands import create_key
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from benchmarks.servers import trueward

TELLS = 0.02
KNOWN, CONTROL, UNKNOWN = "known prefix", "known prefix, again", "unknown prefix"
_Z95 = 1.959963984540054
_LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase


@dataclass(frozen=True, slots=True)
class Scale:
    """``requests`` of each kind; ``warm``: those before, which are not counted."""

    requests: int
    keys: int = 20
    warm: int = 100


SCALES: dict[Form, Scale] = {"short": Scale(30, keys=3, warm=5), "quick": Scale(5_000), "long": Scale(20_000)}


@dataclass(frozen=True, slots=True)
class Told:
    """How often a refusal of a known prefix takes longer than one of ``kind``, in 0..1, with its 95% interval."""

    kind: str
    longer: float
    low: float
    high: float


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("guessing", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    with tempfile.TemporaryDirectory(prefix="trueward-guessing-") as folder:
        key = _first_key(Path(folder))
        with trueward(Path(folder), auth="keys", sandbox="off", workers=1) as server:
            times, statuses = _asked(server.url, _prefixes(server.url, key, scale.keys), scale)
    control, told = (_told(kind, times[KNOWN], times[kind]) for kind in (CONTROL, UNKNOWN))
    rows(
        f"refusals, {scale.requests:,} of each kind",
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
        "scale": scale,
        "median_s": {kind: median(taken) for kind, taken in times.items()},
        "told": [control, told],
        "aims": [aim],
    }
    finish("guessing", call, document, {"each guess is refused with 401": statuses == {401}})


def _first_key(home: Path) -> str:
    """What ``trueward keys create`` prints."""
    with redirect_stdout(StringIO()) as printed:
        create_key("admin", ["admin"], data_dir=home)
    return printed.getvalue().split()[-1]


def _prefixes(url: str, key: str, count: int) -> list[str]:
    """Those of so many further keys."""
    request = {"name": "somebody", "scopes": ["score"]}
    with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, trust_env=False) as client:
        made = [client.post("/v1/keys", json=request).raise_for_status() for _ in range(count)]
    return [one.json()["key"].split("_")[1] for one in made]


def _asked(url: str, prefixes: Sequence[str], scale: Scale) -> tuple[dict[str, list[float]], set[int]]:
    """Seconds of each refusal by kind, and the statuses that were answered."""
    times: dict[str, list[float]] = {KNOWN: [], CONTROL: [], UNKNOWN: []}
    statuses: set[int] = set()
    order = random.sample([kind for kind in times for _ in range(scale.requests)], 3 * scale.requests)
    with httpx2.Client(base_url=url, trust_env=False) as client:
        for index, kind in enumerate([*([UNKNOWN] * scale.warm), *order]):
            prefix = _letters(8) if kind is UNKNOWN else random.choice(prefixes)
            headers = {"Authorization": f"Bearer {_key(prefix)}"}
            start = time.perf_counter()
            answer = client.get("/v1/keys", headers=headers)
            taken = time.perf_counter() - start
            statuses.add(answer.status_code)
            if index >= scale.warm:
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
