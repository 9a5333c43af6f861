"""How answers are announced and denied, in the languages of ``markers.toml``: its phrases as patterns.

All patterns are for text in lower case and are built when a language is first seen. Not covered: grammar. A phrase
counts wherever its words stand in the order of the table.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path

_TABLE = Path(__file__).with_name("markers.toml")
_VALUE = r"[ \t*_`(\[{+-]{0,9}(?:[\d$\\.√π(]|[^\W\d_](?!\w))"
_NEVER = r"(?!)"
# "the number of wrong answers is", "the chance of a wrong answer is"
_UNCOUNTED = r"(?<!\w)(?<!\bof )(?<!\bof a )(?<!\bof an )(?<!\bof the )(?<!\bwith a )(?<!\bwith the )"


@dataclass(frozen=True)
class Language:
    """The phrases of one language; see the head of the table for what each list holds."""

    nouns: tuple[str, ...]
    copulas: tuple[str, ...]
    unspaced: bool = False
    weak: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()
    negated: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    misnomers: tuple[str, ...] = ()
    contrasts: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()

    @cached_property
    def announcement(self) -> re.Pattern[str]:
        """At a noun: up to the answer. Groups: ``mark`` (: = |), ``line`` (a heading's end), ``denied``."""
        gap, apart = self._gap, r"[ \t]{0,3}[*_]{0,3}[ \t]{0,3}"
        filler, copula = self._one_of(self.fillers), self._one_of(self.copulas)
        return re.compile(
            rf"{self._one_of((*self.nouns, *self.weak))}[*_]{{0,3}}(?:{gap}{self._one_of(self.adjectives)})?"
            rf"(?:{apart}(?P<line>\n)"
            rf"|(?:{gap}{self._one_of(self.links)}{gap}[^.:\n]{{1,60}}?)?"
            rf"(?:{gap}(?P<denied>{self._one_of(self.denials)}"
            rf"|{copula}(?:[ \t,]{{1,3}}{filler}){{0,2}}[ \t,*_]{{1,4}}{self._one_of(self.negations)})"
            rf"|{apart}(?P<mark>[:=|])(?P<after>{apart}\n)?"
            rf"|{gap}{copula}(?:{apart}[:：])?))"
        )

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """Fillers before a value."""
        return re.compile(rf"(?:[ \t,]{{0,3}}{self._one_of(self.fillers)})+(?={_VALUE})")

    @cached_property
    def verdict(self) -> re.Pattern[str]:
        return re.compile(
            rf"[ \t]{{1,3}}{self._one_of(self.verdicts)}\s{{0,3}}"
            r"(?:[.!,;:)]|\Z|(?:since|because|as|with|and|to|in|by)\b)"
        )

    @cached_property
    def hypothesis(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?<!\w){self._one_of(self.hypotheses)}[ \t]{{0,3}}(?!so\b|then\b)(?:[^\W\d_]+[ \t]+){{0,2}}\Z"
        )

    @cached_property
    def doubt(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?<!\bno )(?<!out )(?<!out a )(?<!beyond )"
            rf"{self._one_of(self.doubts)}[ \t]{{1,3}}(?:[^\W\d_]+[ \t]{{1,3}}){{0,3}}\Z"
        )

    @cached_property
    def misnomer(self) -> re.Pattern[str]:
        return re.compile(rf"{_UNCOUNTED}{self._one_of(self.misnomers)}[ \t*_]{{0,4}}\Z")

    @cached_property
    def contrast(self) -> re.Pattern[str]:
        edge = "" if self.unspaced else r"(?<!\w)"
        return re.compile(edge + self._one_of(self.contrasts))

    @cached_property
    def denied_after(self) -> re.Pattern[str]:
        return re.compile(_any(self.negated))

    @property
    def _gap(self) -> str:
        return r"[ \t]{0,3}" if self.unspaced else r"[ \t]{1,3}"

    def _one_of(self, phrases: tuple[str, ...]) -> str:
        return _any(phrases) if self.unspaced else rf"{_any(phrases)}(?!\w)"


@cache
def languages() -> tuple[Language, ...]:
    known = {field.name for field in fields(Language)}
    found = []
    for name, table in tomllib.loads(_TABLE.read_text(encoding="utf-8")).items():
        if table.keys() - known:
            raise ValueError(f"{_TABLE.name}: [{name}] has lists that nothing reads: {sorted(table.keys() - known)}")
        lists = {key: tuple(phrases) for key, phrases in table.items() if key != "unspaced"}
        found.append(Language(**lists, unspaced=table.get("unspaced", False)))
    return tuple(found)


@cache
def cues(*, ascii_only: bool) -> tuple[tuple[str, Language], ...]:
    """How nouns that announce begin, with their language: one cue where one noun begins another."""
    found: list[tuple[str, Language]] = []
    for language in languages():
        nouns = (*language.nouns, *language.weak)
        for noun in nouns:
            longer = any(noun != other and noun.startswith(other) for other in nouns)
            if not longer and (noun.isascii() or not ascii_only):
                found.append((noun, language))
    return tuple(found)


@cache
def denial_before() -> re.Pattern[str]:
    """Words that deny what follows them: ``is not``, ``isn't quite``, ``n'est pas``."""
    fillers = _any(tuple(filler for language in languages() for filler in language.fillers))
    spaced, unspaced = (
        _any(tuple(x for known in languages() if known.unspaced is kind for x in (*known.denials, *known.negations)))
        for kind in (False, True)
    )
    return re.compile(rf"(?:(?<!\w){spaced}|n't|{unspaced}|≠|\\neq?)(?:[\W_]{{1,4}}{fillers}){{0,2}}[\W_]{{0,4}}\Z")


@cache
def misnamed_before() -> re.Pattern[str]:
    """Words that call what follows them a wrong answer: ``the wrong answer is``, ``错误的答案是``."""
    kinds = []
    for known in languages():
        nouns = _any((*known.nouns, *known.weak))
        if known.unspaced:
            kinds.append(rf"{_any(known.misnomers)}{nouns}(?:{_any(known.copulas)}|[:=])?")
        else:
            said = rf"(?:[ \t]{{1,3}}{_any(known.fillers)})?[ \t]{{1,3}}{_any(known.copulas)}|[ \t*_]{{0,4}}[:=]"
            between = r"[ \t]{1,3}(?:[^\W\d_]{1,12}[ \t]{1,3}){0,2}"
            kinds.append(rf"{_UNCOUNTED}{_any(known.misnomers)}{between}{nouns}(?!\w)(?:{said})?")
    return re.compile(rf"(?:{'|'.join(kinds)})[\W_]{{0,4}}\Z")


@cache
def misnomers() -> tuple[str, ...]:
    """Words of which one stands in whatever :func:`misnamed_before` finds: they are looked for faster."""
    return tuple({phrase.split()[0] for known in languages() for phrase in known.misnomers})


@cache
def denial_after() -> re.Pattern[str]:
    """Words that deny what stands before them: ``42 değil``, ``42ではない``, ``42 is wrong``, ``42? No``."""
    after = _any(tuple(phrase for language in languages() for phrase in language.negated))
    spaced, unspaced = (
        _any(tuple(phrase for known in languages() if known.unspaced is kind for phrase in known.rejected))
        for kind in (False, True)
    )
    return re.compile(
        rf"[\W_]{{0,4}}(?:{after}|{unspaced}|{spaced}(?!\w))|[*_$)\\\]]{{0,4}}\?[\s*_]{{1,4}}no(?=[.!,]|\Z)"
    )


def _any(phrases: tuple[str, ...]) -> str:
    ordered = sorted(phrases, key=len, reverse=True)
    return f"(?:{'|'.join(map(_phrase, ordered))})" if phrases else _NEVER


def _phrase(words: str) -> str:
    return r"[ \t]{1,3}".join(map(re.escape, words.split()))
