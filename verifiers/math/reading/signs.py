r"""Unicode signs in their LaTeX or ASCII spelling: ``½``, ``√2``, ``x²``, ``≤``, ``α``, full width, invisible ones."""

from __future__ import annotations

import re
import unicodedata

_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
    "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_UNICODE: dict[int, str] = {
    **{ord(c): "" for c in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e"},
    **{ord(c): "" for c in "\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069✓✔☑✅"},
    **{ord(c): " " for c in "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"},
    **{ord(c): "-" for c in "−–—‐‑‒﹣－"},
    **{0xFF01 + i: chr(0x21 + i) for i in range(94)},
    **{ord(c): f"\\frac{{{a}}}{{{b}}}" for c, (a, b) in _VULGAR.items()},
    **{ord(c): f"^{{{v}}}" for c, v in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ⁻⁺", "0123456789n-+", strict=True)},
    **{ord(c): f"_{{{v}}}" for c, v in zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True)},
    ord("×"): "\\times ", ord("⋅"): "\\cdot ", ord("·"): "\\cdot ", ord("÷"): "\\div ",
    ord("π"): "\\pi ", ord("∞"): "\\infty ", ord("∪"): "\\cup ", ord("∩"): "\\cap ", ord("∈"): "\\in ",
    ord("≤"): "\\le ", ord("≥"): "\\ge ", ord("≠"): "\\ne ", ord("±"): "\\pm ", ord("≈"): "\\approx ",
    ord("٫"): ".", ord("٬"): ",", **{ord(c): "^{\\circ}" for c in "°º˚"}, ord("∶"): ":",
    ord("℃"): "^{\\circ}C", ord("℉"): "^{\\circ}F", ord("∅"): "\\emptyset ", ord("⁄"): "/", ord("∕"): "/",
    ord("∨"): "\\lor ", ord("∧"): "\\land ", ord("∉"): "\\notin ", ord("∖"): "\\setminus ", ord("⊔"): "\\sqcup ",
    ord("⌊"): "\\lfloor ", ord("⌋"): "\\rfloor ", ord("⌈"): "\\lceil ", ord("⌉"): "\\rceil ",
    ord("∑"): "\\sum ", ord("∏"): "\\prod ", ord("∫"): "\\int ", ord("∣"): "|", ord("≡"): "\\equiv ",
    ord("↦"): "\\mapsto ",
    **{ord(c): f"\\mathbb{{{v}}}" for c, v in zip("ℝℤℕℚℂ", "RZNQC", strict=True)},
    ord("⟨"): "\\langle ", ord("⟩"): "\\rangle ", ord("〈"): "\\langle ", ord("〉"): "\\rangle ",
    ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"',
}  # fmt: skip
# ³⁄₄
_SMALL = re.compile(r"([⁰¹²³⁴-⁹]{1,9})[⁄/∕]([₀-₉]{1,9})")
_ROOT = re.compile(r"(?P<sign>[√∛∜])\s?(?:\((?P<inside>[^()]{1,200})\)|(?P<one>\d+(?:\.\d+)?|[A-Za-z]))")
# the digits of other scripts, and bold ones
_DIGITS = re.compile(r"[^\W\D_0-9]")
# letters of mathematics in other faces: 𝑥, 𝐱, ⅈ; those of blackboards name sets
_FACES = re.compile("[\U0001d400-\U0001d537\U0001d56c-\U0001d7cb\u2145-\u2149\u210e]")
_INDEX = {"√": "", "∛": "[3]", "∜": "[4]"}
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
# within a word of that script a letter stays what it is
_LONE_GREEK = re.compile(rf"(?<![\u0370-\u03ff])[{''.join(_GREEK)}](?![\u0370-\u03ff])")


def spell_signs(text: str) -> str:
    """The text with every sign that has another spelling in it. Linear."""
    text = _FACES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    text = _SMALL.sub(
        lambda found: "\\frac" + "".join(f"{{{unicodedata.normalize('NFKC', part)}}}" for part in found.groups()), text
    )
    text = _DIGITS.sub(lambda found: str(unicodedata.decimal(found[0])), text)
    text = _ROOT.sub(lambda found: f"\\sqrt{_INDEX[found['sign']]}{{{found['inside'] or found['one']}}}", text)
    return _LONE_GREEK.sub(lambda found: f"\\{_GREEK[found[0]]} ", text).translate(_UNICODE)
