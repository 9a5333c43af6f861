"""Responses that say nothing, turned away before a model is asked: judges are known to accept them.

Sources: arXiv 2507.08794 (master keys: a colon, a full stop, ``Thought process:``), arXiv 2505.22203 (empty symbols).
"""

from __future__ import annotations

import unicodedata


def nothing_said(text: str) -> str:
    """Why a response says nothing at all, in words; empty where it says something."""
    if not text.strip():
        return "the response is empty"
    if not any(unicodedata.category(character)[0] in "LN" for character in text):
        return "the response has no letter and no digit"
    return ""
