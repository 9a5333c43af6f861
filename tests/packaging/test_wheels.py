"""What the wheels install: one package each, with all that the service runs on, beside other people's packages."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree, rmtree
from sysconfig import get_paths

import httpx2
import pytest
from pydantic import JsonValue

from app.version import VERSION
from tests import live
from tests.live import Service, serving
from tests.packaging.stranger import build_wheels
from trueward import Client

ROOT = Path(__file__).parents[2]
OURS = ("app", "audits", "judges", "rewards", "sandbox", "verifiers")
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
TRAINERS = ROOT / ".venv-trainers/lib" / PYTHON / "site-packages"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By distribution; built as a release builds them."""
    return build_wheels(tmp_path_factory.mktemp("wheels"))


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as packed:
        return packed.namelist()


@pytest.fixture
def installed(wheels: dict[str, Path], tmp_path: Path) -> Path:
    """An environment with our wheels and what they depend on; the checkout is not in it. Its packages' folder."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    packages = tmp_path / "env/lib" / PYTHON / "site-packages"
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(packages)
    # a line of a .pth file adds the folder alone, not the editable installations that its own .pth files name
    (packages / "dependencies.pth").write_text(get_paths()["purelib"])
    command = tmp_path / "env/bin/trueward"
    command.write_text(f"#!{tmp_path / 'env/bin/python'}\nfrom trueward.cli import main\nmain()\n")
    command.chmod(0o755)
    return packages


@contextmanager
def started(packages: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    data_dir.mkdir()
    monkeypatch.chdir(data_dir)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(live, "COMMAND", packages.parents[2] / "bin/trueward")
    with serving(data_dir) as service:
        yield service


def scored(service: Service) -> list[str]:
    """Outcomes in the server's process, a worker and a sandbox."""
    tests: JsonValue = {"assertions": ["assert f(1) == 1"]}
    program: dict[str, JsonValue] = {"response": "```python\ndef f(x):\n    return x\n```", "reference": tests}
    with Client(service.url) as client:
        inline = client.verify([{"response": "\\boxed{1/2}", "reference": "0.5"}], verifier="math")
        symbolic: dict[str, JsonValue] = {"response": "\\boxed{\\sin^2 x + \\cos^2 x + y}", "reference": "1 + y"}
        apart = client.verify([symbolic], verifier="math")
        run = client.verify([program], verifier="code")
    return [verdict.outcome for verdict in (*inline, *apart, *run)]


def test_each_wheel_installs_one_package_and_its_licence(wheels: dict[str, Path]) -> None:
    assert set(wheels) == {"trueward", "trueward_server", "trueward_trainer"}
    for name in wheels:
        listed = names(wheels[name])
        assert {entry.partition("/")[0] for entry in listed} == {name, f"{name}-{VERSION}.dist-info"}
        assert any(entry.endswith("licenses/LICENSE") for entry in listed)


def test_the_service_runs_from_its_wheel_beside_strangers_of_the_same_names(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in OURS:
        (installed / name).mkdir()
        (installed / name / "__init__.py").write_text("raise ImportError('a stranger was imported')\n")
    with started(installed, tmp_path / "data", monkeypatch) as service:
        assert scored(service) == ["correct"] * 3
        assert httpx2.get(f"{service.url}/ui/runs", timeout=60).status_code == 200
        assert "Traceback" not in service.log.read_text()


@pytest.mark.trainer
def test_the_service_runs_beside_the_verifiers_of_prime(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(TRAINERS / "verifiers", installed / "verifiers")
    with started(installed, tmp_path / "data", monkeypatch) as service:
        assert scored(service) == ["correct"] * 3
    found = "import trueward, importlib.util; print(importlib.util.find_spec('verifiers').origin)"
    assert python(installed, tmp_path, found).strip() == str(installed / "verifiers/__init__.py")


def test_the_command_and_a_notebook_judge_without_a_service(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("TRUEWARD_URL", raising=False)
    command = installed.parents[2] / "bin/trueward"
    judged = subprocess.run(
        [command, "verify", "--verifier", "math", "--response", "\\boxed{4}", "--reference", "4", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert judged.returncode == 0, judged.stderr
    entered = (
        "import trueward_server; trueward_server.enter(); from verifiers import registry; print(*registry.names())"
    )
    assert "math" in python(installed, tmp_path, entered).split()
    compat = "from trueward.compat.math_verify import parse, verify; print(verify(parse('$1/2$'), parse('$0.5$')))"
    assert python(installed, tmp_path, compat).strip() == "True"


def test_the_trainer_is_there_where_its_wheel_is(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    command: list[str | Path] = [installed.parents[2] / "bin/trueward", "train", "--example", "sums", "--model", "m"]
    written = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert written.stdout.split() == ["trueward", "train", "sums/sums.yaml"], written.stderr
    rmtree(installed / "trueward_trainer")
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 4
    assert "pip install 'trueward[train]'" in refused.stderr


def python(packages: Path, folder: Path, code: str) -> str:
    """What the environment's interpreter prints, in a folder that has nothing of ours."""
    interpreter = packages.parents[2] / "bin/python"
    return subprocess.run([interpreter, "-c", code], cwd=folder, check=True, capture_output=True, text=True).stdout
