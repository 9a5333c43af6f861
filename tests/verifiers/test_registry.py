"""The registry finds what there is, imports nothing early, and no broken plug-in costs another verifier."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import JsonValue

from sandbox.local import LocalSandbox
from trueward import Sample, SampleVerifier, Verifier, check_verifier
from trueward.authoring.verifier import Params
from trueward.errors import InvalidParameters, UnknownVerifier
from verifiers import registry
from verifiers.registry import BUILT_INS, GROUP, Registry
from verifiers.sandboxed import SandboxVerifier

RUN_PROGRAMS = [point.name for point in BUILT_INS if issubclass(registry.get(point.name), SandboxVerifier)]


class Fine(SampleVerifier[Params]):
    name: ClassVar[str] = "fine"


class OtherParams:
    pass


class Odd(Fine):
    name: ClassVar[str] = "odd"
    Params: ClassVar[type[Params]] = OtherParams  # type: ignore[assignment]  # the fault under test


def plugin(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


def here(name: str) -> str:
    return f"{__name__}:{name}"


def test_the_built_ins_are_there_in_order() -> None:
    built_in = [point.name for point in BUILT_INS]
    assert built_in == sorted(built_in)
    assert [name for name in registry.names() if name in set(built_in)] == built_in


def test_listing_names_imports_no_algebra_system_and_no_verifier() -> None:
    code = (
        "import sys; import verifiers; from verifiers import registry; registry.names();"
        "bad = {'sympy', 'torch', 'math_verify', 'verifiers.math'} & set(sys.modules); sys.exit(str(bad) if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_exact_answers_need_no_algebra_system() -> None:
    code = (
        "import sys; from trueward import Sample; from verifiers import registry;"
        "v = registry.create('math', {}).verify([Sample(response='\\\\boxed{1/2}', reference='0.5')])[0];"
        "assert v.outcome == 'correct'; assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("point", BUILT_INS, ids=lambda point: point.name)
def test_every_built_in_conforms(point: EntryPoint, monkeypatch: pytest.MonkeyPatch) -> None:
    # as in the service: to start a sandbox for each program takes longer than to run it. Neither the loop nor the
    # sandbox starts before it is used, which is in the suite's child
    runner, sandbox = asyncio.Runner(), LocalSandbox()
    monkeypatch.setattr(SandboxVerifier, "check", lambda verifier, task: runner.run(verifier.execute(task, sandbox)))
    check_verifier(registry.create(point.name, {}), deadline_s=20.0)


@pytest.mark.parametrize("name", RUN_PROGRAMS)
def test_outside_the_service_programs_run_in_a_sandbox_of_their_own(name: str) -> None:
    verifier: Verifier = registry.create(name, {})
    example = verifier.examples[0]
    assert [verdict.outcome for verdict in verifier.verify([example.sample])] == [example.outcome]


@pytest.mark.parametrize("point", BUILT_INS, ids=lambda point: point.name)
def test_every_parameter_is_described(point: EntryPoint) -> None:
    verifier: Verifier = registry.create(point.name, {})
    for name, field in verifier.Params.model_fields.items():
        assert field.description, name


def test_an_unknown_parameter_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(InvalidParameters, match="no such parameter; known: extract, hedge, relative_tolerance"):
        registry.create("numeric", {"tolerance": 1})


def test_an_unknown_name_says_which_are_near_and_how_to_list_them() -> None:
    with pytest.raises(UnknownVerifier) as refusal:
        registry.get("mth")
    assert "did you mean 'math'" in refusal.value.detail
    assert "/v1/verifiers" in refusal.value.detail


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"relative_tolerance": -1}, "params.relative_tolerance"),
        ({"relative_tolerance": "a lot"}, "params.relative_tolerance"),
        ({"tolerance": 1}, "params.tolerance"),
        ({"extract": "anything"}, "params.extract"),
        ({"absolute_tolerance": float("inf")}, "params.absolute_tolerance"),
    ],
)
def test_bad_parameters_are_named(params: dict[str, JsonValue], field: str) -> None:
    with pytest.raises(InvalidParameters) as refusal:
        registry.create("math", params)
    assert [problem.field for problem in refusal.value.errors] == [field]
    assert field in refusal.value.detail


def test_parameters_reach_the_verifier_and_its_hash() -> None:
    strict = registry.create("math", {})
    lax = registry.create("math", {"absolute_tolerance": 0.1})
    sample = Sample(response="0.55", reference="0.5")
    assert [verifier.verify([sample])[0].outcome for verifier in (strict, lax)] == ["incorrect", "correct"]
    assert strict.producer.params != lax.producer.params


@pytest.mark.parametrize(
    ("point", "said"),
    [
        (plugin("gone", "no_such_module:Verifier"), "ModuleNotFoundError"),
        (plugin("gone", here("NoSuchClass")), "AttributeError"),
        (plugin("gone", here("plugin")), "is not a class"),
        (plugin("gone", here("OtherParams")), "lacks"),
        (plugin("gone", here("Fine")), "its entry point says 'gone'"),
        (plugin("odd", here("Odd")), "not a subclass of trueward.Params"),
        (plugin("math", here("Fine")), "built-in"),
    ],
)
def test_a_broken_plugin_is_listed_and_costs_nobody_else(point: EntryPoint, said: str) -> None:
    found = Registry(BUILT_INS, [point, plugin("fine", here("Fine"))])
    failures = found.failures()
    assert len(failures) == 1
    assert said in next(iter(failures.values()))
    assert found.get("fine").name == "fine"
    assert found.get("math").__module__.startswith("verifiers.")


def test_a_plugin_whose_import_ends_the_program_costs_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_at_import.py").write_text("raise SystemExit('no')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_installed", lambda: Registry(BUILT_INS, [plugin("gone", "ends_at_import:A")]))
    assert list(registry.load_all()) == [point.name for point in BUILT_INS]
    assert registry.failures() == {"gone (ends_at_import:A)": "SystemExit: no"}


def test_asking_for_a_broken_plugin_says_what_is_wrong_with_it() -> None:
    with pytest.raises(UnknownVerifier, match="installed but cannot be loaded: ModuleNotFoundError"):
        Registry(BUILT_INS, [plugin("gone", "no_such_module:Verifier")]).get("gone")


def test_of_two_plugins_with_one_name_the_second_is_a_failure() -> None:
    found = Registry([], [plugin("fine", here("Fine")), plugin("fine", "no_such_module:Fine")])
    assert found.names() == ["fine"]
    assert "is taken by" in next(iter(found.failures().values()))
