"""A response as the words that a reader would see: without markup, accents, case and what is invisible.

``:`` and ``…`` stay as tokens of their own, for what ends in one announces something. Of a long text its beginning and
its end are read. Linear.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence

from verifiers.typography import APOSTROPHES

COLON, ELLIPSIS = ":", "…"
MARKS = (COLON, ELLIPSIS)
_READ = 5_000
"""Characters of each end of a text that are read."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TAGS = _set("""
    a abbr answer article assistant b blockquote body br button center code dd del details div dl dt em final font form
    h1 h2 h3 h4 h5 h6 head header hr html i img input ins kbd label li link main mark math meta ol output p pre q reason
    reasoning reflection response result s samp script section small solution span strong style sub summary sup svg
    system table tbody td text th thead think thinking thought title tr u ul user var
""")
_SHELLS = _set("""
    boxed fbox framebox mbox hbox text textbf textit textrm texttt textsf emph underline overline bf it rm mathrm mathbf
    mathit mathsf mathtt mathbb mathcal operatorname left right big Big bigg Bigg quad qquad displaystyle textstyle frac
    dfrac tfrac sqrt binom phantom hfill newline par hline item section subsection paragraph title cdot dots ldots cdots
    vdots color textcolor large Large LARGE huge small tiny centering noindent square Box
""")
"""LaTeX commands that hold something, or set it; any other is a word, such as ``\\pi``."""
_SAID_BY_SIGNS = frozenset("∞∅⊤⊥∄∃∀")
"""Signs that are an answer by themselves."""
_SPELLED = str.maketrans(
    dict(zip("ıłøđħŧأإآٱةۀہەىیېکؤئھ", "ilodhtااااههههيييكويه", strict=True)) | {"æ": "ae", "œ": "oe", "ـ": ""}
)
"""Letters that are typed in several ways, as one of them."""
_LOOK_ALIKES = str.maketrans("аеорсухіјѕһԁοανερτικтк", "aeopcyxijshdoaveptiktk")
_LATIN = re.compile(r"[a-z]")
_NOT_LATIN = re.compile(r"[Ͱ-ӿ]")
_CONTROL = re.compile(
    r"<\|[^<>|]{0,40}\|?>|<[^<>|\s]{1,40}\|>|<｜[^<>｜]{1,40}｜>|<</?sys>>|\[/?(?:inst|sys)\]|\[e~\[|\[\|[a-z_]{3,40}\|\]|\]~!?b[\[\]]|"
    r"</?(?:(?:start|end|begin)_of_[a-z]{1,20}|image_soft_token|seed:[a-z_]{1,30}|(?:unused|extra_id_|extra_)[0-9]{1,5})>",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"</\s*([A-Za-z][\w-]{0,30})\s*>")
_OPENING = re.compile(r"<([A-Za-z][\w-]{0,30})(\s[^<>]{0,200})?/?>")
_ENVIRONMENT = re.compile(
    r"(?<!\\)\\++(?:(?:begin|end)\s{0,9}\{[A-Za-z*]{0,30}\}|[hv]space\*?\{[^{}]{0,20}\}|textcolor\{[^{}]{0,20}\})"
)
_COMMAND = re.compile(r"(?<!\\)\\++([A-Za-z]+)\*?")
_DOTS = re.compile(r"\.{2,}|。{2,}|…+|⋯+|(?:\.\s){2,}\.?")
_WITHIN = re.compile(r"(?<=[a-z])'(?:s|m|d|ll|re|ve)\b|(?<=[Ѐ-ӿ])'(?=[Ѐ-ӿ])")
"""An apostrophe that parts no words: ``let's``, and the hard sign of Ukrainian."""
_LANGUAGE = re.compile(r"```[ \t]*[A-Za-z0-9+#-]{0,20}[ \t]*(?=\n|$)")


class _Folds(dict[int, str]):
    """What becomes of a character, found when it is first met: a word's, a mark, a blank, or nothing."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)
        if code in _BLANK or kind == "Cf" or (kind == "Mn" and _is_accent(code)) or 0xFE00 <= code <= 0xFE0F:
            folded = ""
        elif kind[0] in "LMN" or character in _SAID_BY_SIGNS:
            folded = character
        elif character in ":：﹕∶꞉":
            folded = f" {COLON} "
        elif character == ELLIPSIS:
            folded = f" {ELLIPSIS} "
        else:
            folded = "'" if character in APOSTROPHES else " "
        self[code] = folded
        return folded


_BLANK = frozenset(
    code
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x2800, 0x2800),
        (0x3164, 0x3164), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""What is seen by nobody and is no format character: Unicode's default ignorables, and the empty cell of braille."""
_FOLDS = _Folds()


def _is_accent(code: int) -> bool:
    """Accents of Latin, Greek and Cyrillic letters, and the vowels that Arabic and Hebrew may leave out."""
    return (
        0x300 <= code <= 0x36F
        or 0x591 <= code <= 0x5C7
        or 0x610 <= code <= 0x61A
        or 0x64B <= code <= 0x65F
        or code == 0x670
    )


def tokens(text: str) -> list[str]:
    """Words, folded, and marks; a number has its digits."""
    text = _bare(_ends(text))
    text = unicodedata.normalize("NFKD", text).casefold()
    text = unicodedata.normalize("NFKC", text.translate(_FOLDS))
    text = _WITHIN.sub("", text).replace("'", " ").translate(_SPELLED)
    return [_one_script(word) for word in _joined(text.split())]


def _ends(text: str) -> str:
    """Both ends of a long text; white space does not count."""
    if len(text) <= 2 * _READ:
        return text
    squeezed = " ".join(text.split())
    if len(squeezed) <= 2 * _READ:
        return squeezed
    return f"{squeezed[:_READ]} {squeezed[-_READ:]}"


def _bare(text: str) -> str:
    """Without tags, control tokens, names of code blocks, and LaTeX that holds something else."""
    if "`" in text:
        text = _LANGUAGE.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    text = without_control(text)
    if "<" in text:
        closed = {name.casefold() for name in _CLOSING.findall(text)} | _TAGS
        text = _OPENING.sub(
            lambda tag: " " if tag[2] or tag[1].casefold() in closed else tag[0], _CLOSING.sub(" ", text)
        )
    if "\\" in text:
        text = _COMMAND.sub(lambda name: " " if name[1] in _SHELLS else f" {name[1]} ", _ENVIRONMENT.sub(" ", text))
    return _DOTS.sub(f" {ELLIPSIS} ", text)


def without_control(text: str) -> str:
    """With a blank in the place of each control token."""
    return _CONTROL.sub(" ", text) if any(mark in text for mark in "[]<") else text


def _joined(words: Sequence[str]) -> list[str]:
    """``s o l u t i o n`` is one word: a run of four single letters or more."""
    found: list[str] = []
    run: list[str] = []
    for word in [*words, ""]:
        if len(word) == 1 and word.isalpha() and ord(word) < 0x500:
            run.append(word)
            continue
        found += ["".join(run)] if len(run) > 3 else run
        run = []
        if word:
            found.append(word)
    return found


def _one_script(word: str) -> str:
    """A word that mixes Latin letters with those of Greek or Cyrillic that look like them is Latin."""
    if _NOT_LATIN.search(word) and _LATIN.search(word):
        return word.translate(_LOOK_ALIKES)
    return word
