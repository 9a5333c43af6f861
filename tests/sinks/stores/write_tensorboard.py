"""Writes three steps of one run below a folder, each by a sink of its own, as fast as it can."""

from __future__ import annotations

import sys
from pathlib import Path

from trueward.sinks.sink import Place
from trueward.sinks.tensorboard import TensorBoardSink

for step in range(3):
    sink = TensorBoardSink(Place(run="a run", target=sys.argv[1], folder=Path(sys.argv[1])))
    sink.record(step, {"reward": 0.5})
    sink.close()
