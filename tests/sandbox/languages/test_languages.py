"""Languages are data: every file is complete, named once, documented, and installed by the script."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from sandbox.base import SandboxFailure
from sandbox.languages import Language, find_language, languages, read
from sandbox.limits import Limits
from tests.sandbox.languages.behaviour import programs

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/languages.md").read_text(encoding="utf-8")
BEHAVIOUR = {"hello", "sum", "arguments", "fail", "crash", "broken", "hang", "hog", "flood"}
ALL = list(languages().values())


def test_the_languages_that_are_promised_are_there() -> None:
    ci = {name for name, language in languages().items() if language.tier == "ci"}
    assert ci == {"python", "javascript", "c", "cpp", "go", "java", "bash"}
    assert set(languages()) - ci == {"rust", "ruby", "php", "lua", "r", "perl", "ocaml", "fortran"}


@pytest.mark.parametrize("language", ALL, ids=lambda language: language.name)
def test_every_language_has_a_program_for_every_behaviour(language: Language) -> None:
    assert set(programs(language.name)) == BEHAVIOUR


@pytest.mark.parametrize("language", ALL, ids=lambda language: language.name)
def test_every_language_has_its_row_in_the_docs(language: Language) -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| {language.title} | `{language.name}` |")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert re.findall(r"`([^`]+)`", cells[2]) == list(language.aliases)
    assert cells[3] == f"`{language.file}`"
    assert re.findall(r"`([^`]+)`", cells[4]) == list(language.packages)
    assert cells[5] == ("the suite" if language.tier == "ci" else "`make prove`")


def test_every_key_is_documented_with_its_default() -> None:
    for name, field in Language.model_fields.items():
        if name != "name":
            default = (
                "required" if field.is_required() else f"`{field.default}`" if field.default else "none|`0`|`False`"
            )
            assert re.search(rf"^\| `{name}` \| .+ \| ({default}|`0.0`) \|$", PAGE, re.MULTILINE), name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: T\nfile: t\nrun: [t]\nversion: [t]\npackage: [t]", "there is no key package; known: title, "),
        ("title: T\nfile: t\nversion: [t]", "run: Field required"),
        ("title: [T", "is no YAML: "),
        ("", "is no mapping of keys"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "tcl.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SandboxFailure, match=r"the language file tcl\.yaml ") as failure:
        read(tmp_path / "tcl.yaml")
    assert said in str(failure.value)


def test_no_name_means_two_languages() -> None:
    names = [name for language in ALL for name in (language.name, *language.aliases)]
    assert len(names) == len(set(names))
    assert {name.lower() for name in names} == set(names)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("PY", "python"),
        (" C++ ", "cpp"),
        ("Node.js", "javascript"),
        ("Go", "go"),
        ("Python3.11", "python"),
        ("python-3", "python"),
        ("c++23", "cpp"),
        ("c11", "c"),
        ("lua5.4", "lua"),
    ],
)
def test_a_name_is_found_in_any_case(name: str, found: str) -> None:
    language = find_language(name)
    assert language is not None
    assert language.name == found


def test_an_unknown_name_is_none() -> None:
    assert find_language("brainfuck") is None
    assert find_language("brainfuck3.1") is None
    assert find_language("3.11") is None
    assert find_language("") is None


def test_commands_name_the_file_and_the_memory() -> None:
    java = languages()["java"]
    assert "Main.java" in java.compile_command
    assert "-Xmx256m" in java.run_command(Limits(memory_bytes=256 * 2**20))
    assert "-Xmx1m" in java.run_command(Limits(memory_bytes=1))
    assert languages()["python"].run_command(Limits()) == ("python3", "-I", "solution.py")


@pytest.mark.parametrize("language", ALL, ids=lambda language: language.name)
def test_no_placeholder_is_left_in_a_command(language: Language) -> None:
    assert not any("{" in part for part in (*language.compile_command, *language.run_command(Limits())))


def test_a_runtime_adds_its_own_cost_to_the_limits() -> None:
    asked = Limits(wall_s=2.0, cpu_s=1.0, memory_bytes=64 * 2**20, processes=8)
    java = languages()["java"]
    running = java.running(asked)
    assert running.wall_s == pytest.approx(2.0 + java.startup_s)
    assert running.cpu_s == pytest.approx(1.0 + java.startup_s)
    assert running.memory_bytes == (64 + java.startup_memory_mib) * 2**20
    assert running.processes == 8 + java.threads
    assert (running.output_bytes, running.disk_bytes) == (asked.output_bytes, asked.disk_bytes)


def test_a_compiler_has_limits_of_its_own() -> None:
    asked = Limits(wall_s=0.1, cpu_s=0.1, memory_bytes=2**20, disk_bytes=2**20, processes=1, silence_s=0.1, compile_s=7)
    compiling = languages()["rust"].compiling(asked)
    assert compiling.wall_s == 7
    assert compiling.cpu_s >= 7
    assert compiling.memory_bytes == 1024 * 2**20
    assert compiling.disk_bytes >= 256 * 2**20
    assert compiling.processes >= 64
    assert compiling.silence_s is None


def test_the_environment_is_the_common_one_and_the_languages_own() -> None:
    assert languages()["go"].variables["GOCACHE"] == "/tmp/go-build"
    assert set(languages()["c"].variables) == {"PATH", "LANG", "LC_ALL", "MALLOC_ARENA_MAX"}


@pytest.mark.parametrize("tier", ["ci", "prove"])
def test_the_script_asks_for_the_packages_of_its_tier(tier: str, tmp_path: Path) -> None:
    scripts, data = tmp_path / "scripts", tmp_path / "sandbox" / "languages"
    scripts.mkdir()
    data.mkdir(parents=True)
    for source in (ROOT / "sandbox/languages").glob("*.yaml"):
        (data / source.name).write_text(source.read_text())
    (scripts / "toolchains.sh").write_text((ROOT / "scripts/toolchains.sh").read_text())
    (scripts / "apt_install.sh").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (scripts / "apt_install.sh").chmod(0o755)
    asked = subprocess.run(["bash", scripts / "toolchains.sh", tier], capture_output=True, text=True, check=True)
    wanted = {package for language in ALL if tier in ("prove", language.tier) for package in language.packages}
    assert set(asked.stdout.split()) == wanted
