"""What Sphinx makes the site of (`make docs`): the repository's own Markdown, as a code host shows it.

The source folder is the repository itself, so links between pages, to README and to code lead where they lead there;
a link to a file that is no page offers the file. The navigation is that of llms.txt, which names every page by task.
Nothing of the site is loaded from another place.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_PAGE = re.compile(r"\]\(([^):]+)\.md\)")

project = "Trueward"
html_title = "Trueward"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md"]
exclude_patterns = [entry.name for entry in ROOT.iterdir() if entry.is_dir() and entry.name != "docs"]
myst_heading_anchors = 6
highlight_language = "text"
html_theme = "furo"
html_copy_source = False
html_show_copyright = False


def setup(app: Sphinx) -> None:
    app.add_lexer("mermaid", TextLexer)  # its script would come from another site: shown as it is written
    app.connect("source-read", navigate)
    app.connect("build-finished", name_the_first_page)


def navigate(app: Sphinx, page: str, source: list[str]) -> None:
    """The first page leads to those of llms.txt, and a folder's index to the pages beside it."""
    if page == root_doc:
        source[0] += "".join(contents(caption, pages) for caption, pages in by_task())
    elif page.endswith("/index"):
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def by_task() -> list[tuple[str, list[str]]]:
    """The sections of llms.txt with their pages; those that the index of their folder leads to are left out."""
    text = (ROOT / "llms.txt").read_text(encoding="utf-8")
    indexes = set(re.findall(r"\(([^)]+/index)\.md\)", text))
    found = []
    for caption, section in _SECTION.findall(text):
        pages = [
            page for page in _PAGE.findall(section) if page in indexes or f"{Path(page).parent}/index" not in indexes
        ]
        found.append((caption, pages))
    return found


def contents(caption: str, pages: list[str]) -> str:
    lines = "".join(f"/{page}\n" for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}```\n"


def name_the_first_page(app: Sphinx, failure: Exception | None) -> None:
    if failure is None:
        shutil.copyfile(app.outdir / f"{root_doc}.html", app.outdir / "index.html")
