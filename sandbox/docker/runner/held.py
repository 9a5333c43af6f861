"""How long the host kept programs from running: :mod:`sandbox.local.jail.held`.

In a container that module itself is here (:mod:`sandbox.docker.harness`), as nothing of the service is found there.
"""

from sandbox.local.jail.held import Processes

__all__ = ["Processes"]
