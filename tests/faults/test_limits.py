"""A service that runs out of descriptors: no wrong reward, and it goes on."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psutil

from tests.faults.asking import SLEEP, asked
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving

FREE = 12
"""Descriptors that are left to a service in the middle of its work."""


def test_a_service_without_descriptors_goes_on_when_it_has_some(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with (
        serving(tmp_path) as service,
        httpx2.Client(base_url=service.url, timeout=30.0, trust_env=False) as http,
        Load(service.url, programs=True, job=300) as load,
    ):
        with asked(http, SLEEP):  # a second place of the sandbox starts when it is needed, and keeps its descriptors
            load.recovered()
        before = footprint(service.process.pid)
        running = psutil.Process(service.process.pid)
        least = running.num_fds() + FREE
        usual = running.rlimit(psutil.RLIMIT_NOFILE)
        running.rlimit(psutil.RLIMIT_NOFILE, (least, usual[1]))
        with ExitStack() as crowd:
            address = urlsplit(service.url)
            for _ in range(10 * FREE):
                crowd.enter_context(socket.create_connection((address.hostname or "", address.port or 0)))
            load.some_answers()
        record_property("recovered_s", round(load.recovered(), 1))
        running.rlimit(psutil.RLIMIT_NOFILE, usual)
        load.recovered()
        load.end()
        record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
        assert_no_growth(service.process.pid, before)
