"""The suite that every sandbox passes, on the Docker backend."""

from __future__ import annotations

import pytest

from sandbox.conformance import check_sandbox
from sandbox.docker import DockerSandbox
from tests.sandbox.docker.engines import IMAGE

pytestmark = pytest.mark.image


def test_docker_conforms() -> None:
    report = check_sandbox(lambda: DockerSandbox(IMAGE, warm=2))
    assert report.unsupported == {}
