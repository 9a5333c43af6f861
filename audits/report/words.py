"""What the words of a report mean, for who reads the page alone: those that this report uses, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audits.report.view import METHODS
from trueward.wire.audit import AuditReport


class Word(NamedTuple):
    """``names`` are where it is found: columns, methods, and rows of the metrics."""

    word: str
    names: tuple[str, ...]
    meaning: str


_RATES = "false positive, false negative"
_INTERVAL = "interval; low, high"
_WORDS = (
    Word(
        _RATES,
        ("false positive", "false negative"),
        "Of the truly wrong responses with a verdict, the share that was accepted; of the truly right ones, the share "
        "that was rejected.",
    ),
    Word(
        _INTERVAL,
        ("low", "FP low", "Wilson low", _INTERVAL),
        "Where the true rate lies as far as these items can tell: intervals made in this way hold it as often as their "
        "level says (95% by default). Few items make it wide. Judge by its ends, not by the rate.",
    ),
    Word("Wilson", ("Wilson", "Wilson low"), "An interval for items that err independently; the usual choice."),
    Word(
        "Clopper-Pearson",
        ("Clopper-Pearson", "Clopper-Pearson low"),
        "An interval for items that err independently, which is never too narrow for its level.",
    ),
    Word(
        "cluster bootstrap",
        ("cluster bootstrap",),
        "An interval for items that share errors, such as the responses to one prompt (a cluster, or group): whole "
        "clusters are drawn again and again. Where it says too few, it is Wilson's with each cluster as one item.",
    ),
    Word(
        "weighted (Horvitz-Thompson)",
        ("weighted (Horvitz-Thompson)", "weighted"),
        "What was labelled had been drawn, some responses with a higher probability than others. Each counts "
        "1/probability times, so this rate is of all responses that could be drawn, and its errors and items are "
        "estimates, not whole numbers. Worth: as sure as so many independent items. Other rates are of the labelled "
        "responses alone.",
    ),
    Word("too few", ("too few",), "So few groups, or groups with an error, leave little to go by: label more."),
    Word(
        "no verdict",
        ("no verdict",),
        "The verifier abstained or failed: neither accepted nor rejected, and in no rate.",
    ),
    Word("coverage", ("coverage",), "The share of labelled responses that have a verdict."),
    Word("accuracy", ("accuracy",), "The share of verdicts that are what the label says."),
    Word("precision, recall, f1", ("precision",), "The share of accepted responses that are right; the share of right "
         "responses that are accepted; the harmonic mean of both."),
    Word("mcc", ("mcc",), "Matthews' correlation of verdict and label: 1 perfect, 0 chance, -1 the opposite."),
    Word("kappa", ("kappa",), "Cohen's kappa: agreement beyond chance, 1 perfect, 0 chance."),
    Word(
        "J",
        ("Youden's J", "J"),
        "Youden's index, 1 less both error rates: 1 perfect; at 0 a verdict says nothing and nothing is learned; "
        "below 0 learning from it goes the wrong way.",
    ),
    Word("elsewhere", ("elsewhere",), "The same rate among all items that are not in the slice."),
    Word(
        "p, guarded",
        ("p, guarded",),
        "How likely a slice looks this bad or worse by chance, made larger for the number of slices that were looked "
        "at. Near 0: really worse than elsewhere. Slices are sorted by it, not by their rate.",
    ),
    Word("wrong, right", ("FP low",), "How many truly wrong and truly right items the rates beside them are made of."),
    Word(
        "tried, accepted, rejected, invalid",
        ("tried",),
        "Responses that were sent; those called right; those called wrong; those with nothing in them to judge, which "
        "count as not accepted.",
    ),
    Word("mean reward", ("mean reward",), "The mean score or reward of all that was tried."),
    Word("shared errors", ("shared errors",), "How much more two verifiers agree than if they erred independently."),
)  # fmt: skip


def words(report: AuditReport) -> Iterator[tuple[str, str]]:
    """Each word that the report uses, with its meaning."""
    used = set(_used(report))
    for word in _WORDS:
        if used.intersection(word.names):
            yield word.word, word.meaning


def _used(report: AuditReport) -> Iterator[str]:
    for table in report.tables:
        yield from table.columns
        yield from (str(row[0]) for row in table.rows if table.columns[0] == "metric" and row)
    for name, estimates in (("false positive", report.false_positives), ("false negative", report.false_negatives)):
        if estimates:
            yield from (name, _INTERVAL)
        for estimate in estimates:
            yield METHODS[estimate.method]
            if "too few" in estimate.note:
                yield "too few"
    if any(note.startswith("J = ") for note in report.notes):
        yield "J"
