"""Pairs of reference and answer whose labels are known by construction."""

from benchmarks.pairs.catalogue import FORMS, TAG, open_pairs, sealed_pairs
from benchmarks.pairs.pair import Pair

__all__ = ["FORMS", "TAG", "Pair", "open_pairs", "sealed_pairs"]
