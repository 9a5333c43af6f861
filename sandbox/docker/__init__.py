"""Programs in containers of a Docker engine."""

from sandbox.docker.backend import DockerSandbox

__all__ = ["DockerSandbox"]
