"""The files that every container finds at ``/opt/trueward``: the runner and the harness, in a read-only volume.

A volume and not a bind mount or a part of the image: it works where the engine is another machine or the service
runs in a container, and the files are always those of this version of the service.

Programs in two containers could tell each other by locks on, or watches of, one file. So each container gets an
overlay of its own over the volume, where the engine can mount one: the kernel keeps those by the overlay's files.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker

from sandbox.docker.container import MOUNT, Files
from sandbox.docker.engine import Engine
from sandbox.harness.packages import FOLDER as PYTEST
from sandbox.harness.packages import packages

_SANDBOX = Path(__file__).parents[1]
_TREES = {"docker/runner": _SANDBOX / "docker/runner"}
_REPLACED = {"docker/runner/held.py": _SANDBOX / "local/jail/held.py"}
"""Files of a container that are not where the service finds them."""


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
                    source = _REPLACED.get(entry.name, path)
                    content = source.read_bytes()
                    entry.size, entry.mode = len(content), 0o644
                    entry.mtime = int(source.stat().st_mtime)  # what is compiled says of which time its source is
                    tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def volume_names(engine: Engine) -> tuple[str, str]:
    """The volumes of this server: the files, and nothing, which an overlay that nobody can write wants as well."""
    return f"trueward-{engine.server}", f"trueward-{engine.server}-nothing"


async def create_volume(engine: Engine, image: str) -> Files:
    """Volumes with the files, labelled as this server's. Raises SandboxFailure where the image is missing."""
    names = volume_names(engine)

    def create(api: docker.APIClient) -> Files:
        for name in names:
            api.create_volume(name, labels=engine.labels)
        # Never started: its file system is only the way into the volume.
        with _carrier(api, engine, image, docker.types.Mount(MOUNT, names[0], type="volume", no_copy=True)) as carrier:
            api.put_archive(carrier, MOUNT, archive())
        layers = ":".join(str(api.inspect_volume(name)["Mountpoint"]) for name in names)
        separate = Files(names[0], layers)
        try:
            # reading a file mounts what the container is made with, and starts nothing
            with _carrier(api, engine, image, separate.mount()) as carrier:
                api.get_archive(carrier, f"{MOUNT}/docker/runner/main.py")[0].close()
        except docker.errors.APIError:
            return Files(names[0])
        return separate

    await engine.call(
        f"find the image {image} (`docker build --tag {image} sandbox/images`, or pull it)",
        lambda api: api.inspect_image(image),  # type: ignore[no-untyped-call]
    )
    return await engine.call("make a volume of the runner's files", create)


@contextmanager
def _carrier(api: docker.APIClient, engine: Engine, image: str, mount: docker.types.Mount) -> Iterator[str]:
    """A container with a mount, never started."""
    host = api.create_host_config(mounts=[mount])
    made = api.create_container(image, ["true"], labels=engine.labels, host_config=host, network_disabled=True)
    try:
        yield made["Id"]
    finally:
        api.remove_container(made["Id"], force=True, v=True)
