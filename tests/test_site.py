"""The documentation as a site: every page in it, every link whole, nothing loaded from another place."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-docs/bin/python"
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=\"([^\"]*)\"|<link\b[^>]*\bhref=\"([^\"]*)\""
)
_STYLED = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")
_LINK = re.compile(r"<a\b[^>]*\bhref=\"([^\"]*)\"")


def make(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """What `make docs` does, of another tree and elsewhere."""
    if not PYTHON.exists():
        pytest.fail("the environment of the site .venv-docs is missing: make it with `make docs`")
    command: list[str | Path] = [PYTHON, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    command += ["-c", source / "docs", "-d", target / "trees", source, target / "site"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    made = make(ROOT, folder)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder / "site"


def pages(site: Path) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_every_page_is_in_the_site_and_in_its_navigation(site: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    sources = [path.relative_to(ROOT).with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert len(sources) > 100
    assert [page for page in sources if not (site / page).exists()] == []
    assert [page for page in sources if f'href="{page}"' not in first] == []


def test_nothing_is_loaded_from_another_place(site: Path) -> None:
    loaded = [(path, "".join(found)) for path, text in pages(site).items() for found in _LOADED.findall(text)]
    styles = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}
    loaded += [(path, "".join(found)) for path, text in styles.items() for found in _STYLED.findall(text)]
    assert len(loaded) > 100
    assert [(path, url) for path, url in loaded if urlsplit(url).netloc] == []


def test_links_lead_to_files_and_sections_of_the_site(site: Path) -> None:
    texts = pages(site)
    broken = []
    for path, text in texts.items():
        for link in map(urlsplit, _LINK.findall(text)):
            if link.scheme or link.netloc:
                continue
            at = (path.parent / unquote(link.path)).resolve() if link.path else path
            named = unquote(link.fragment)
            if not at.exists() or (named and at in texts and f'id="{named}"' not in texts[at]):
                broken.append((path.relative_to(site), link.geturl()))
    assert broken == []


def test_what_a_page_says_is_found(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert '"docs/guide"' in index
    assert "cohen" in index


@pytest.mark.parametrize("link", ["nowhere.md", "there.md#no-such-section", "no_such_file.py"])
def test_a_broken_link_fails(tmp_path: Path, link: str) -> None:
    docs = tmp_path / "source" / "docs"
    docs.mkdir(parents=True)
    shutil.copy(ROOT / "docs/conf.py", docs)
    (docs.parent / "llms.txt").write_text("## Start\n\n- [There](docs/there.md)\n", encoding="utf-8")
    (docs.parent / "README.md").write_text("# First\n\n[whole](docs/there.md#a-section)\n", encoding="utf-8")
    (docs / "there.md").write_text("# There\n\n## A section\n", encoding="utf-8")
    assert make(docs.parent, tmp_path / "whole").returncode == 0
    (docs / "there.md").write_text(f"# There\n\n## A section\n\n[broken]({link})\n", encoding="utf-8")
    made = make(docs.parent, tmp_path / "broken")
    assert made.returncode != 0
    assert "there.md" in made.stderr
