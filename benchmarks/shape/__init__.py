"""The shape of the code, measured: ``python -m benchmarks.shape``, or ``make shape``.

One file a measurement. All read the sources as text or as syntax trees; only :mod:`benchmarks.shape.startup` runs
them. None is a verdict: a row is a place to look at.
"""
