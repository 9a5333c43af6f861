"""A sandbox: here this machine's own, with a name of its own. Yours would start virtual machines, or ask a cluster."""

from typing import Protocol

from trueward_server.authoring import Sandbox


class Settings(Protocol):
    """What it reads of the service's settings; there are more."""

    sandbox_workers: int


def make_sandbox(settings: Settings) -> Sandbox:
    from sandbox.local import LocalSandbox

    class BroughtSandbox(LocalSandbox):
        name = "brought"

    return BroughtSandbox(workers=settings.sandbox_workers)
