"""A trainer's own parser, or the fields of its own configuration classes, read what a page prints.

``python configurations.py TRAINER FILE``: the file has one argument a line. Prints what is refused, as JSON; an empty
list says that the trainer takes every one. What these modules import beside Python (ray, vLLM) is replaced by empty
modules where it is not here; where a class cannot be built without it, its fields are read from its source.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import sys
import typing
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typing_extensions


def package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    assert found is not None, f"{name} is not installed"
    return Path((found.submodule_search_locations or [])[0])


def verl(arguments: list[str]) -> list[str]:
    """Against verl's generated configuration, in which Hydra refuses what is not there."""
    from omegaconf import OmegaConf

    known = OmegaConf.load(package("verl") / "trainer/config/_generated_ppo_trainer.yaml")
    OmegaConf.set_struct(known, True)
    return refused(arguments, lambda argument: OmegaConf.update(known, *argument.split("=", 1)))


def skyrl(arguments: list[str]) -> list[str]:
    """By the constructor that SkyRL's entry point calls, and its names for what it renamed."""
    typing.TypedDict = typing_extensions.TypedDict
    servers = ModuleType("skyrl.backends.skyrl_train.inference_servers.utils")
    servers.__dict__["_uses_lora_weight_sync"] = lambda configuration: False
    for name in ("skyrl.backends", "skyrl.backends.skyrl_train", "skyrl.backends.skyrl_train.inference_servers"):
        sys.modules[name] = ModuleType(name)
    sys.modules[servers.__name__] = servers
    configuration: Any = import_module("skyrl.train.config").SkyRLTrainConfig
    renamed = {"trainer.strategy=fsdp2"}  # skyrl/train/utils/utils.py warns, and takes `fsdp`
    return [*(renamed & set(arguments)), *refused(arguments, lambda one: configuration.from_cli_overrides([one]))]


def openrlhf(arguments: list[str]) -> list[str]:
    """By the argument parser of ``openrlhf.cli.train_ppo_ray``, whose lines are run up to its use."""
    module = ast.parse((package("openrlhf") / "cli/train_ppo_ray.py").read_text(encoding="utf-8"))
    main = next(node for node in module.body if isinstance(node, ast.If))
    end = next(place for place, node in enumerate(main.body) if "parse_args" in ast.unparse(node))
    scope: dict[str, Any] = {"argparse": argparse, "datetime": datetime}
    exec(compile(ast.Module(main.body[:end], []), "train_ppo_ray", "exec"), scope)
    parser: argparse.ArgumentParser = scope["parser"]
    known, unknown = parser.parse_known_args(arguments)
    assert known.__dict__["reward.remote_url"]
    return unknown


def areal(arguments: list[str]) -> list[str]:
    """Against ``GRPOConfig``'s fields, class by class."""
    return unknown_paths(arguments, "GRPOConfig", classes(package("areal") / "api/cli_args.py"))


def ms_swift(arguments: list[str]) -> list[str]:
    """Against the fields of every class that ``swift rlhf`` parses, and those of Transformers that they inherit."""
    folders = (package("swift") / "arguments", package("swift") / "trainers", package("swift") / "rlhf_trainers")
    return unknown_flags(arguments, [*sources(*folders), *transformers_sources()])


def llama_factory(arguments: list[str]) -> list[str]:
    """Against the fields of every class that ``llamafactory-cli train`` parses."""
    return unknown_flags(arguments, [*sources(package("llamafactory") / "hparams"), *transformers_sources()])


def prime(arguments: list[str]) -> list[str]:
    """An environment of verifiers, as JSON, by its own classes; ``my_gsm8k`` is a taskset that does nothing."""
    vf: Any = import_module("verifiers.v1")
    (text,) = arguments
    taskset = ModuleType("my_gsm8k")
    taskset.__dict__["Nothing"] = type("Nothing", (vf.Taskset,), {"__module__": "my_gsm8k"})
    taskset.__dict__["__all__"] = ["Nothing"]
    sys.modules["my_gsm8k"] = taskset
    return refused([text], lambda one: vf.SingleAgentEnvConfig.model_validate(json.loads(one)))


def imports(code: list[str]) -> list[str]:
    """Whether what Python imports of installed packages is there: the module's file, and the name in it."""
    found = []
    for node in ast.walk(ast.parse("\n".join(code))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("trueward"):
            first, *rest = node.module.split(".")
            if importlib.util.find_spec(first) is None:
                continue  # ray, vLLM and their like are not here
            place = package(first).joinpath(*rest)
            file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            known = bound(file) if file.exists() else set()
            found += [
                f"{node.module}.{alias.name}"
                for alias in node.names
                if alias.name not in known and not (place / f"{alias.name}.py").exists()
            ]
    return found


def bound(file: Path) -> set[str]:
    """The names that a module binds, and those that it loads when they are asked for, which are texts in it."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    found = {node.value for node in ast.walk(module) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    return found


def refused(arguments: list[str], take: Callable[[str], object]) -> list[str]:
    found = []
    for argument in arguments:
        try:
            take(argument)
        except Exception as failure:  # noqa: BLE001 - whatever the trainer raises is its refusal
            found.append(f"{argument}: {type(failure).__name__}: {failure}"[:300])
    return found


def unknown_flags(arguments: list[str], files: list[Path]) -> list[str]:
    known = {name for file in files for _, _, members in _classes(file) for name in members}
    flags = [argument.removeprefix("--") for argument in arguments if argument.startswith("--")]
    assert flags
    return [flag for flag in flags if flag not in known]


def unknown_paths(arguments: list[str], root: str, known: dict[str, tuple[list[str], dict[str, str]]]) -> list[str]:
    found = []
    for argument in arguments:
        path, kind = argument.split("=", 1)[0].split("."), root
        for step in path:
            members = _inherited(kind, known)
            if step not in members:
                found.append(f"{argument}: {kind} has no {step!r}")
                break
            kind = max((name for name in known if name in members[step]), key=len, default="")
    return found


def classes(file: Path) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Bases and annotated members of each class, by its name."""
    return {name: (bases, members) for name, bases, members in _classes(file)}


def _inherited(kind: str, known: dict[str, tuple[list[str], dict[str, str]]]) -> dict[str, str]:
    bases, members = known.get(kind, ([], {}))
    found: dict[str, str] = {}
    for base in reversed(bases):
        found |= _inherited(base, known)
    return found | members


def _classes(file: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            members = {
                item.target.id: ast.unparse(item.annotation)
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            }
            yield node.name, [ast.unparse(base) for base in node.bases], members


def sources(*folders: Path) -> list[Path]:
    return [file for folder in folders if folder.is_dir() for file in sorted(folder.rglob("*.py"))]


def transformers_sources() -> list[Path]:
    return [package("transformers") / name for name in ("training_args.py", "training_args_seq2seq.py")]


TRAINERS = {
    "areal": areal,
    "imports": imports,
    "llama-factory": llama_factory,
    "ms-swift": ms_swift,
    "openrlhf": openrlhf,
    "prime": prime,
    "skyrl": skyrl,
    "verl": verl,
}


def main(trainer: str, file: str) -> None:
    print(json.dumps(TRAINERS[trainer](Path(file).read_text(encoding="utf-8").splitlines())))


if __name__ == "__main__":
    main(*sys.argv[1:])
