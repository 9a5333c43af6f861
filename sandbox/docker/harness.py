"""The files that every container finds at ``/opt/trueward``: the runner and the harness, in a read-only volume.

A volume and not a bind mount or a part of the image: it works where the engine is another machine or the service
runs in a container, and the files are always those of this version of the service.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import docker

from sandbox.docker.container import MOUNT
from sandbox.docker.engine import Engine
from sandbox.harness.packages import FOLDER as PYTEST
from sandbox.harness.packages import packages

_SANDBOX = Path(__file__).parents[1]
_TREES = {"docker/runner": _SANDBOX / "docker/runner"}


def archive() -> bytes:
    """A tar archive with the runner, each folder of the harness under its language, and pytest's packages."""
    folders = {path.name: path for path in sorted((_SANDBOX / "harness").iterdir()) if path.is_dir()}
    shown = {f"{PYTEST}/{name}": path for name, path in packages().items()}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, root in {**folders, **_TREES, **shown}.items():
            for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
                # of pytest's packages what is compiled goes along: they are large, and no container could keep it
                if path.is_file() and (name in shown or "__pycache__" not in path.parts):
                    below = path.relative_to(root).as_posix()
                    entry = tarfile.TarInfo(name if path == root else f"{name}/{below}")
                    content = path.read_bytes()
                    entry.size, entry.mode = len(content), 0o644
                    entry.mtime = int(path.stat().st_mtime)  # what is compiled says of which time its source is
                    tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def volume_name(engine: Engine) -> str:
    """The volume of this server."""
    return f"trueward-{engine.server}"


async def create_volume(engine: Engine, image: str) -> str:
    """A volume with the files, labelled as this server's. Raises SandboxFailure where the image is missing."""
    name = volume_name(engine)

    def create(api: docker.APIClient) -> None:
        api.create_volume(name, labels=engine.labels)
        host = api.create_host_config(mounts=[docker.types.Mount(MOUNT, name, type="volume", no_copy=True)])
        # Never started: its file system is only the way into the volume.
        carrier = api.create_container(image, ["true"], labels=engine.labels, host_config=host, network_disabled=True)
        try:
            api.put_archive(carrier["Id"], MOUNT, archive())
        finally:
            api.remove_container(carrier["Id"], force=True)

    await engine.call(
        f"find the image {image} (`docker build --tag {image} sandbox/images`, or pull it)",
        lambda api: api.inspect_image(image),  # type: ignore[no-untyped-call]
    )
    await engine.call("make a volume of the runner's files", create)
    return name
