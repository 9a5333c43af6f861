"""Where a run's numbers go beside the ledger: Weights & Biases, MLflow, TensorBoard, OpenTelemetry, and plug-ins.

A sink is one class with four methods (:class:`Sink`); each brings its package only when it is opened.
"""

from trueward.sinks.registry import SINKS, open_sink
from trueward.sinks.sink import Place, Row, Sink

__all__ = ["SINKS", "Place", "Row", "Sink", "open_sink"]
