"""The tiny models of the judges' tests."""

from tests.judges.conftest import tiny as tiny
