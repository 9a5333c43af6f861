"""Prints what TensorBoard's event files below a folder hold: scalars and texts by tag, a value a step."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from tensorboardX.proto.event_pb2 import Event

found: dict[str, list[list[Any]]] = defaultdict(list)
for path in sorted(Path(sys.argv[1]).rglob("events.out.*")):
    data, at = path.read_bytes(), 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        event = Event.FromString(data[at + 12 : at + 12 + size])
        at += 16 + size
        for value in event.summary.value:
            said = value.tensor.string_val[0].decode() if value.HasField("tensor") else value.simple_value
            found[value.tag].append([event.step, said])
print(json.dumps(found))
