"""What a verifier's audits show beside the big numbers, part by part; a part that is not there says why.

Figures and tables are those of the reports, so page, report and JSON have the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import Field, JsonValue

from app.audits.repository import PastRates
from audits.report.view import KINDS, subject_names
from trueward.gate import deciding
from trueward.wire.audit import Audit, Estimate, Figure, FigureLine, Table
from trueward.wire.base import Wire

CURVES = (
    ("threshold", "Threshold curve", "Error rates by threshold", "threshold curve"),
    ("roc", "ROC", "ROC,", "ROC curve"),
    ("precision", "Precision and recall", "Precision and recall,", "precision-recall curve"),
)
_NOT_CORRECTED = "the true pass rate is not known"


class PieceSource(Wire):
    """The audit that a piece is from, where that is not the page's own."""

    audit: str
    kind: str
    finished_at: datetime | None


class PagePiece(Wire):
    source: PieceSource | None
    figures: list[Figure]
    tables: list[Table]


class PagePart(Wire):
    name: str = Field(description="its id in the page")
    title: str
    pieces: list[PagePiece]
    missing: list[str] = Field(description="what is not there, and why")

    @property
    def wide(self) -> bool:
        """Whether it takes more than half of a wide window."""
        return any(piece.tables or len(piece.figures) > 1 for piece in self.pieces)


class PageParts:
    """Of one audit, ``main``, and of others of the same subject by kind, for what ``main`` lacks."""

    def __init__(self, main: Audit, others: Mapping[str, Audit], history: Sequence[PastRates]) -> None:
        self._main = main
        self._audits = {**others, main.spec.kind: main}
        self._history = history
        self._taken: set[str] = set()

    def all(self) -> list[PagePart]:
        curves = [
            self._of_labelled(name, title, (prefix,), self._no_curve(what)) for name, title, prefix, what in CURVES
        ]
        slices = (
            "False-positive rate by slice",
            "False-negative rate by slice",
            "Slices, worst first",
            "Rates for recipes",
        )
        return [
            *curves,
            self._of_labelled(
                "reliability",
                "Reliability",
                ("Reliability of",),
                "Its verdicts have no confidence and no graded score.",
            ),
            self._of_labelled(
                "slices", "Slices, worst first", slices, "No feature differs among the labelled responses."
            ),
            self._agreement(),
            self._drift(),
            self._make_part("metamorphic", "Rewrites and mutations"),
            self._make_part("exploit", "Exploits"),
            self._pass_rate(),
            *self._rest(),
        ]

    def _no_curve(self, what: str) -> str:
        return f"The {what} needs graded scores, and labels of right and of wrong responses."

    def _of_labelled(self, name: str, title: str, prefixes: tuple[str, ...], otherwise: str) -> PagePart:
        piece = self._piece("labelled", prefixes)
        if piece is None:
            return PagePart(name=name, title=title, pieces=[], missing=[self._none("labelled")])
        found = bool(piece.figures or piece.tables)
        return PagePart(name=name, title=title, pieces=[piece] if found else [], missing=[] if found else [otherwise])

    def _agreement(self) -> PagePart:
        pieces, missing = [], []
        for kind, prefix in (("labelled", "Metrics"), ("consensus", "Pairwise agreement")):
            piece = self._piece(kind, (prefix,))
            if piece is not None and (piece.tables or piece.figures):
                pieces.append(piece)
            else:
                missing.append(self._none(kind))
        return PagePart(
            name="agreement", title="Agreement with labels and with other verifiers", pieces=pieces, missing=missing
        )

    def _make_part(self, kind: str, title: str) -> PagePart:
        piece = self._piece(kind, ("",))
        if piece is None:
            return PagePart(name=kind, title=title, pieces=[], missing=[self._none(kind)])
        return PagePart(name=kind, title=title, pieces=[piece], missing=[])

    def _drift(self) -> PagePart:
        rates = [each for each in self._history if each.false_positives or each.false_negatives]
        if len(rates) < 2:
            missing = [
                f"This needs two audits of this kind with rates. There {'is one' if rates else 'is none'} so far."
            ]
            return PagePart(name="drift", title="Drift over its audits", pieces=[], missing=missing)
        figures = [
            drift_figure(f"Wrong answers accepted, over {len(rates)} audits", rates, positives=True),
            drift_figure(f"Right answers rejected, over {len(rates)} audits", rates, positives=False),
        ]
        piece = PagePiece(source=None, figures=figures, tables=[])
        return PagePart(name="drift", title="Drift over its audits", pieces=[piece], missing=[])

    def _pass_rate(self) -> PagePart:
        title = "Corrected pass rate"
        audit = self._audits.get("labelled")
        if audit is None or audit.report is None:
            return PagePart(name="pass-rate", title=title, pieces=[], missing=[self._none("labelled")])
        found = audit.report.findings.get("true_pass_rate")
        if not isinstance(found, dict):
            why = [note for note in audit.report.notes if note.startswith(_NOT_CORRECTED)]
            return PagePart(name="pass-rate", title=title, pieces=[], missing=why or [_NOT_CORRECTED])
        table = pass_rate_table(audit.report.findings.get("accepted_share"), found)
        return PagePart(
            name="pass-rate",
            title=title,
            pieces=[PagePiece(source=self._source(audit), figures=[], tables=[table])],
            missing=[],
        )

    def _rest(self) -> list[PagePart]:
        """What no other part showed of the page's own audit."""
        piece = self._piece(self._main.spec.kind, ("",))
        if piece is None or not (piece.figures or piece.tables):
            return []
        return [PagePart(name="more", title="More", pieces=[piece], missing=[])]

    def _piece(self, kind: str, prefixes: tuple[str, ...]) -> PagePiece | None:
        """Figures and tables whose titles begin so, each shown once; None without such an audit."""
        audit = self._audits.get(kind)
        if audit is None or audit.report is None:
            return None
        report = audit.report
        return PagePiece(
            source=self._source(audit),
            figures=[one for one in report.figures if self._takes(audit, "figure", one.title, prefixes)],
            tables=[one for one in report.tables if self._takes(audit, "table", one.title, prefixes)],
        )

    def _takes(self, audit: Audit, what: str, title: str, prefixes: tuple[str, ...]) -> bool:
        key = f"{audit.id} {what} {title}"
        is_matrix = audit.spec.kind == "labelled" and title == "Verdicts against labels"  # has its own place
        if is_matrix or key in self._taken or not title.startswith(prefixes):
            return False
        self._taken.add(key)
        return True

    def _source(self, audit: Audit) -> PieceSource | None:
        if audit.id == self._main.id:
            return None
        return PieceSource(audit=audit.id, kind=KINDS[audit.spec.kind], finished_at=audit.finished_at)

    def _none(self, kind: str) -> str:
        return f"No {KINDS[kind].lower()} of {subject_names(self._main)[:200]} is completed."


def drift_figure(title: str, history: Sequence[PastRates], *, positives: bool) -> Figure:
    """One row an audit, newest first, with its day and the versions that judged."""
    lines = []
    for place, past in enumerate(history):
        found = deciding(past.false_positives if positives else past.false_negatives, "upper")
        lines.append(_row(place, past, found))
    return Figure(kind="bars", title=title, x="audit", y="rate", lines=lines)


def pass_rate_table(judged: JsonValue, found: dict[str, JsonValue]) -> Table:
    interval = found.get("interval")
    low, high = interval if isinstance(interval, list) and len(interval) == 2 else (None, None)
    value = found.get("rate", found.get("value"))
    return Table(
        title="Share of right responses in the population",
        columns=["what", "value", "low", "high"],
        rows=[
            ["as the verifier says", _number(judged), None, None],
            ["corrected for its errors (Rogan and Gladen 1978)", _number(value), _number(low), _number(high)],
        ],
        shares=["value", "low", "high"],
    )


def _row(place: int, past: PastRates, found: Estimate | None) -> FigureLine:
    versions = ", ".join(f"{name} {' '.join(known)}" for name, known in past.versions.items())
    low, high = (None, None) if found is None or found.interval is None else found.interval
    return FigureLine(
        name=f"{past.finished_at:%m-%d %H:%M} {versions}",
        x=[float(place)],
        y=[None if found is None else found.rate],
        low=[low],
        high=[high],
    )


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) else None
