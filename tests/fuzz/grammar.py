"""A grammar of responses: markdown, LaTeX, JSON, tool calls, fences, programs, patches, thinking tags.

Its pieces nest in one another, and are cut, doubled and put into what the contract cases hold. All of it is drawn from
one seeded source, so that a response can be made again from its seed.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable, Sequence

from tests.fuzz import programs
from tests.fuzz.unicode import ODD, digits_in_other_scripts
from tests.fuzz.vocabulary import COMMANDS, ENVIRONMENTS, LANGUAGES, MARKERS, THINKING, UNITS

LONGEST = 30_000
_DEEPEST = 4


class Grammar:
    """Draws responses. ``seeds`` are texts of the task: right and wrong responses, references."""

    def __init__(self, source: random.Random, seeds: Sequence[str]) -> None:
        self._r = source
        self._seeds = [seed for seed in seeds if seed] or ["42"]
        self._names = sorted(
            {name for seed in self._seeds for name in re.findall(r"\b[a-z_]\w{0,30}(?=\()", seed)}
        ) or ["f"]
        self._pieces: tuple[Callable[[int], str], ...] = (
            self._seed,
            self._seed,
            self._mutant,
            self._mutant,
            self._number,
            self._latex,
            self._markdown,
            self._json,
            self._call,
            self._fence,
            self._tagged,
            self._marked,
            self._odd,
            self._repeated,
            self._words,
            self._nested,
            self._patch,
            *[self._fence] * (6 if any("```" in seed for seed in self._seeds) else 0),
        )

    def response(self) -> str:
        """One response, of at most ``LONGEST`` characters."""
        parts = [self._piece(0) for _ in range(self._r.choice((1, 1, 1, 2, 3, 6)))]
        text = self._r.choice(("", " ", "\n", "\n\n")).join(parts)
        return self._cut(text) if self._r.random() < 0.1 else text[:LONGEST]

    def _piece(self, depth: int) -> str:
        if depth >= _DEEPEST:
            return self._r.choice((self._number, self._words, self._odd))(depth)
        return self._r.choice(self._pieces)(depth + 1)[:LONGEST]

    def _pick(self, items: Sequence[str]) -> str:
        return self._r.choice(items)

    def _size(self) -> int:
        return self._r.choice((1, 2, 3, 5, 17, 64, 300, 2_000, 5_000))

    def _seed(self, depth: int) -> str:
        return self._pick(self._seeds)

    def _mutant(self, depth: int) -> str:
        text = self._pick(self._seeds)
        for _ in range(self._r.choice((1, 1, 2, 5))):
            at, to = sorted(self._r.randrange(len(text) + 1) for _ in range(2))
            text = self._r.choice(
                (
                    text[:at] + text[to:],
                    text[:to] + text[at:],
                    text[:at] + self._piece(depth) + text[at:],
                    text[:at] + self._piece(depth) + text[to:],
                    text[:at] + self._pick(ODD) + text[at:],
                    text[:at] + self._pick(string.printable) + text[at + 1 :],
                    self._pick(COMMANDS) + "{" + text + "}",
                    text[::-1],
                    text.swapcase(),
                )
            )[:LONGEST]
        return text

    def _number(self, depth: int) -> str:
        digits = "".join(self._r.choices(string.digits, k=self._size()))
        return self._r.choice(
            (
                digits[:6],
                digits,
                "-" + digits[:4],
                f"{digits[:3]}.{digits}",
                f"{digits[:3]}e{digits[:7]}",
                f"{digits[:3]}e-{digits[:7]}",
                f"{digits[:4]}/{digits[-4:]}",
                f"{digits[:2]}^{{{digits[:9]}}}",
                f"{digits[:3]}!",
                f"{digits[:1]},{digits[:3]},{digits[:3]}",
                digits_in_other_scripts(digits[:5], self._r),
                f"{digits[:3]} {self._pick(UNITS)}",
                self._pick(
                    ("nan", "inf", "-Infinity", "1_000", "0x1F", "½", "Ⅻ", "三", "twelve", "1e999", "0/0", "1j", "--1")
                ),
            )
        )

    def _latex(self, depth: int) -> str:
        parts = []
        for _ in range(self._r.choice((1, 2, 4, 9))):
            parts.append(self._pick(COMMANDS))
            if self._r.random() < 0.6:
                parts.append("{" + self._piece(depth)[:200] + self._pick(("}", "}", "}", "", "}}")))
        text = "".join(parts)
        if self._r.random() < 0.3:
            name = self._pick(ENVIRONMENTS)
            text = f"\\begin{{{name}}}{text}\\end{{{self._pick((name, name, 'other'))}}}"
        mark = self._pick(("", "$", "$$", "\\(", "\\["))
        return mark + text + {"\\(": "\\)", "\\[": "\\]"}.get(mark, mark)

    def _markdown(self, depth: int) -> str:
        inner = self._piece(depth)
        mark = self._pick(("**", "__", "*", "_", "`", "~~", "***", "||"))
        return self._r.choice(
            (
                mark + inner + mark,
                mark + inner,
                "x" + mark + inner + mark,
                "# " + inner,
                "> " + inner,
                "\n".join(f"{self._pick(('-', '*', '1.', '(a)', '•'))} {line}" for line in inner.split("\n")),
                f"| {inner} | {inner[:20]} |\n|---|:-:|\n| {inner[:20]} |",
                f"[{inner}](http://x.y/{inner[:20]})",
                f"<details><summary>{inner}</summary>",
                "\\" + "\\".join(inner[:200]),
                "---\n" + inner + "\n---",
            )
        )

    def _value(self, depth: int) -> object:
        if depth >= _DEEPEST or self._r.random() < 0.4:
            odd = (
                None,
                True,
                0,
                -0.0,
                1e308,
                10**400,
                10**5000,
                float("nan"),
                float("inf"),
                "",
                "\ud800",
                "\0",
                1e-320,
                "1",
            )
            return self._r.choice((*odd, self._number(depth)[:50], self._words(depth)[:50]))
        if self._r.random() < 0.5:
            return [self._value(depth + 1) for _ in range(self._r.choice((0, 1, 2, 5)))]
        return {self._words(depth)[:12]: self._value(depth + 1) for _ in range(self._r.choice((0, 1, 2, 5)))}

    def _json(self, depth: int) -> str:
        value = self._value(depth)
        try:
            text = json.dumps(value, ensure_ascii=self._r.random() < 0.5)
        except ValueError:  # an integer of more digits than Python writes
            text = "[" + "9" * 5_000 + "]"
        return self._r.choice(
            (
                text,
                text,
                text.replace('"', "'"),
                text.replace("}", ",}"),
                "[" * self._size() + text + "]" * self._size(),
                '{"a":' * self._size() + text,
                f'{{"a": 1, "a": {text}}}',
                self._cut(text),
                "// note\n" + text,
            )
        )

    def _call(self, depth: int) -> str:
        name = self._pick((*self._names, "get_weather", "__import__", "a.b", "", "f" * 300))
        inner = self._json(depth)
        body = f'{{"name": {json.dumps(name)}, "arguments": {inner}}}'
        return self._r.choice(
            (
                f"<tool_call>\n{body}\n</tool_call>",
                f"<tool_call>{body}",
                f"<function={name}><parameter=a>{inner}</parameter></function>",
                f"[TOOL_CALLS][{body}]",
                f"<|python_tag|>{name}(a={inner})",
                f"[{name}(a={inner}, b=-1), {name}(**{inner})]",
                f"{name}({inner})",
                f"<invoke name='{name}'><parameter name='a'>{inner}</parameter></invoke>",
                f"<｜tool▁calls▁begin｜>{body}<｜tool▁calls▁end｜>",
                f"Action: {name}\nAction Input: {inner}",
                f'{{"function": {body}, "type": "function"}}',
                f"functions.{name}:0<|tool_call_argument_begin|>{inner}",
            )
        )

    def _fence(self, depth: int) -> str:
        body = programs.draw(self._r, self._names) if self._r.random() < 0.7 else self._piece(depth)
        mark = self._pick(("```", "```", "```", "~~~", "````", "``", "    ```"))
        language = self._pick(("python", "python", *LANGUAGES))
        return f"{mark}{language}\n{body}\n{self._pick((mark, mark, mark, '', '```', '~~~'))}"

    def _tagged(self, depth: int) -> str:
        return "".join(
            self._pick(THINKING) + (self._piece(depth) if self._r.random() < 0.7 else "")
            for _ in range(self._r.choice((1, 2, 2, 4)))
        )

    def _marked(self, depth: int) -> str:
        return (
            self._pick(MARKERS)
            + self._piece(depth)
            + self._pick(("", ".", "}", "</answer>", "\n", ", approximately", " or so"))
        )

    def _odd(self, depth: int) -> str:
        return "".join(self._pick(ODD) for _ in range(self._r.choice((1, 2, 8, 60))))

    def _repeated(self, depth: int) -> str:
        piece = self._piece(depth)[:60] or "x"
        return (piece * self._size())[:LONGEST]

    def _words(self, depth: int) -> str:
        known = [word for seed in self._seeds[:6] for word in seed.split()[:40]] or ["x"]
        plain = (
            "the",
            "is",
            "not",
            "because",
            "I think",
            "A",
            "B",
            "therefore",
            "maybe",
            "x",
            "=",
            ",",
            ";",
            ":",
            ".",
            "yes",
            "no",
        )
        return " ".join(self._pick((*known, *plain))[:80] for _ in range(self._r.choice((1, 3, 12, 80))))

    def _nested(self, depth: int) -> str:
        opened, closed = self._r.choice(
            (("(", ")"), ("{", "}"), ("[", "]"), ("\\boxed{", "}"), ("\\frac{1}{", "}"), ("<b>", "</b>"), ("-", ""))
        )
        many = self._size()
        return (opened * many + self._piece(depth)[:200] + closed * self._r.choice((many, many, many - 1, 0)))[:LONGEST]

    def _patch(self, depth: int) -> str:
        name = self._pick(("a.py", "../a", "/etc/passwd", "b/" * 50 + "c", "a\tb", "\\357\\273", "dev/null"))
        start = self._pick(("1", "0", "-1", "99999999999999999999", "1,1", "1,99999", "x"))
        end = self._pick(("", "\\ No newline at end of file\n", "GIT binary patch\n"))
        return (
            f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"
            f"@@ -{start} +{start} @@ {self._words(depth)[:20]}\n"
            f"-{self._pick(self._seeds)[:200]}\n+{self._piece(depth)}\n{end}"
        )

    def _cut(self, text: str) -> str:
        return text[: self._r.randrange(len(text) + 1)][:LONGEST]
