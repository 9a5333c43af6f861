"""What holds for every page: the policy, no caching, JSON of the same content, assets that are what they claim."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import httpx2
import pytest

from app.pages import assets
from app.pages.registry import PAGES
from tests.pages.markup import Elements

ROOT = Path(__file__).parents[2]
LISTED = [page.path for page in PAGES if page.title]
VENDORED = [
    (ROOT / "app/pages/assets", "app/pages/assets/vendored.json"),
    (ROOT / "tests/pages", "tests/pages/vendored.json"),
]
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def get(site: str, path: str, **headers: str) -> httpx2.Response:
    return httpx2.get(f"{site}{path}", headers={**BROWSER, **headers}, timeout=60.0)


@pytest.mark.parametrize("path", [*LISTED, "/ui/nothing-here", "/ui/text/none/prompt"])
def test_a_page_may_load_and_run_nothing_but_ours_and_is_not_kept(site: str, path: str) -> None:
    headers = get(site, path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("path", LISTED)
def test_a_page_has_no_inline_script_or_style(site: str, path: str) -> None:
    tags = Elements(get(site, path).text).tags
    assert [tag for tag, _ in tags].count("h1") == 1
    assert "style" not in {tag for tag, _ in tags}
    for tag, attributes in tags:
        assert tag != "script" or str(attributes["src"]).startswith("/ui/assets/")
        assert not [name for name in attributes if name == "style" or name.startswith(("on", "hx-on"))]
        assert not [value for value in attributes.values() if (value or "").strip().startswith("javascript:")]


@pytest.mark.parametrize("path", LISTED)
def test_a_page_answers_json_where_that_is_asked_for(site: str, path: str) -> None:
    asked = httpx2.get(f"{site}{path}", headers={"accept": "application/json"}, timeout=60.0)
    named = get(site, f"{path}?format=json")
    assert asked.headers["content-type"] == named.headers["content-type"] == "application/json"
    assert asked.json().keys() == named.json().keys()
    # what runs on between two visits is no other page
    assert asked.json() == named.json() or path == "/ui/overview"
    assert get(site, f"{path}?format=html", accept="application/json").headers["content-type"].startswith("text/html")


def test_an_error_is_a_page_a_notice_or_a_problem_by_who_asks(site: str) -> None:
    shown = get(site, "/ui/nothing-here").text
    assert "<h1>Not found</h1>" in shown
    assert "There is no page at /ui/nothing-here." in shown
    assert 'href="/ui/ledger"' in shown
    said = get(site, "/ui/nothing-here?format=json")
    assert (said.headers["content-type"], said.json()["code"]) == ("application/problem+json", "not_found")
    assert get(site, "/v1/nothing-here").json()["code"] == "not_found"
    assert 'id="problem"' in get(site, "/ui/text/none/prompt", **{"hx-request": "true"}).text


def test_an_asset_is_named_by_its_content_and_kept_for_good(site: str) -> None:
    address = assets.address("htmx.min.js")
    found = get(site, address)
    assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert found.headers["content-type"] == "text/javascript; charset=utf-8"
    assert address.split("/")[3] == hashlib.sha256(found.content).hexdigest()[:16]
    assert get(site, re.sub(r"[0-9a-f]{16}", "0" * 16, address)).status_code == 404


@pytest.mark.parametrize("name", ["..%2fvendored.json", "vendored.json", "LICENSE", "nothing.js"])
def test_nothing_but_assets_is_served_as_one(site: str, name: str) -> None:
    assert get(site, f"/ui/assets/{'0' * 16}/{name}").status_code == 404


@pytest.mark.parametrize(("folder", "record"), VENDORED)
def test_copies_of_packages_are_what_the_record_says(folder: Path, record: str) -> None:
    packages = json.loads((ROOT / record).read_text(encoding="utf-8"))
    for name, package in packages.items():
        present = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in (folder / name).iterdir()
            if path.is_file()
        }
        assert present == package["files"]
        assert "LICENSE" in present
        assert f"| {package['package']} |" in (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")


def test_the_look_of_reports_and_pages_is_one(site: str) -> None:
    page = get(site, "/ui/").text
    assert page.index(assets.address("report.css")) < page.index(assets.address("pages.css"))
