"""Elements of SVG, built as a tree, so that every text and attribute is escaped when it is written."""

from __future__ import annotations

from functools import cache
from xml.etree.ElementTree import Element, SubElement, tostring

from audits.figures.text import printable, short

__all__ = ["Element", "add", "add_text", "new", "serialise"]

Value = str | float


def new(tag: str, **attributes: Value) -> Element:
    """``text_anchor="end"`` becomes ``text-anchor``, ``class_`` becomes ``class``; numbers have two decimals."""
    return Element(tag, {_name(name): _value(value) for name, value in attributes.items()})


def add(parent: Element, tag: str, text: str | None = None, /, **attributes: Value) -> Element:
    """A new child, with its text."""
    child = SubElement(parent, tag, {_name(name): _value(value) for name, value in attributes.items()})
    if text is not None:
        child.text = printable(text)
    return child


def add_text(parent: Element, text: str, length: int, /, **attributes: Value) -> Element:
    """A text of at most ``length`` characters; where that cuts it, the whole of it is its title."""
    cut = short(text, length)
    child = add(parent, "text", cut, **attributes)
    if cut != text:
        add(child, "title", short(text))
    return child


def serialise(root: Element) -> str:
    return tostring(root, encoding="unicode")


@cache
def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-") if name != "viewBox" else name


def _value(value: Value) -> str:
    return printable(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
