"""The version of the service, as it was installed."""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("trueward-server")
