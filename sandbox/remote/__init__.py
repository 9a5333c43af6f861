"""Programs on another server: any that speaks SandboxFusion's ``/run_code``."""

from sandbox.remote.backend import RemoteSandbox

__all__ = ["RemoteSandbox"]
