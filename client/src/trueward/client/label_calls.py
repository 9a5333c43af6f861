"""The calls of labels: upload, list, export; draws, and the queue of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from pydantic import JsonValue

from trueward.client.call import Call, segment
from trueward.client.paging import Pages, Period, pages
from trueward.client.plan import fields_of, model, post_json, query_of
from trueward.wire.aim import AimState, LabelAim
from trueward.wire.draw import BlindItem, Draw, DrawPage, DrawRequest, DrawSummary, ItemView, LabelAgreement, Revealed
from trueward.wire.label import ContractCase, Label, LabelFormat, LabelPage, LabelRequest, LabelsStored

Fields = Mapping[str, JsonValue]
_LABELS = "/v1/labels"


class ExportFilters(TypedDict, total=False):
    """Which labels; ``sample`` is a content's fingerprint."""

    sample: str | None
    draw: str | None
    annotator: str | None
    source: str | None


class LabelFilters(ExportFilters, Period, total=False):
    """``record``: labels of its sample."""

    record: str | None


def store(labels: Iterable[LabelRequest | Fields]) -> Call[LabelsStored]:
    return post_json(_LABELS, {"labels": [fields_of(label, unset=True) for label in labels]}, model(LabelsStored))


def store_file(body: bytes, form: LabelFormat) -> Call[LabelsStored]:
    """A whole file, or a part of one that is a file of its own."""
    path = f"{_LABELS}/import?{query_of({'format': form})}"
    return Call("POST", path, model(LabelsStored), lambda remaining_s: [body], content_type="application/octet-stream")


def listing(asked: Mapping[str, object]) -> Call[LabelPage]:
    return Call("GET", f"{_LABELS}?{query_of(asked)}", model(LabelPage))


def labels(asked: LabelFilters) -> Pages[Label]:
    return pages(_LABELS, LabelPage, lambda page: (page.labels, page.next), asked)


def export(form: LabelFormat, asked: Mapping[str, object]) -> Call[str]:
    return Call("GET", export_path({**asked, "format": form}), lambda body: body.decode())


def draws(asked: Period) -> Pages[DrawSummary]:
    return pages(f"{_LABELS}/draws", DrawPage, lambda page: (page.draws, page.next), asked)


def show_draw(draw: str) -> Call[Draw]:
    return Call("GET", _draw(draw), model(Draw))


def release(item: BlindItem) -> Call[ItemView]:
    return post_json(
        f"{_draw(item.draw)}/items/{item.position}/release", {"annotator": item.annotator}, model(ItemView)
    )


def skip(item: BlindItem) -> Call[ItemView]:
    return post_json(f"{_draw(item.draw)}/items/{item.position}/skip", {"annotator": item.annotator}, model(ItemView))


def export_path(asked: Mapping[str, object]) -> str:
    return f"{_LABELS}/export?{query_of(asked)}"


def case(label: str, verifier: str | None) -> Call[ContractCase]:
    return post_json(f"{_LABELS}/{segment(label)}/case", {"verifier": verifier}, model(ContractCase))


def draw(spec: DrawRequest | Fields) -> Call[Draw]:
    return post_json(f"{_LABELS}/draws", fields_of(spec, unset=True), model(Draw))


def pursue(aim: LabelAim | Fields) -> Call[AimState]:
    return post_json(f"{_LABELS}/aims", fields_of(aim, unset=True), model(AimState))


def next_item(draw: str, annotator: str) -> Call[BlindItem | None]:
    read = model(BlindItem)
    return post_json(f"{_draw(draw)}/next", {"annotator": annotator}, lambda body: read(body) if body else None)


def submit(draw: str, position: int, said: Fields) -> Call[Revealed]:
    return post_json(f"{_draw(draw)}/items/{position}", said, model(Revealed))


def agreement(draw: str) -> Call[LabelAgreement]:
    return Call("GET", f"{_LABELS}/agreement?{query_of({'draw': draw})}", model(LabelAgreement))


def _draw(draw: str) -> str:
    return f"{_LABELS}/draws/{segment(draw)}"
