"""What `/v1/languages` answers."""

from __future__ import annotations

from sandbox.languages import Language
from trueward.wire.base import Wire


class LanguageView(Wire):
    """A language; ``reason`` says why it cannot be used here, and is empty where it can."""

    name: str
    title: str
    aliases: list[str]
    file: str
    usable: bool
    reason: str

    @classmethod
    def of(cls, language: Language, reason: str) -> LanguageView:
        return cls(
            name=language.name,
            title=language.title,
            aliases=list(language.aliases),
            file=language.file,
            usable=not reason,
            reason=reason,
        )


class LanguageList(Wire):
    """``sandbox`` names the backend."""

    sandbox: str
    languages: list[LanguageView]
