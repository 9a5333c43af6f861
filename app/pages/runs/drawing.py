"""A run's points as figures: rewards and components, outcomes, missing scores, flat groups, lengths, data sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from app.pages.runs.plots.figure import MarkedRange, RunFigure, Spot
from app.pages.runs.views import MarkRow, PointRow
from app.runs.points import Ends, RunPoint, ScoreBin
from app.runs.series import Grain, Series
from trueward.numerals import number
from trueward.wire.audit import FigureLine

MOST_LINES = 12
MOST_PARTS = 8
"""Names that a figure has room for; the table below it has all of them."""
MOST_MARKS = 12
_AXES: dict[Grain, str] = {"steps": "step", "records": "hundreds of records", "sampled": "step"}
Said = Callable[[RunPoint], float | None]
Spread = Callable[[RunPoint], Ends | None]


def rows(series: Series, path: Callable[[RunPoint], str]) -> list[PointRow]:
    return [_row(point, path(point)) for point in series.points]


def figures(
    series: Series, path: Callable[[RunPoint], str], marks: Sequence[MarkRow], alarmed: Sequence[MarkedRange]
) -> list[RunFigure]:
    """Those that have something to show. ``path`` leads to a point's samples, ``alarmed`` are the steps of alarms."""
    points = series.points
    stepped = any(point.first_step is not None for point in points)
    x = [_place(index, point) for index, point in enumerate(points)]
    name = _AXES[series.grain] if stepped else _AXES["records"] if series.grain == "records" else "time"
    spots = spots_of(series, path)
    shared = {
        "x": name,
        "spots": spots,
        "marks": [(float(mark.step), mark.text) for mark in marks if mark.step is not None][-MOST_MARKS:]
        if stepped
        else [],
        "ranges": list(alarmed) if stepped else [],
    }
    made = [_scores(series, x), _histogram(series, x), _outcomes(points, x), _causes(points, x)]
    made += [_flat(points, x), _lengths(points, x), _sources(series, x)]
    return [one.model_copy(update=shared) for one in made if one is not None]


def spots_of(series: Series, path: Callable[[RunPoint], str]) -> list[Spot]:
    points = enumerate(series.points)
    return [Spot(x=_place(index, point), text=_describe_point(point), path=path(point)) for index, point in points]


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


def word(series: Series) -> str:
    return "reward" if series.priced else "score"


def _scores(series: Series, x: list[float]) -> RunFigure | None:
    points, whole = series.points, word(series)
    names = [name for name in dict.fromkeys(name for point in points for name in point.components) if name != whole]
    lines = [_line(whole, points, x, lambda point: point.score, lambda point: point.score_ends)]
    for name in names[: MOST_LINES - 1]:
        said = _getter(name)
        lines.append(_line(name, points, x, said, lambda point, name=name: point.component_ends.get(name)))  # type: ignore[misc]
    note = " ".join(constant_components(series))
    if len(names) == 1 and lines[0].y == lines[1].y:
        note = f"The {whole} is {names[0]}, its only component: the two lines lie on each other. {note}".strip()
    return _figure("lines", f"{whole.capitalize()} and its components", f"mean {whole}, 95% interval", lines, note)


def constant_components(series: Series) -> list[str]:
    """A sentence for each component that is one number in all that was counted."""
    found = []
    points = series.points
    names = list(dict.fromkeys(name for point in points for name in point.components))
    for name in names if sum(point.records for point in points) > 1 else ():
        values = {point.components.get(name) for point in points} - {None}
        if len(values) == 1 and not any(name in point.component_ends for point in points):
            [value] = values
            who = "nobody" if value == 0 else "everybody the same"
            found.append(f"{name} pays {who}: it is {number(value or 0.0)} in all {_counted(series)} records.")
    return found


def _counted(series: Series) -> str:
    return number(series.counted)


def _getter(name: str) -> Said:
    return lambda point: point.components.get(name)


def _histogram(series: Series, x: list[float]) -> RunFigure | None:
    if len(series.bins) < 2:
        return None
    lines = [
        FigureLine(name=_bin(one), x=x, y=[_share(point.histogram[row], point) for point in series.points])
        for row, one in enumerate(series.bins)
    ]
    whole = word(series)
    return _figure("heat", f"How the {whole}s are spread", f"{whole}; strong colour: many records", lines)


def _bin(one: ScoreBin) -> str:
    return number(one.low) if one.low == one.high else f"{one.low:.3g}"


def _outcomes(points: Sequence[RunPoint], x: list[float]) -> RunFigure | None:
    """Every outcome with its reason code: those that came most, the rest together."""
    return _figure(
        "stack",
        "Outcomes by step",
        "share of the records",
        _parts(points, x, lambda point: point.outcomes),
    )


def _sources(series: Series, x: list[float]) -> RunFigure | None:
    """The mean of each data source, where there are several."""
    points = series.points
    counts: Counter[str] = Counter()
    for point in points:
        counts.update({name: source.records for name, source in point.sources.items()})
    names = [name for name, _ in counts.most_common(MOST_PARTS)]
    if len(counts) < 2:
        return None
    lines = [
        FigureLine(name=name, x=x, y=[source.score if (source := one.sources.get(name)) else None for one in points])
        for name in names
    ]
    return _figure("lines", "By data source", f"mean {word(series)}", lines)


def _parts(
    points: Sequence[RunPoint], x: list[float], counts: Callable[[RunPoint], Mapping[str, int]]
) -> list[FigureLine]:
    """Shares of the records, the most frequent first; beyond the eighth they are one."""
    total: Counter[str] = Counter()
    for point in points:
        total.update(counts(point))
    names = [name for name, _ in total.most_common(MOST_PARTS if len(total) <= MOST_PARTS else MOST_PARTS - 1)]
    lines = [
        FigureLine(name=name, x=x, y=[_share(counts(point).get(name, 0), point) for point in points]) for name in names
    ]
    if len(total) > len(names):
        rest = [sum(counts(point).values()) - sum(counts(point).get(name, 0) for name in names) for point in points]
        y = [_share(count, point) for count, point in zip(rest, points, strict=True)]
        lines.append(FigureLine(name=f"{len(total) - len(names)} others", x=x, y=y))
    return lines


def _causes(points: Sequence[RunPoint], x: list[float]) -> RunFigure | None:
    """All missing ones, then the causes that came most."""
    shares: Counter[str] = Counter()
    for point in points:
        shares.update(point.causes)
    if not shares:
        return None
    lines = [_line("missing", points, x, lambda point: point.missing / point.records, lambda point: point.missing_ends)]
    for name, _ in shares.most_common(MOST_LINES - 1):
        y = [_share(point.causes.get(name, 0), point) for point in points]
        lines.append(FigureLine(name=name, x=x, y=y))
    return _figure("lines", "Missing scores and invalid responses", "share of the records", lines)


def _flat(points: Sequence[RunPoint], x: list[float]) -> RunFigure | None:
    def said(point: RunPoint) -> float | None:
        return point.flat / point.groups if point.groups else None

    lines = [_line("groups", points, x, said, lambda point: point.flat_ends)]
    note = "Such a group teaches nothing: each of its advantages is 0."
    return _figure("lines", "Groups without spread", "share of the named groups", lines, note)


def _lengths(points: Sequence[RunPoint], x: list[float]) -> RunFigure | None:
    names = list(dict.fromkeys(name for point in points for name in point.lengths))
    lines = [FigureLine(name="length", x=x, y=[point.length for point in points])]
    if len(names) > 1:
        lines += [FigureLine(name=name, x=x, y=[point.lengths.get(name) for point in points]) for name in names]
    return _figure("lines", "Length of the responses, by outcome", "mean characters", lines)


def _line(name: str, points: Sequence[RunPoint], x: list[float], said: Said, spread: Spread) -> FigureLine:
    ends = [spread(point) for point in points]
    low, high = ([None if one is None else one[side] for one in ends] for side in (0, 1))
    return FigureLine(name=name, x=x, y=[said(point) for point in points], low=low, high=high)


def _figure(kind: str, title: str, y: str, lines: list[FigureLine], note: str = "") -> RunFigure | None:
    """None where no line has a value; what is over the steps is filled in by :func:`figures`."""
    if not any(value is not None for line in lines for value in line.y):
        return None
    made = {"kind": kind, "title": title, "x": "", "y": y, "lines": lines, "spots": [], "note": note}
    return RunFigure.model_validate(made)


def _share(count: int, point: RunPoint) -> float:
    return count / point.records


def _place(index: int, point: RunPoint) -> float:
    if point.first_step is None or point.last_step is None:
        return float(index)
    return (point.first_step + point.last_step) / 2


def _describe_point(point: RunPoint) -> str:
    steps = "without a step" if point.first_step is None else f"step {number(point.first_step)}"
    if point.last_step is not None and point.last_step != point.first_step:
        steps = f"steps {number(point.first_step or 0)} to {number(point.last_step)}"
    return f"{steps}, {number(point.records)} {'record' if point.records == 1 else 'records'}"


def _row(point: RunPoint, path: str) -> PointRow:
    return PointRow(
        first_step=point.first_step,
        last_step=point.last_step,
        path=path,
        records=point.records,
        score=point.score,
        score_ends=point.score_ends,
        components=point.components,
        missing=point.missing / point.records,
        causes={cause: count / point.records for cause, count in sorted(point.causes.items())},
        outcomes={outcome: count / point.records for outcome, count in point.outcomes.items()},
        groups=point.groups,
        zero_variance=point.flat / point.groups if point.groups else None,
        length=point.length,
        policy=point.policy if point.policies == 1 else None,
    )
