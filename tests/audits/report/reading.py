"""A page as a browser's parser sees it: its elements, their attributes, its text."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

VOID = frozenset({"meta"})
BLOCKS = frozenset({"td", "th", "p", "dt", "dd"})


class Page(HTMLParser):
    """``tags`` counts the elements, ``attributes`` the pairs of element and attribute; ``text`` is what is read."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: Counter[tuple[str, str]] = Counter()
        self.values: list[tuple[str, str, str]] = []
        self.ids: list[str] = []
        self.comments: list[str] = []
        self.open: list[str] = []
        self._text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    @property
    def text(self) -> str:
        return " ".join("".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._see(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._see(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def _see(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag in BLOCKS:
            self._text.append(" ")
        for name, value in attrs:
            self.attributes[tag, name] += 1
            self.values.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")
