r"""How models end a response: boxed, announced, tagged, after thinking; some 300 characters of reasoning before it.

A template never changes what the answer is. Numbers in the reasoning are intermediate results.
"""

from __future__ import annotations

import random

_STEPS = (
    "First I compute ${a} + {b} = {sum}$, which we need below.",
    "Next, note that {a} times {b} is {product}, so the bound holds.",
    "We substitute and simplify, which leaves ${a} \\cdot {b} = {product}$ on the left.",
    "Wait, let me check this again: ${a} + {b} = {sum}$. Yes, that is right.",
    "By symmetry the other case is handled in the same way.",
    "Since ${a} < {sum}$, only one of the two cases remains.",
)

_BOXED = (
    "Therefore the final answer is $\\boxed{{{answer}}}$.",
    "\\[\n\\boxed{{{answer}}}\n\\]",
    "**Final Answer**\n\n$$\\boxed{{{answer}}}$$",
    "Final Answer: \\boxed{{{answer}}}",
    "So the answer is $\\boxed{{{answer}}}$. I hope this helps!",
    "Hence, $$\\boxed{{ {answer} }}.$$",
    "$$\n\\boxed{{\n{answer}\n}}\n$$\n\nThis completes the solution.",
    "### Answer\n\n\\( \\boxed{{{answer}}} \\)",
    "Thus, the required result is:\n\n\\[ \\fbox{{{answer}}} \\]",
    "The answer is **$\\boxed{{{answer}}}$**.",
)
_ANNOUNCED = (
    "The final answer is {math}.",
    "The answer is: {math}",
    "**Final answer:** {math}",
    "Answer: {math}",
    "#### {math}",
    "Therefore, the correct answer is {math}.",
    "Hence, the final answer is **{math}**.",
    "**Answer:** {math}",
    "**Final Answer**\n\nThe final answer is {math}",
)
_TAGGED = (
    "<answer>{math}</answer>",
    "<answer>\n\\boxed{{{answer}}}\n</answer>",
    "The steps above settle it.\n<answer> {math} </answer>",
)


def respond(answer: str, dice: random.Random) -> tuple[str, str]:
    """The template's name and a whole response that ends in ``answer``."""
    kind = dice.choices(("boxed", "announced", "tagged"), (70, 18, 12))[0]
    answer = _dressed(answer, dice)
    endings = {"boxed": _BOXED, "announced": _ANNOUNCED, "tagged": _TAGGED}[kind]
    ending = dice.choice(endings).format(answer=answer, math=_delimited(answer, dice))
    if answer.endswith(".") and ending.endswith(".."):
        ending = ending[:-1]
    opening, body = thinking(dice)
    return f"{opening} {kind}".strip(), f"{body}\n\n{ending}"


def thinking(dice: random.Random) -> tuple[str, str]:
    """Reasoning, sometimes within think tags, whose opening one the chat template may have written."""
    body = reasoning(dice)
    kind = dice.choices(("", "think", "open-think"), (70, 20, 10))[0]
    if not kind:
        return "", body
    opened = "<think>\n" if kind == "think" else ""
    trial = f"Let me try $\\boxed{{{dice.randint(2, 99)}}}$ first."
    return kind, f"{opened}{body}\n\n{trial}\n</think>\n\nIn short, it follows."


def reasoning(dice: random.Random) -> str:
    text = "Let me work through this step by step."
    for step in dice.choices(_STEPS, k=dice.randint(2, 5)):
        a, b = dice.randint(2, 99), dice.randint(2, 99)
        text += dice.choice((" ", "\n\n")) + step.format(a=a, b=b, sum=a + b, product=a * b)
    return text


def _dressed(answer: str, dice: random.Random) -> str:
    """Sometimes with LaTeX around it that changes how it looks and not what it is."""
    if "\\" not in answer or "\n" in answer or dice.random() < 0.85:
        return answer
    return dice.choice(("\\displaystyle {}", "\\displaystyle{{{}}}", "\\,{}\\,", "{{{}}}", "{}\\;", "\\ {}")).format(
        answer
    )


def _delimited(answer: str, dice: random.Random) -> str:
    """LaTeX in one of the delimiters, plain text as it is."""
    if not any(sign in answer for sign in "\\^_{"):
        return answer
    return dice.choice(("${}$", "\\({}\\)", "$${}$$")).replace("{}", answer)
