"""Prints what the offline runs of Weights & Biases below a folder hold: history by step, tables, alerts, the run.

Its package has no reader of its files any more; they are LevelDB's log of the package's own protocol buffers.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from wandb.proto.wandb_internal_pb2 import Record

_BLOCK, _HEAD = 32_768, 7
_WHOLE, _LAST = 1, 4


def records(data: bytes) -> Iterator[Record]:
    """Pieces of a record lie one after the other, none over the end of a block; the file begins with a mark."""
    at, pieces = _HEAD, b""
    while at + _HEAD <= len(data):
        if _BLOCK - at % _BLOCK < _HEAD:
            at += _BLOCK - at % _BLOCK
            continue
        _, size, kind = struct.unpack_from("<IHB", data, at)
        pieces += data[at + _HEAD : at + _HEAD + size]
        at += _HEAD + size
        if kind in (_WHOLE, _LAST):
            yield Record.FromString(pieces)
            pieces = b""


history, alerts, runs = [], [], []
for path in sorted(Path(sys.argv[1]).rglob("run-*.wandb")):
    for record in records(path.read_bytes()):
        if record.HasField("history"):
            items = record.history.item
            history.append({"/".join(one.nested_key) or one.key: json.loads(one.value_json) for one in items})
        if record.HasField("alert"):
            alerts.append([record.alert.title, record.alert.text])
        if record.HasField("run"):
            runs.append({"id": record.run.run_id, "project": record.run.project, "name": record.run.display_name})
tables = [json.loads(path.read_text()) for path in sorted(Path(sys.argv[1]).rglob("*.table.json"))]
print(json.dumps({"history": history, "alerts": alerts, "runs": runs, "tables": tables}))
