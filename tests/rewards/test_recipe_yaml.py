"""Recipes as YAML: errors name the line; what is hostile is refused."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from app.path.facts import FACTS
from rewards.difference import difference
from rewards.library import Library, load
from rewards.recipe import parse_recipe
from rewards.recipe_yaml import LONGEST, parse_document, read
from trueward.errors import InvalidRecipe, UnknownRecipe

GOOD = """\
range: [0, 1]
terms:
  math: 1
  format:
    weight: 0.1
    gate: math
"""


def test_a_document_is_a_recipe() -> None:
    made = parse_document(GOOD, "mine")
    assert made.name == "mine"
    assert parse_document("name: own\nterms: math\n", "mine").name == "own"
    assert made.hash == parse_recipe({"terms": ["math", {"verifier": "format", "weight": 0.1, "gate": "math"}]}).hash


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (GOOD.replace("0.1", ".nan"), 5, "finite"),
        (GOOD.replace("gate: math", "gate: maths"), 6, "no term 'maths'"),
        ("terms: math\nshaping:\n  - rank\n  - clip: {low: 7}\n", 4, "below high"),
        ("terms:\n  - math\n  - verifier: length\n", 3, "no bounds"),
        ("terms: math\n\nnoise: {false_positive: 0.7, false_negative: 0.7}\n", 3, "sum to 1"),
        ("terms: math\ncolour: red\n", 2, "not permitted"),
        ("terms: math\nterms: exact\n", 2, "twice"),
        ("terms: [math\n", 2, "expected"),
        ("- math\n", 1, "mapping"),
        ("", 1, "mapping"),
        ("terms: math\nrange: [1, 0]\n", 1, "low below high"),
        ("terms: !!python/object:os.system x\n", 1, "constructor"),
        ("a: &x [1]\nb: *x\n", 2, "aliases"),
        ("terms: " + "[" * 100 + "]" * 100, 1, "deep"),
        ("x: \x00", 1, "no YAML"),
        ('terms: math\ndescription: "\\0"\n', 2, "NUL"),
        ('terms: math\n"\\ud800": 1\n', 2, "half a character"),
        ("x" * (LONGEST + 1), 1, "characters"),
    ],
)
def test_a_refusal_names_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidRecipe, match=words) as refusal:
        parse_document(text, facts=FACTS)
    problem = refusal.value.errors[0]
    assert problem.line == line
    assert problem.detail.startswith(f"line {line}: ")


def test_a_library_has_its_files_and_names_the_bad_one(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(GOOD)
    library = Library(tmp_path)
    assert library.find("mine").hash == library.find(f"mine@{library.find('mine').hash[7:20]}").hash
    with pytest.raises(UnknownRecipe):
        library.find("mine@0000")
    bad = tmp_path / "bad.yaml"
    bad.write_text("terms: math\ncolour: red\n")
    with pytest.raises(InvalidRecipe, match=r"bad\.yaml: line 2"):
        load(bad)
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidRecipe, match="UTF-8"):
        load(bad)


def test_a_difference_names_each_place() -> None:
    before = parse_recipe({"terms": ["math"], "range": [0, 1]})
    after = parse_recipe({"terms": [{"verifier": "math", "weight": 2}, "format"], "missing": "mean"})
    places = {change.place: (change.before, change.after) for change in difference(before, after)}
    assert places["terms.0.weight"] == (1.0, 2.0)
    assert places["missing"] == ("null", "mean")
    assert places["terms.1"][0] is None
    assert difference(before, before) == []


@pytest.mark.parametrize(
    "text",
    ["a: " + "[" * 100_000, "a: " + "{a: " * 30_000, "terms: [" + "1," * 120_000 + "]", "? " * 50_000],
    ids=["brackets", "braces", "items", "keys"],
)
def test_a_hostile_document_is_refused_about_as_fast_as_it_is_read(text: str) -> None:
    with pytest.raises(InvalidRecipe) as refusal:
        parse_document(text, facts=FACTS)
    assert len(refusal.value.errors) <= 20


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("1:59:59", "1:59:59"),
        ("1:59.5", "1:59.5"),
        ("yes", "yes"),
        ("off", "off"),
        ("2026-11-25", "2026-11-25"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("010", 10),
        ("0o17", 15),
        ("0xfF", 255),
        ("-7", -7),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("1e999999", float("inf")),
        ("~", None),
        ("", None),
        ("Null", None),
        ("TRUE", True),
        ("!!str 5", "5"),
        ("!!float 5", 5.0),
        ("'5'", "5"),
        ("! 5", "5"),
        ("<<", "<<"),
        ("=", "="),
    ],
)
def test_a_scalar_means_what_the_core_schema_of_yaml_1_2_says(written: str, means: object) -> None:
    found = read(f"a: {written}\n")[0]["a"]
    assert found == means
    assert type(found) is type(means)


@pytest.mark.parametrize(
    "written",
    [
        "!!int abc",
        "!!int ''",
        "!!int '1:59'",
        "!!float '1:59.5'",
        "!!bool yes",
        "!!null x",
        "!!int [1]",
        "!!binary aGk=",
        "!!timestamp 2026-11-25",
        "!!set {x}",
        "!!omap [x: 1]",
        "!!pairs [x: 1]",
        "!!merge x",
        "!own x",
        "!!int " + "1" * 101,
    ],
)
def test_an_explicit_tag_that_does_not_fit_is_refused_at_its_line(written: str) -> None:
    with pytest.raises(InvalidRecipe) as refusal:
        read(f"name: x\n\na: {written}\n")
    assert refusal.value.errors[0].line == 3


@pytest.mark.parametrize(
    "text",
    [
        "a: 1" + ":59" * 87_000,
        "a: 1" + ":59" * 87_000 + ".5",
        "a: !!int '1" + ":59" * 87_000 + "'",
        "a: !!float '1" + ":59" * 87_000 + ".5'",
        "a: " + "7" * 262_000,
        "a: 0x" + "f" * 262_000,
        "a: 1e" + "9" * 262_000,
        "a: !!binary " + "a" * 262_000,
        "a: 2026-" + "1" * 262_000,
    ],
)
def test_a_long_scalar_is_no_number_and_costs_no_more_than_a_text_of_its_length(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(InvalidRecipe):
        assert isinstance(read(text)[0]["a"], str)
    taken_s = time.process_time() - began
    began = time.process_time()
    read("a: " + "x" * len(text[3:]))
    assert taken_s < 5 * (time.process_time() - began)


@pytest.mark.parametrize("text", ["? [a]\n: 1\n", "? {a: 1}\n: 1\n", "1: a\n'1': b\n", "? \n? \n"])
def test_a_key_is_a_text_and_occurs_once(text: str) -> None:
    with pytest.raises(InvalidRecipe):
        read(text)
    assert read("1: a\ntrue: b\n")[0] == {"1": "a", "true": "b"}
