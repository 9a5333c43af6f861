"""What `make shape` measures is what is there: each measurement on code that was made for it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.shape import __main__ as shape
from benchmarks.shape.annotations import any_in_public, typed
from benchmarks.shape.dead import ALLOWED, Finding, allowed, dead
from benchmarks.shape.duplicates import duplicates, pairs
from benchmarks.shape.excepts import broad
from benchmarks.shape.imports import circles, edges, package_of, part_of
from benchmarks.shape.line_kinds import line_kinds
from benchmarks.shape.names import shared_classes
from benchmarks.shape.package import HEADER, Package
from benchmarks.shape.sizes import Lengths, files, functions, small
from benchmarks.shape.sources import FOLDERS, ROOT, Source, read
from benchmarks.shape.standard import held
from benchmarks.shape.startup import startup
from benchmarks.shape.suite import Suite, Timing
from benchmarks.shape.way import Way, calls_of


def source(text: str, path: str = "app/made.py", package: str = "app") -> Source:
    return Source(package, path, dedent(text))


def test_every_package_is_read_and_programs_that_are_data_are_not() -> None:
    sources = read()
    assert {one.package for one in sources} >= set(FOLDERS)
    assert not [one.path for one in sources if one.path.startswith("benchmarks/attacks/")]


def test_each_line_is_of_one_kind() -> None:
    text = """\
    '''What it is,
    in two lines.'''

    import ast
    from a import (
        b,
    )

    # why
    limit = 3  # seconds
    "Of what."
    """
    assert line_kinds([source(text)]) == {
        "code": 1,
        "documentation": 3,
        "imports": 4,
        "comments": 1,
        "blank": 2,
    }


def test_a_module_has_the_name_under_which_it_is_imported() -> None:
    assert source("", "client/src/trueward/client/__init__.py", "client").module == "trueward.client"
    assert source("", "app/kit/text.py").module == "app.kit.text"


def test_a_function_counts_its_lines_without_decorators() -> None:
    text = """
        import functools

        @functools.cache
        def outer() -> int:
            def inner() -> int:
                return 1

            return inner()
        """
    found = functions([source(text)])
    assert [(one.lines, one.where) for one in found] == [
        (5, "app/made.py:5 outer"),
        (2, "app/made.py:6 outer.inner"),
    ]


def test_lengths_name_the_longest() -> None:
    found = Lengths.of(files([source("a = 1\n" * 3, "app/a.py"), source("a = 1\n" * 8, "app/b.py"), source("")]))
    assert (found.count, found.total, found.median, found.most, found.where) == (2, 11, 5.5, 8, "app/b.py")
    assert (Lengths.of([]).median, Lengths.of([]).most, Lengths.of([]).where) == (0, 0, "")


def test_a_function_is_typed_when_nothing_of_its_signature_is_left_out() -> None:
    text = """
        class Thing:
            def full(self, a: int, *rest: str, **more: object) -> None: ...
            def no_answer(self): ...
            def no_rest(self, *rest) -> None: ...

        def self_is_a_parameter(self) -> None: ...
        """
    found = typed([source(text)])
    assert (found.functions, found.full, found.share) == (4, 1, 0.25)


def test_any_is_found_where_others_call_also_as_text() -> None:
    text = """
        import typing
        from typing import Any, Literal

        class Thing:
            def said(self, a: dict[str, Any]) -> None: ...
            def _hidden(self, a: Any) -> None: ...

        def written(a: "list[Any]") -> None: ...
        def qualified() -> typing.Any: ...
        def _private() -> Any: ...
        def outer() -> None:
            def inner(a: Any) -> None: ...
        def harmless(a: Literal["two words"], b: object) -> None: ...
        """
    assert [one.partition(" ")[2] for one in any_in_public([source(text)])] == ["Thing.said", "written", "qualified"]


def test_a_broad_except_owes_a_reason_and_a_word_for_a_tool_is_none() -> None:
    text = """
        try: ...
        except: ...
        try: ...
        except (ValueError, Exception):  # noqa: BLE001
            ...
        try: ...
        except BaseException:  # noqa: BLE001 - raised again
            ...
        try: ...
        except Exception:  # the batch must go on
            ...
        try: ...
        except ValueError:
            ...
        """
    found = broad([source(text)])
    assert (found.handlers, found.without_reason) == (4, ["app/made.py:3", "app/made.py:5"])
    assert found.per_thousand == pytest.approx(1000 * 4 / 15)


def test_imports_are_edges_wherever_they_stand() -> None:
    text = """
        from typing import TYPE_CHECKING
        import rewards.price
        from app import tables
        from app.kit.text import storable
        if TYPE_CHECKING:
            from trueward.wire.sample import Sample
        def late() -> None:
            from verifiers import registry
        """
    made = source(text, "app/path/made.py")
    assert edges([made], package_of) == {"app": {"rewards", "trueward", "verifiers"}}
    wanted = {"rewards.price", "app.tables", "app.kit", "trueward.wire", "verifiers.registry"}
    assert edges([made], part_of) == {"app.path": wanted}


def test_parts_that_reach_each_other_are_a_circle() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": {"c"}}) == []


ALIKE = """
    def {name}(rows: list[int]) -> int:
        {docstring}
        total = {first}
        for row in rows:
            if row > total:
                total += row
        print(total)
        return total
    """


def test_functions_alike_but_for_names_and_constants_have_one_shape() -> None:
    one = source(ALIKE.format(name="one", docstring='"""What it is."""', first=0), "app/one.py")
    other = source(ALIKE.format(name="other", docstring="pass", first=7).replace("        pass\n", ""), "app/other.py")
    changed = source(ALIKE.format(name="changed", docstring="pass", first=7), "app/changed.py")
    found = duplicates([one, other, changed])
    assert found == [["app/one.py:2 one", "app/other.py:2 other"]]
    assert pairs([["a", "b", "c"], ["d", "e"]]) == 4


def test_dead_code_is_what_nothing_names_and_the_tests_do_not_count() -> None:
    text = """
        class Settings:
            model_config = 1

        def used() -> None: ...
        def forgotten() -> None: ...
        def tested() -> None: ...
        class Plugin: ...
        POINT = "made:Plugin"
        print(POINT, used, Settings)
        """
    tests = source("from app.made import tested\ntested()\n", "tests/test_made.py", "tests")
    spared = allowed("# who uses it\n\n*.py  variable  model_*  the library reads it\n")
    found = dead([source(text), tests], spared)
    assert found == [
        Finding("app/made.py", 6, "function", "forgotten"),
        Finding("app/made.py", 7, "function", "tested", tested=True),
    ]


def test_what_is_allowed_has_a_reason_and_is_there() -> None:
    with pytest.raises(ValueError, match="reason"):
        allowed("app/*.py  variable  model_config\n")
    rules = allowed(ALLOWED.read_text(encoding="utf-8"))
    assert rules
    paths = [one.path for one in read()]
    assert [rule for rule in rules if not any(Path(path).match(rule.files) for path in paths)] == []


def test_an_import_is_timed_beyond_the_interpreter() -> None:
    found = startup("import colorsys", 1)
    assert (found.modules, found.largest) == (1, {"colorsys": 1})
    assert 0 <= found.cpu_s < 1


def test_a_run_of_the_suite_is_added_up_by_file_and_folder_and_read_again(tmp_path: Path) -> None:
    timings = [
        Timing("tests/app/audit/html/test_a.py::test_one", seconds=3.0, cpu_s=1.0, services=1),
        Timing("tests/app/audit/test_b.py::test_two[x::y]", seconds=1.0, cpu_s=1.5),
        Timing("tests/test_c.py::test_three", seconds=2.0, cpu_s=0.5),
    ]
    at = datetime(2026, 11, 21, 10, tzinfo=UTC)
    suite = Suite.of(at, seconds=4.0, workers=2, failed=1, skipped=0, timings=timings)
    assert (suite.tests, suite.services, suite.computed_s, suite.waited_s) == (3, 1, 3.0, 3.5)
    assert [(one.name, one.tests, one.seconds) for one in suite.folders] == [
        ("tests/app/audit", 2, 4.0),
        ("tests", 1, 2.0),
    ]
    assert suite.files[0].name == "tests/app/audit/html/test_a.py"
    assert [one.name.rpartition("_")[2] for one in suite.slowest] == ["one", "three", "two[x::y]"]
    path = tmp_path / "test.json"
    assert Suite.read(path) is None
    path.write_text(json.dumps(suite.document()))
    assert Suite.read(path) == suite


def test_each_number_is_held_against_its_own_limit() -> None:
    good = Package.of("good", [source("def f(a: int) -> int:\n    return a\n" * 20)])
    long = Package.of("long", [source("a = 1\n" * 401)])
    untyped = Package.of("untyped", [source("def f(a):\n    try: ...\n    except: ...\n" + "    print(a)\n" * 8)])
    assert len(good.row) == len(HEADER)
    assert {aim.name: aim.met for aim in held(good, good, good)} == dict.fromkeys(
        (aim.name for aim in held(long, long, untyped)), True
    )
    missed = {aim.name for aim in held(long, long, untyped) if not aim.met}
    assert missed == {"median file", "largest file", "tests to source, in lines"}
    missed = {aim.name for aim in held(untyped, untyped, untyped) if not aim.met}
    assert missed == {"broad excepts per thousand lines", "functions with all their annotations", "median function"}


@pytest.mark.benchmark
def test_the_short_form_writes_what_it_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [one for one in read() if one.package in ("judges", "tests") and len(one.path) < 30]
    monkeypatch.setattr(shape, "read", lambda: few)
    monkeypatch.setattr(shape, "STATEMENTS", ("import trueward",))
    shape.main(["--short", "--results", str(tmp_path)])
    document = json.loads((tmp_path / "shape.short.json").read_text())
    assert [one["name"] for one in document["packages"]] == [*FOLDERS, "all that is installed", "all"]
    assert document["starts"][0]["modules"] > 10
    assert len(document["claims"]) == (ROOT / "pyproject.toml").read_text().count("[[tool.importlinter.contracts]]")


def test_small_files_are_listed() -> None:
    assert small([source("a = 1\n" * 30, "app/a.py"), source("a = 1\n" * 31, "app/b.py")]) == ["app/a.py"]


def test_public_classes_of_one_name_are_listed_with_their_modules() -> None:
    found = shared_classes(
        [
            source("class Row: ...\nclass _Own: ...\n", "app/a.py"),
            source("class Row: ...\nclass _Own: ...\nclass Other: ...\n", "app/b.py"),
        ]
    )
    assert found == ["Row: app.a, app.b"]


def test_a_hop_is_a_call_in_another_file_than_the_call_before() -> None:
    assert Way.of("r", ["a.py", "a.py", "b.py", "a.py", "c.py"]) == Way("r", files=3, hops=3, calls=5)
    assert Way.of("r", []) == Way("r", files=0, hops=0, calls=0)


async def test_calls_of_ours_are_noted_in_their_order_and_no_others() -> None:
    from trueward.estimators.scores import mean
    from verifiers.legible import legible

    async def work() -> None:
        legible("a")
        json.loads("[]")
        mean([1.0, None])

    calls = [Path(call).relative_to(ROOT).as_posix() for call in await calls_of(work())]
    assert list(dict.fromkeys(calls)) == ["verifiers/legible.py", "client/src/trueward/estimators/scores.py"]
    assert mean([1.0]) == 1.0, "nothing is traced any more"
