"""The suite that every sandbox passes, on the Docker backend."""

from __future__ import annotations

import pytest

from sandbox.conformance import check_sandbox
from sandbox.docker import DockerSandbox
from tests.sandbox.docker.engines import IMAGE
from tests.sandbox.patience import grace_s

pytestmark = [pytest.mark.image, pytest.mark.long]
AT_ONCE = 4


def test_docker_conforms() -> None:
    # a container is two tenths of a second of work for the engine: what runs beside others waits for theirs
    report = check_sandbox(lambda: DockerSandbox(IMAGE, warm=AT_ONCE), at_once=AT_ONCE, grace_s=grace_s(4.0))
    assert report.unsupported == {}
