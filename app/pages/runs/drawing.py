"""A run's points as figures: reward and components, missing scores and invalid responses, flat groups, length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from app.pages.runs.views import MarkRow, PointRow
from app.runs.series import Grain, Point, Series
from audits.figures.figure import empty
from trueward.audits import Figure, FigureLine

MOST_LINES = 12
MOST_MARKS = 12
"""Names that a figure has room for; the table below it has all of them."""
_APART = 0.25
_MARK_LENGTH = 16
_AXES: dict[Grain, str] = {"steps": "step", "records": "hundreds of records", "sampled": "step"}


def rows(series: Series) -> list[PointRow]:
    return [_row(point) for point in series.points]


def figures(series: Series, marks: Sequence[MarkRow]) -> list[Figure]:
    """Those that have a value, over the steps where the run has any."""
    points = rows(series)
    stepped = any(point.first_step is not None for point in points)
    x = [_place(number, point) for number, point in enumerate(points)]
    name = _AXES[series.grain] if stepped else _AXES["records"] if series.grain == "records" else "time"
    placed = _named_apart(marks, x) if stepped else []

    def figure(title: str, y: str, lines: dict[str, Callable[[PointRow], float | None]]) -> Figure:
        drawn = [FigureLine(name=each, x=x, y=[value(point) for point in points]) for each, value in lines.items()]
        return Figure(kind="lines", title=title, x=name, y=y, lines=drawn, marks=placed)

    word = "reward" if series.priced else "score"
    made = [
        figure(f"{word.capitalize()} and its components", f"mean {word}", _scores(points, word)),
        figure("Missing scores and invalid responses", "share of the records", _causes(points)),
        figure("Groups without variance", "share of the named groups", {"groups": lambda point: point.zero_variance}),
        figure("Length of the responses", "characters", {"length": lambda point: point.length}),
    ]
    return [one for one in made if not empty(one) and (one is not made[1] or any(map(_holds, one.lines)))]


def restless(series: Series) -> bool:
    """Whether the policy's version is another one at most of the points, as where a trainer counts its steps by it."""
    several = sum(point.policies > 1 for point in series.points)
    return 2 * (several + len(_changes(series))) > len(series.points)


def checkpoints(series: Series) -> list[MarkRow]:
    """Where the policy's version became another one, as far as the points tell; nowhere where it never rests."""
    return [] if restless(series) else _changes(series)


def _changes(series: Series) -> list[MarkRow]:
    found: list[MarkRow] = []
    before: str | None = None
    for point in series.points:
        if point.policies != 1 or point.policy is None:
            continue
        if before is not None and point.policy != before:
            found.append(MarkRow(kind="policy", text=f"policy {point.policy}", step=point.first_step))
        before = point.policy
    return found


def _named_apart(marks: Sequence[MarkRow], x: Sequence[float]) -> list[tuple[float, str]]:
    """The last marks on the axis; one close to a mark with a name has none, for names must not lie on each other."""
    apart = (x[-1] - x[0]) * _APART
    found: list[tuple[float, str]] = []
    named: float | None = None
    for mark in [mark for mark in marks if mark.step is not None][-MOST_MARKS:]:
        step = float(mark.step or 0)
        room = named is None or step - named >= apart
        found.append((step, mark.text[:_MARK_LENGTH] if room else ""))
        named = step if room else named
    return found


def _holds(line: FigureLine) -> bool:
    return any(line.y)


def _scores(points: Sequence[PointRow], word: str) -> dict[str, Callable[[PointRow], float | None]]:
    names = list(dict.fromkeys(name for point in points for name in point.components))
    lines: dict[str, Callable[[PointRow], float | None]] = {word: lambda point: point.score}
    for name in names[: MOST_LINES - 1]:
        if name != word:
            lines[name] = lambda point, name=name: point.components.get(name)  # type: ignore[misc]
    return lines


def _causes(points: Sequence[PointRow]) -> dict[str, Callable[[PointRow], float | None]]:
    """All missing ones, then the causes that came most."""
    shares: Counter[str] = Counter()
    for point in points:
        shares.update(point.causes)
    lines: dict[str, Callable[[PointRow], float | None]] = {"missing": lambda point: point.missing}
    for name, _ in shares.most_common(MOST_LINES - 1):
        lines[name] = lambda point, name=name: point.causes.get(name, 0.0)  # type: ignore[misc]
    return lines


def _place(number: int, point: PointRow) -> float:
    if point.first_step is None or point.last_step is None:
        return float(number)
    return (point.first_step + point.last_step) / 2


def _row(point: Point) -> PointRow:
    return PointRow(
        first_step=point.first_step,
        last_step=point.last_step,
        records=point.records,
        score=point.score,
        components=point.components,
        missing=point.missing / point.records,
        causes={cause: count / point.records for cause, count in sorted(point.causes.items())},
        groups=point.groups,
        zero_variance=point.flat / point.groups if point.groups else None,
        length=point.length,
        policy=point.policy if point.policies == 1 else None,
    )
