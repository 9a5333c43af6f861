"""Which sandbox the settings name, and the one that runs nothing."""

from __future__ import annotations

import sys

import pytest

from app.lanes.sandboxes import SandboxOff, sandbox_of
from app.settings import Settings
from sandbox.base import Program, Sandbox, Unsupported
from sandbox.docker import DockerSandbox
from sandbox.languages import languages
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from sandbox.remote import RemoteSandbox
from trueward.errors import NotInstalled

PROGRAM = Program("python", "pass")


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        (Settings(), LocalSandbox),
        (Settings(sandbox="local"), LocalSandbox),
        (Settings(sandbox="docker"), DockerSandbox),
        (Settings(sandbox="remote", sandbox_url="http://sandbox:8080"), RemoteSandbox),
        (Settings(sandbox="off"), SandboxOff),
    ],
    ids=lambda value: getattr(value, "sandbox", ""),
)
def test_the_settings_name_the_sandbox(settings: Settings, kind: type[Sandbox]) -> None:
    assert type(sandbox_of(settings)) is kind


def test_docker_without_its_client_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.partition(".")[0] == "docker" or name.startswith("sandbox.docker")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(NotInstalled, match=r"trueward-server\[docker\]"):
        sandbox_of(Settings(sandbox="docker"))


async def test_without_a_sandbox_nothing_is_run_and_the_reason_is_the_setting() -> None:
    nothing = SandboxOff()
    with pytest.raises(Unsupported, match="TRUEWARD_SANDBOX=off"):
        async with nothing.open(PROGRAM, Limits()):
            pass
    with pytest.raises(Unsupported, match="TRUEWARD_SANDBOX=off"):
        await nothing.pair(PROGRAM, PROGRAM, Limits())
    told = await nothing.languages()
    assert list(told) == list(languages())
    assert all("TRUEWARD_SANDBOX=off" in why for why in told.values())
    await nothing.close()
