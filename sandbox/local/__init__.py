"""The local backend: namespaces, seccomp and limits of the Linux kernel, with no set-up. See :mod:`.backend`."""

from sandbox.local.backend import FLOOR, LocalSandbox
from sandbox.local.features import Feature

__all__ = ["FLOOR", "Feature", "LocalSandbox"]
